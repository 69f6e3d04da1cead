// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/firstcontact.h"

#include <QList>

namespace coxswain::remote {
namespace {

/// POSIX sh, in one line and without single quotes and exclamation marks, since it travels inside single
/// quotes through any login shell. Fall-back folders must not be links and must belong to this user.
constexpr const char* script =
    R"(umask 077; PATH="$PATH:/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"; r=; b=; u=$(id -u); )"
    R"(for c in "$HOME/.coxswain" "/var/tmp/coxswain-$u" "/tmp/coxswain-$u"; do )"
    R"(case $c in //*|/.coxswain) continue;; /*) ;; *) continue;; esac; )"
    R"(case $c in */.coxswain) ;; *) if [ -h "$c" ]; then r="$r $c is a link;"; continue; fi;; esac; )"
    R"(mkdir "$c" 2>/dev/null; )"
    R"(if [ -d "$c" ] && [ -O "$c" ] && [ -w "$c" ]; then :; else r="$r $c cannot be made or is not ours;"; continue; fi; )"
    R"(x="$c/.try-$n"; )"
    R"(if echo exit 0 2>/dev/null > "$x" && [ -s "$x" ] && chmod 700 "$x"; then :; else rm -f "$x"; r="$r $c takes no file (full or read-only);"; continue; fi; )"
    R"(if "$x" 2>/dev/null; then rm -f "$x"; b=$c; break; fi; rm -f "$x"; r="$r $c lets no program run (noexec);"; done; )"
    R"(if [ -z "$b" ]; then echo "$n none $r"; exit 3; fi; )"
    R"(d="$b/agent/$h"; a="$d/coxswain-agent"; )"
    R"(if [ -x "$a" ]; then echo "$n have $(uname -sm) $b"; else echo "$n need $(uname -sm) $b"; )"
    R"(mkdir -p "$d" && head -c $s > "$a.$n" && [ $(wc -c < "$a.$n") -eq $s ] && chmod 700 "$a.$n" && mv "$a.$n" "$a" )"
    R"(|| { rm -f "$a.$n"; cat > /dev/null & echo "$n failed to write $a"; exit 4; }; echo "$n go"; fi; )"
    R"(exec "$a" serve --base "$b")";

} // namespace

QByteArray firstContactLine(const QByteArray& nonce, const QByteArray& agentDigest, qint64 agentBytes) {
    return "exec /bin/sh -c 'n=" + nonce + "; h=" + agentDigest + "; s=" + QByteArray::number(agentBytes) +
           "; " + script + "'";
}

std::optional<FirstAnswer> takeFirstAnswer(QByteArray& received, const QByteArray& nonce) {
    const auto at = received.indexOf(nonce + ' ');
    const auto end = at < 0 ? -1 : received.indexOf('\n', at);
    if (end < 0)
        return std::nullopt;
    const QByteArray line = received.mid(at + nonce.size() + 1, end - at - nonce.size() - 1);
    received.remove(0, end + 1);
    FirstAnswer answer;
    const auto rest = [&](int words) { // what follows the first `words` words
        qsizetype from = 0;
        for (int i = 0; i < words && from >= 0; ++i)
            from = line.indexOf(' ', from) + 1;
        return line.mid(from);
    };
    if (line.startsWith("have ") || line.startsWith("need ")) {
        answer.kind = line.startsWith("have ") ? FirstAnswer::Have : FirstAnswer::Need;
        answer.system = line.split(' ').mid(1, 2).join(' ');
        answer.detail = rest(3);
    } else if (line == "go") {
        answer.kind = FirstAnswer::Go;
    } else {
        answer.kind = line.startsWith("none") ? FirstAnswer::None : FirstAnswer::Failed;
        answer.detail = rest(1).trimmed();
    }
    return answer;
}

} // namespace coxswain::remote
