// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runpage/ansistripper.h"

namespace coxswain::ui {

QString AnsiStripper::feed(const QByteArray& bytes) {
    constexpr char escape = 0x1b;
    constexpr char bell = 0x07;
    QByteArray plain;
    plain.reserve(bytes.size());
    for (const char c : bytes) {
        if (m_state == State::Return) {
            // "\r\n" is one end of line, as are "\r" and "\r\r\n".
            if (c != '\r')
                m_state = State::Text;
            if (c != '\n' && c != '\r')
                plain.append('\n');
        }
        switch (m_state) {
        case State::Return:
            break;
        case State::Text:
            if (c == escape)
                m_state = State::Escape;
            else if (c == '\r')
                m_state = State::Return;
            else if (c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x20)
                plain.append(c);
            break;
        case State::Escape:
            m_state = c == '['                                                   ? State::Csi
                      : c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_' ? State::String
                      : c >= 0x20 && c <= 0x2f                                   ? State::Escape
                                                                                 : State::Text;
            break;
        case State::Csi:
            if (c >= 0x40 && c <= 0x7e)
                m_state = State::Text;
            else if (c == '\n') { // a damaged sequence must not swallow the log
                m_state = State::Text;
                plain.append(c);
            }
            break;
        case State::String:
            if (c == bell)
                m_state = State::Text;
            else if (c == escape)
                m_state = State::StringEscape;
            else if (c == '\n') {
                m_state = State::Text;
                plain.append(c);
            }
            break;
        case State::StringEscape:
            m_state = State::Text;
            break;
        }
    }
    return m_decoder.decode(plain);
}

} // namespace coxswain::ui
