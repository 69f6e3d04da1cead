// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringDecoder>

namespace coxswain::ui {

/// Plain text from what programs print, piece by piece: escape sequences and other controls are dropped,
/// never executed; a lone carriage return (a progress bar) starts a new line; wrong UTF-8 becomes U+FFFD. A
/// sequence may be cut anywhere between two pieces.
class AnsiStripper {
public:
    QString feed(const QByteArray& bytes);

private:
    enum class State { Text, Return, Escape, Csi, String, StringEscape };
    State m_state = State::Text;
    QStringDecoder m_decoder{QStringDecoder::Utf8};
};

} // namespace coxswain::ui
