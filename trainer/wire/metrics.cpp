// SPDX-License-Identifier: Apache-2.0
#include "trainer/wire/metrics.h"

#include "trainer/wire/number.h"
#include "trainer/wire/version.h"

namespace coxswain::wire {
namespace {

using nlohmann::json;

/// Writes to and reads from the same list of names, so that the two cannot drift apart.
class Writer {
public:
    explicit Writer(json& object) : m_object(object) {}
    void operator()(const char* name, double& value) { m_object[name] = toJsonNumber(value); }
    void operator()(const char* name, std::int64_t& value) { m_object[name] = value; }
    void operator()(const char* name, int& value) { m_object[name] = value; }
    void operator()(const char* name, std::string& value) { m_object[name] = value; }
    void operator()(const char* name, std::vector<std::string>& value) { m_object[name] = value; }
    void operator()(const char* name, ExitCode& value) { m_object[name] = exitCodeName(value); }
    template <class T>
    void operator()(const char* name, std::optional<T>& value) {
        if (value)
            (*this)(name, *value);
    }
    template <class Body>
    void object(const char* name, Body&& body) {
        json inner = json::object();
        Writer writer(inner);
        body(writer);
        m_object[name] = std::move(inner);
    }

private:
    json& m_object;
};

class Reader {
public:
    explicit Reader(const json& object) : m_object(object) {}
    void operator()(const char* name, double& value) {
        const auto number = fromJsonNumber(m_object.at(name));
        if (!number)
            throw std::invalid_argument(std::string(name) + " is not a number");
        value = *number;
    }
    void operator()(const char* name, std::int64_t& value) { value = whole(m_object.at(name), name); }
    void operator()(const char* name, int& value) {
        const auto wide = whole(m_object.at(name), name);
        value = static_cast<int>(wide);
        if (value != wide)
            throw std::invalid_argument(std::string(name) + " is out of range");
    }
    void operator()(const char* name, std::string& value) { m_object.at(name).get_to(value); }
    void operator()(const char* name, std::vector<std::string>& value) { m_object.at(name).get_to(value); }
    void operator()(const char* name, ExitCode& value) {
        const auto text = m_object.at(name).get<std::string>();
        value = ExitCode::Internal;
        for (int status = 0; status < 256; ++status)
            if (const auto code = exitCodeFromStatus(status); code && exitCodeName(*code) == text)
                value = *code;
    }
    template <class T>
    void operator()(const char* name, std::optional<T>& value) {
        const auto found = m_object.find(name);
        if (found == m_object.end() || found->is_null())
            return;
        value.emplace();
        (*this)(name, *value);
    }
    template <class Body>
    void object(const char* name, Body&& body) {
        Reader reader(m_object.at(name));
        body(reader);
    }

private:
    static std::int64_t whole(const json& value, const char* name) {
        if (!value.is_number_integer())
            throw std::invalid_argument(std::string(name) + " is not a whole number");
        return value.get<std::int64_t>();
    }
    const json& m_object;
};

void visit(StartLine& l, auto& v) {
    v("job", l.job);
    v("rank", l.rank);
    v("world_size", l.worldSize);
    v("host", l.host);
    v("pid", l.pid);
    v("device", l.device);
    v("parameters", l.parameters);
    v("steps", l.steps);
}

void visit(StepLine& l, auto& v) {
    v("step", l.step);
    v("epoch", l.epoch);
    v("loss", l.loss);
    v("rank_loss", l.rankLoss);
    v("tokens", l.tokens);
    v("rank_tokens", l.rankTokens);
    v("learning_rate", l.learningRate);
    v("gradient_norm", l.gradientNorm);
    v.object("milliseconds", [&](auto& inner) {
        inner("data", l.milliseconds.data);
        inner("forward", l.milliseconds.forward);
        inner("backward", l.milliseconds.backward);
        inner("communication_wait", l.milliseconds.communicationWait);
        inner("optimizer", l.milliseconds.optimizer);
        inner("total", l.milliseconds.total);
    });
    v.object("memory", [&](auto& inner) {
        inner("resident", l.memory.resident);
        inner("gpu_allocated", l.memory.gpuAllocated);
        inner("gpu_reserved", l.memory.gpuReserved);
        inner("gpu_used", l.memory.gpuUsed);
        inner("gpu_total", l.memory.gpuTotal);
    });
}

void visit(EventLine& l, auto& v) {
    v("event", l.event);
    v("step", l.step);
    v("message", l.message);
}

void visit(ErrorLine& l, auto& v) {
    v("code", l.code);
    v("message", l.message);
    v("step", l.step);
}

void visit(EndLine& l, auto& v) {
    v("state", l.state);
    v("step", l.step);
    v("model", l.model);
}

void visit(NodeLine& l, auto& v) {
    v("cpu_percent", l.cpuPercent);
    v("memory_used", l.memoryUsed);
    v("memory_total", l.memoryTotal);
    v("network_received", l.networkReceived);
    v("network_sent", l.networkSent);
    v("disk_free", l.diskFree);
    v("gpus", l.gpus);
}

constexpr const char* kindOf(const StartLine&) {
    return "start";
}
constexpr const char* kindOf(const StepLine&) {
    return "step";
}
constexpr const char* kindOf(const EventLine&) {
    return "event";
}
constexpr const char* kindOf(const ErrorLine&) {
    return "error";
}
constexpr const char* kindOf(const EndLine&) {
    return "end";
}
constexpr const char* kindOf(const NodeLine&) {
    return "node";
}

template <class Line>
bool readAs(const json& object, const std::string& kind, LineBody& body) {
    Line line;
    if (kind != kindOf(line))
        return false;
    Reader reader(object);
    visit(line, reader);
    body = std::move(line);
    return true;
}

} // namespace

std::string toJsonLine(const MetricsLine& line) {
    json object = {{"attempt", line.attempt}, {"time", line.time}};
    LineBody body = line.body;
    std::visit(
        [&](auto& concrete) {
            object["kind"] = kindOf(concrete);
            if constexpr (std::is_same_v<std::decay_t<decltype(concrete)>, StartLine>)
                object["format"] = metricsFormat;
            Writer writer(object);
            visit(concrete, writer);
        },
        body);
    return object.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

Result<std::optional<MetricsLine>> parseMetricsLine(std::string_view text) {
    const json object = json::parse(text, nullptr, false);
    if (!object.is_object())
        return tl::unexpected(FieldError{"", "not a JSON object"});
    try {
        if (const auto format = object.find("format"); format != object.end()) {
            const auto seen = format->get<std::string>();
            if (!isReadable(matchFormat(seen, metricsFormat)))
                return tl::unexpected(FieldError{"format", formatMismatch(seen, metricsFormat)});
        }
        MetricsLine line;
        Reader reader(object);
        reader("attempt", line.attempt);
        reader("time", line.time);
        const auto kind = object.at("kind").get<std::string>();
        const bool known =
            readAs<StepLine>(object, kind, line.body) || readAs<NodeLine>(object, kind, line.body) ||
            readAs<StartLine>(object, kind, line.body) || readAs<EventLine>(object, kind, line.body) ||
            readAs<ErrorLine>(object, kind, line.body) || readAs<EndLine>(object, kind, line.body);
        if (!known)
            return std::optional<MetricsLine>();
        return std::optional<MetricsLine>(std::move(line));
    } catch (const std::exception& e) {
        return tl::unexpected(FieldError{"", std::string("damaged line: ") + e.what()});
    }
}

} // namespace coxswain::wire
