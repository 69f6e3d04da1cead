// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/inventory.h"

#include <nlohmann/json.hpp>

#include <QMap>
#include <QRegularExpression>

/// The agent's answer to "probe" (cluster/agent/probe.cpp writes it):
///   facts     what system calls tell, by name
///   files     path -> its text, or {"error": …}
///   commands  name -> {"status", "out", "milliseconds"} or {"error": …}
namespace coxswain::core {
namespace {

using nlohmann::json;

constexpr qsizetype textLimit = 300;

const json& member(const json& object, const char* name) {
    static const json none;
    if (!object.is_object())
        return none;
    const auto found = object.find(name);
    return found == object.end() ? none : *found;
}

QString textOf(const json& value) {
    return value.is_string() ? QString::fromStdString(value.get_ref<const std::string&>()) : QString();
}

/// A text for people: one line, of bounded length, without control characters.
QString shortText(const json& value) {
    QString text = textOf(value).left(4 * textLimit);
    text.removeIf([](QChar c) { return !c.isPrint() && !c.isSpace(); });
    return text.simplified().left(textLimit);
}

std::optional<qint64> wholeOf(const json& value) {
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() > std::uint64_t(std::numeric_limits<qint64>::max()))
        return std::nullopt;
    if (!value.is_number_integer() || value.get<qint64>() < 0)
        return std::nullopt;
    return value.get<qint64>();
}

int intOf(const json& value) {
    const auto whole = wholeOf(value);
    return whole && *whole <= 1 << 24 ? int(*whole) : 0;
}

bool boolOf(const json& value) {
    return value.is_boolean() && value.get<bool>();
}

struct CommandOutput {
    bool ran = false;
    int status = 0;
    QString out;
};

CommandOutput commandOf(const json& commands, const char* name) {
    const json& command = member(commands, name);
    const json& status = member(command, "status");
    if (!status.is_number_integer())
        return {};
    return {true, int(status.get<qint64>()), textOf(member(command, "out"))};
}

QString captured(const QString& pattern, const QString& text) {
    return QRegularExpression(pattern, QRegularExpression::MultilineOption).match(text).captured(1);
}

/// Bytes; the file counts in kB.
std::optional<qint64> memoryLine(const QString& meminfo, const QString& name) {
    const QString kilobytes = captured(QStringLiteral("^%1: +([0-9]{1,15}) kB").arg(name), meminfo);
    return kilobytes.isEmpty() ? std::nullopt : std::optional(kilobytes.toLongLong() * 1024);
}

QList<NetworkInterface> readInterfaces(const json& list) {
    QList<NetworkInterface> interfaces;
    if (!list.is_array())
        return interfaces;
    for (const json& entry : list) {
        NetworkInterface interface;
        interface.name = shortText(member(entry, "name"));
        interface.address = shortText(member(entry, "address"));
        interface.prefixLength = intOf(member(entry, "prefix_length"));
        interface.mac = shortText(member(entry, "mac"));
        interface.mtu = intOf(member(entry, "mtu"));
        interface.up = boolOf(member(entry, "up"));
        interface.loopback = boolOf(member(entry, "loopback"));
        if (!interface.name.isEmpty() && interfaces.size() < 1024)
            interfaces.append(interface);
    }
    return interfaces;
}

void readSystem(const json& facts, const json& files, Inventory& inventory) {
    inventory.hostName = shortText(member(facts, "hostname"));
    inventory.user = shortText(member(facts, "user"));
    inventory.home = textOf(member(facts, "home"));
    inventory.base = textOf(member(facts, "base"));
    inventory.architecture = shortText(member(facts, "architecture"));
    inventory.kernel = shortText(member(facts, "kernel"));
    inventory.cores = intOf(member(facts, "cores"));
    inventory.diskFree = wholeOf(member(facts, "disk_free"));
    inventory.diskTotal = wholeOf(member(facts, "disk_total"));
    inventory.sharedMemoryTotal = wholeOf(member(facts, "shared_memory_total"));
    inventory.interfaces = readInterfaces(member(facts, "interfaces"));

    const QString meminfo = textOf(member(files, "/proc/meminfo"));
    inventory.memoryTotal = memoryLine(meminfo, QStringLiteral("MemTotal"));
    inventory.memoryAvailable = memoryLine(meminfo, QStringLiteral("MemAvailable"));
    inventory.cpuModel =
        captured(QStringLiteral("^model name\\s*: *(.*)$"), textOf(member(files, "/proc/cpuinfo")))
            .simplified()
            .left(textLimit);
    inventory.os =
        captured(QStringLiteral("^PRETTY_NAME=\"?([^\"\n]*)"), textOf(member(files, "/etc/os-release")))
            .simplified()
            .left(textLimit);
}

void readPrograms(const json& commands, Inventory& inventory) {
    static const QString version = QStringLiteral("([0-9]+\\.[0-9]+(?:\\.[0-9]+)?)");
    inventory.glibc =
        captured(QStringLiteral("(?:glibc|GLIBC|GNU libc|ldd)[^\n]*? ") + version + QStringLiteral("\\)?$"),
                 commandOf(commands, "glibc").out);
    inventory.cudaToolkit = captured(QStringLiteral("release ") + version, commandOf(commands, "nvcc").out);
    inventory.nccl = captured(version, commandOf(commands, "nccl").out);
    const QString ssh = captured(QStringLiteral("^([A-Za-z]+_[^\n]*)$"), commandOf(commands, "ssh").out);
    inventory.sshClient = ssh.simplified().left(textLimit);
}

NvidiaSmiOutput smiOutput(const json& commands) {
    NvidiaSmiOutput output;
    const CommandOutput query = commandOf(commands, "nvidia-smi-query");
    const CommandOutput banner = commandOf(commands, "nvidia-smi");
    output.present = query.ran || banner.ran;
    output.queryStatus = query.status;
    output.query = query.out.toUtf8();
    output.banner = banner.out.toUtf8();
    output.listed = commandOf(commands, "nvidia-smi-list").out.toUtf8();
    for (int index = 0; index < 64; ++index) {
        const CommandOutput single =
            commandOf(commands, ("nvidia-smi-query-" + std::to_string(index)).c_str());
        if (single.ran)
            output.single.append({index, single.out.toUtf8()});
    }
    return output;
}

} // namespace

Expected<Inventory> parseInventory(const QByteArray& probeAnswer) {
    const json answer = json::parse(probeAnswer.begin(), probeAnswer.end(), nullptr, false);
    const json& facts = member(answer, "facts");
    if (!facts.is_object())
        return fail({ErrorCode::Protocol,
                     {},
                     QStringLiteral("read the node's answer to the probe"),
                     QStringLiteral("it has no \"facts\""),
                     {}});
    const json& commands = member(answer, "commands");
    Inventory inventory;
    readSystem(facts, member(answer, "files"), inventory);
    readPrograms(commands, inventory);
    inventory.nvidia = parseNvidiaSmi(smiOutput(commands));
    return inventory;
}

} // namespace coxswain::core
