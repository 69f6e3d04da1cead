// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/store/eventfile.h"

#include <nlohmann/json.hpp>

namespace coxswain::core::store {
namespace {

using nlohmann::json;

constexpr const char* sourceName(SeriesId::Source source) {
    return source == SeriesId::Source::Rank ? "rank" : "node";
}

std::optional<StoredEvent> parseEvent(const QByteArray& text) {
    const json document = json::parse(text.begin(), text.end(), nullptr, false);
    if (!document.is_object() || !document.contains("line") || !document.contains("index") ||
        !document.contains("source") || !document["index"].is_number_integer())
        return std::nullopt;
    const auto line = wire::parseMetricsLine(document["line"].dump());
    if (!line || !*line)
        return std::nullopt;
    StoredEvent event;
    event.source = document["source"] == "node" ? SeriesId::Source::Node : SeriesId::Source::Rank;
    event.index = document["index"].get<int>();
    event.attempt = (*line)->attempt;
    event.time = (*line)->time;
    event.body = (*line)->body;
    return event;
}

} // namespace

Error EventFile::failure(ErrorCode code, const char* tried, const QString& seen) const {
    return {code, {}, QStringLiteral("%1 %2").arg(QLatin1StringView(tried), m_file.fileName()), seen, {}};
}

Expected<std::unique_ptr<EventFile>> EventFile::open(const QString& path) {
    std::unique_ptr<EventFile> file(new EventFile(path));
    if (!file->m_file.open(QIODevice::ReadWrite | QIODevice::Append | QIODevice::Unbuffered))
        return fail(file->failure(ErrorCode::Failed, "open", file->m_file.errorString()));
    if (!file->read())
        return fail(file->failure(ErrorCode::Damaged, "read", QStringLiteral("a line in it is damaged")));
    return file;
}

bool EventFile::read() {
    m_file.seek(0);
    const QByteArray text = m_file.readAll();
    if (!text.isEmpty() && !text.endsWith('\n'))
        return false;
    for (const QByteArray& line : text.split('\n')) {
        if (line.isEmpty())
            continue;
        const auto event = parseEvent(line);
        if (!event)
            return false;
        m_lines.insert(line);
        m_events.append(*event);
    }
    return true;
}

Expected<bool> EventFile::append(SeriesId::Source source, int index, const wire::MetricsLine& line) {
    std::string text = wire::toJsonLine(line);
    text.pop_back(); // its newline
    const QByteArray stored = QByteArrayLiteral("{\"source\":\"") + sourceName(source) +
                              "\",\"index\":" + QByteArray::number(index) +
                              ",\"line\":" + QByteArray::fromStdString(text) + '}';
    if (m_lines.contains(stored))
        return false;
    if (m_file.write(stored + '\n') != stored.size() + 1)
        return fail(failure(ErrorCode::NoSpace, "write to", m_file.errorString()));
    m_lines.insert(stored);
    m_events.append({source, index, line.attempt, line.time, line.body});
    return true;
}

} // namespace coxswain::core::store
