// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>

namespace coxswain::ui {

/// What is asked once about a host that nobody knows yet.
struct HostKeyQuestion {
    int id = 0;
    QString host;
    QString keyType;
    QString fingerprint; ///< "SHA256:…"
};

/// Shows a fingerprint and asks whether it is that host's. Closing it means no.
class HostKeyDialog : public QDialog {
    Q_OBJECT
public:
    explicit HostKeyDialog(const HostKeyQuestion& question, QWidget* parent = nullptr);

signals:
    void answered(int id, bool accepted);
};

} // namespace coxswain::ui
