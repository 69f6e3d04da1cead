// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/store/linecolumns.h"

#include "cluster/core/inventory.h"

#include <QStringList>

#include <cmath>
#include <map>

namespace coxswain::core::store {
namespace {

constexpr double mebibyte = 1024.0 * 1024.0;

/// The one list of a step line's metrics, for reading and writing.
template <class Line, class Visitor>
void visit(Line& l, Visitor&& v) {
    v("epoch", l.epoch);
    v("loss", l.loss);
    v("rank_loss", l.rankLoss);
    v("tokens", l.tokens);
    v("rank_tokens", l.rankTokens);
    v("learning_rate", l.learningRate);
    v("gradient_norm", l.gradientNorm);
    v("milliseconds.data", l.milliseconds.data);
    v("milliseconds.forward", l.milliseconds.forward);
    v("milliseconds.backward", l.milliseconds.backward);
    v("milliseconds.communication_wait", l.milliseconds.communicationWait);
    v("milliseconds.optimizer", l.milliseconds.optimizer);
    v("milliseconds.total", l.milliseconds.total);
    v("memory.resident", l.memory.resident);
    v("memory.gpu_allocated", l.memory.gpuAllocated);
    v("memory.gpu_reserved", l.memory.gpuReserved);
    v("memory.gpu_used", l.memory.gpuUsed);
    v("memory.gpu_total", l.memory.gpuTotal);
}

template <class Line, class Visitor>
void visitNode(Line& l, Visitor&& v) {
    v("cpu_percent", l.cpuPercent);
    v("memory_used", l.memoryUsed);
    v("memory_total", l.memoryTotal);
    v("network_received", l.networkReceived);
    v("network_sent", l.networkSent);
    v("disk_free", l.diskFree);
}

class Read {
public:
    explicit Read(std::vector<Value>& values) : m_values(values) {}
    template <class T>
    void operator()(const char* name, const T& value) {
        m_values.push_back({name, double(value)});
    }
    template <class T>
    void operator()(const char* name, const std::optional<T>& value) {
        m_values.push_back({name, value ? std::optional(double(*value)) : std::nullopt});
    }

private:
    std::vector<Value>& m_values;
};

std::int64_t whole(double value) {
    return std::isfinite(value) && std::abs(value) < 9e18 ? std::int64_t(value) : 0;
}

class Write {
public:
    explicit Write(const std::vector<Value>& values) {
        for (const Value& value : values)
            if (value.value)
                m_values[value.name] = *value.value;
    }
    std::optional<double> find(std::string_view name) const {
        const auto found = m_values.find(name);
        return found == m_values.end() ? std::nullopt : std::optional(found->second);
    }
    void operator()(const char* name, double& value) { value = find(name).value_or(0); }
    void operator()(const char* name, std::int64_t& value) { value = whole(find(name).value_or(0)); }
    void operator()(const char* name, std::optional<double>& value) { value = find(name); }
    void operator()(const char* name, std::optional<std::int64_t>& value) {
        if (const auto found = find(name))
            value = whole(*found);
    }

private:
    std::map<std::string_view, double> m_values;
};

constexpr const char* gpuParts[] = {"memory_used", "memory_total", "utilisation", "temperature", "power"};

std::string gpuName(int index, const char* part) {
    return "gpu." + std::to_string(index) + '.' + part;
}

std::optional<double> bytes(const std::optional<qint64>& mebibytes) {
    return mebibytes ? std::optional(double(*mebibytes) * mebibyte) : std::nullopt;
}

} // namespace

void readValues(const wire::StepLine& line, std::vector<Value>& values) {
    visit(line, Read(values));
}

void NodeValues::read(const wire::NodeLine& line, std::vector<Value>& values) {
    visitNode(line, Read(values));
    for (const std::string& row : line.gpus) {
        const auto gpu = parseGpuSample(QByteArray::fromStdString(row));
        if (!gpu || gpu->index >= 64)
            continue;
        while (int(m_gpuNames.size()) <= gpu->index) {
            std::vector<std::string> names;
            for (const char* part : gpuParts)
                names.push_back(gpuName(int(m_gpuNames.size()), part));
            m_gpuNames.push_back(std::move(names));
        }
        const auto& names = m_gpuNames[std::size_t(gpu->index)];
        values.push_back({names[0], bytes(gpu->memoryUsedMib)});
        values.push_back({names[1], bytes(gpu->memoryTotalMib)});
        values.push_back({names[2], gpu->utilisationPercent});
        values.push_back({names[3], gpu->temperatureCelsius});
        values.push_back({names[4], gpu->powerWatt});
    }
}

wire::StepLine stepLine(std::int64_t step, const std::vector<Value>& values) {
    wire::StepLine line;
    line.step = step;
    visit(line, Write(values));
    return line;
}

wire::NodeLine nodeLine(const std::vector<Value>& values) {
    wire::NodeLine line;
    Write write(values);
    visitNode(line, write);
    for (int index = 0; index < 64; ++index) {
        QStringList cells{QString::number(index)};
        bool any = false;
        for (const char* part : gpuParts) {
            auto value = write.find(gpuName(index, part));
            any = any || value;
            if (value && std::string_view(part).starts_with("memory"))
                *value /= mebibyte;
            cells.append(value ? QString::number(*value, 'g', 12) : QStringLiteral("[N/A]"));
        }
        if (any)
            line.gpus.push_back(cells.join(QStringLiteral(", ")).toStdString());
    }
    return line;
}

} // namespace coxswain::core::store
