// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/inventory.h"

#include <QMap>
#include <QRegularExpression>

#include <algorithm>

/// Understands what nvidia-smi really prints (shared/field/outputs.md): CSV rows with warnings around them,
/// cells that are no values, and texts instead of rows.
namespace coxswain::core {
namespace {

constexpr qsizetype textLimit = 200;
constexpr int gpuLimit = 256;

// --query-gpu=index,uuid,name,driver_version,memory.total,memory.free,memory.used,utilization.gpu,temperature.gpu,
// power.draw,pci.bus_id; a name may hold commas, so the cells after it are counted from the end.
constexpr qsizetype cellCount = 11;

QString oneLine(QString text) {
    return text.simplified().left(textLimit);
}

/// "24564", "24564 MiB", "47 %"; nothing for [N/A], [Not Supported], [Insufficient Permissions], ERR! …
std::optional<double> numberIn(const QString& cell) {
    static const QRegularExpression shape(QStringLiteral("^(-?[0-9]+(?:\\.[0-9]+)?)(?: ?(?:MiB|%|W|C))?$"));
    const auto match = shape.match(cell);
    return match.hasMatch() ? std::optional(match.captured(1).toDouble()) : std::nullopt;
}

std::optional<qint64> wholeIn(const QString& cell) {
    const auto number = numberIn(cell);
    return number && *number >= 0 && *number < 1e12 ? std::optional(qint64(*number)) : std::nullopt;
}

/// A text cell; empty for one that only says that there is no value.
QString textIn(const QString& cell) {
    static const QRegularExpression none(QStringLiteral("^(\\[.*\\]|N/A|Not Supported|ERR!|Unknown Error|)$"),
                                         QRegularExpression::CaseInsensitiveOption);
    return none.match(cell).hasMatch() ? QString() : oneLine(cell);
}

/// A cell that says that the device itself is sick, not just that a value is unknown.
bool tellsOfSickness(const QString& cell) {
    static const QRegularExpression sick(
        QStringLiteral("GPU is lost|GPU requires reset|fallen off the bus|Unknown Error|ERR!"),
        QRegularExpression::CaseInsensitiveOption);
    return sick.match(cell).hasMatch();
}

QStringList cellsOf(const QString& line) {
    QStringList cells = line.split(u',');
    for (QString& cell : cells)
        cell = cell.trimmed();
    return cells;
}

std::optional<int> indexIn(const QString& cell) {
    bool good = false;
    const int index = cell.toInt(&good);
    return good && index >= 0 && index < gpuLimit ? std::optional(index) : std::nullopt;
}

struct Row {
    Gpu gpu;
    QString driverVersion;
};

std::optional<Row> parseRow(const QString& line) {
    const QStringList cells = cellsOf(line);
    if (cells.size() < cellCount)
        return std::nullopt;
    const auto index = indexIn(cells[0]);
    if (!index) // a header
        return std::nullopt;
    const qsizetype after = cells.size() - 8; // of the name
    Row row;
    Gpu& gpu = row.gpu;
    gpu.index = *index;
    gpu.uuid = textIn(cells[1]);
    gpu.name = textIn(cells.mid(2, after - 2).join(QStringLiteral(", ")).remove(u'"'));
    row.driverVersion = textIn(cells[after]);
    gpu.memoryTotalMib = wholeIn(cells[after + 1]);
    gpu.memoryFreeMib = wholeIn(cells[after + 2]);
    gpu.memoryUsedMib = wholeIn(cells[after + 3]);
    gpu.utilisationPercent = numberIn(cells[after + 4]);
    gpu.temperatureCelsius = numberIn(cells[after + 5]);
    gpu.powerWatt = numberIn(cells[after + 6]);
    gpu.busId = textIn(cells[after + 7]);
    // A broken power or utilisation sensor does not hinder work; a lost device says so in every cell.
    for (qsizetype i = 0; i < cells.size() && gpu.usable; ++i) {
        const bool sensor = i >= after + 4 && i <= after + 6;
        const bool lost = cells[i].contains(QStringLiteral("lost"), Qt::CaseInsensitive) ||
                          cells[i].contains(QStringLiteral("reset"), Qt::CaseInsensitive);
        if (i != 0 && tellsOfSickness(cells[i]) && (!sensor || lost)) {
            gpu.usable = false;
            gpu.why = oneLine(QString(cells[i]).remove(u'[').remove(u']'));
        }
    }
    return row;
}

/// A line instead of rows: "Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error".
struct DeadGpu {
    QString busId;
    QString why;
};

std::optional<DeadGpu> parseDead(const QString& line) {
    static const QRegularExpression shape(
        QStringLiteral(
            "Unable to determine the device handle for GPU ?([0-9A-F]+:[0-9A-F]+(?::[0-9A-F.]+)?)"),
        QRegularExpression::CaseInsensitiveOption);
    const auto match = shape.match(line);
    return match.hasMatch() ? std::optional(DeadGpu{match.captured(1), oneLine(line)}) : std::nullopt;
}

QStringList linesOf(const QByteArray& bytes) {
    return QString::fromUtf8(bytes.left(1 << 20))
        .split(QRegularExpression(QStringLiteral("[\r\n]+")), Qt::SkipEmptyParts);
}

class Reader {
public:
    explicit Reader(const NvidiaSmiOutput& output) : m_output(output) {}

    NvidiaState read() {
        if (!m_output.present)
            return m_state;
        readQuery(m_output.query);
        for (const auto& [index, bytes] : m_output.single)
            readSingle(index, bytes);
        readList(m_output.listed);
        placeDead();
        readBanner();
        judge();
        return m_state;
    }

private:
    void add(Gpu gpu) {
        if (m_gpus.size() < gpuLimit && !m_gpus.contains(gpu.index))
            m_gpus.insert(gpu.index, std::move(gpu));
    }

    /// Keeps words that are no rows; true when the text held at least one row.
    bool readQuery(const QByteArray& bytes) {
        bool rows = false;
        for (const QString& line : linesOf(bytes)) {
            if (const auto row = parseRow(line)) {
                rows = true;
                add(row->gpu);
                if (m_state.driverVersion.isEmpty())
                    m_state.driverVersion = row->driverVersion;
            } else if (const auto dead = parseDead(line)) {
                m_dead.append(*dead);
            } else if (!line.startsWith(QStringLiteral("index,"))) {
                m_words.append(line);
            }
        }
        return rows;
    }

    void readSingle(int index, const QByteArray& bytes) {
        if (index < 0 || index >= gpuLimit || readQuery(bytes) || bytes.contains("No devices were found"))
            return;
        Gpu gpu;
        gpu.index = index;
        gpu.usable = false;
        gpu.why = oneLine(QString::fromUtf8(bytes.left(1024)));
        for (const QString& line : linesOf(bytes))
            if (const auto dead = parseDead(line)) {
                gpu.busId = dead->busId;
                gpu.why = dead->why;
            }
        if (gpu.why.isEmpty())
            gpu.why = QStringLiteral("nvidia-smi -i %1 says nothing").arg(index);
        add(gpu);
    }

    /// nvidia-smi -L: "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-…)"
    void readList(const QByteArray& bytes) {
        static const QRegularExpression shape(
            QStringLiteral("^GPU ([0-9]{1,3}): (.*?)(?: \\(UUID: ([^)]*)\\))?$"));
        for (const QString& line : linesOf(bytes)) {
            const auto match = shape.match(line);
            if (!match.hasMatch()) {
                if (const auto dead = parseDead(line))
                    m_dead.append(*dead);
                continue;
            }
            const int index = match.captured(1).toInt();
            if (!m_gpus.contains(index)) {
                Gpu gpu;
                gpu.index = index;
                gpu.usable = false;
                gpu.why = QStringLiteral("it is listed, and a query about it fails");
                add(gpu);
            }
            if (auto found = m_gpus.find(index); found != m_gpus.end()) {
                if (found->name.isEmpty())
                    found->name = oneLine(match.captured(2));
                if (found->uuid.isEmpty())
                    found->uuid = oneLine(match.captured(3));
            }
        }
    }

    /// A dead GPU that only its bus names takes the first index that no other GPU has.
    void placeDead() {
        for (const DeadGpu& dead : m_dead) {
            const auto sameBus = [&](const Gpu& gpu) {
                return gpu.busId.endsWith(dead.busId, Qt::CaseInsensitive) ||
                       (!gpu.busId.isEmpty() && dead.busId.endsWith(gpu.busId, Qt::CaseInsensitive));
            };
            if (const auto found = std::find_if(m_gpus.begin(), m_gpus.end(), sameBus);
                found != m_gpus.end()) {
                if (found->usable)
                    found->why = dead.why;
                found->usable = false;
                continue;
            }
            Gpu gpu;
            gpu.index = 0;
            while (m_gpus.contains(gpu.index))
                ++gpu.index;
            gpu.busId = dead.busId;
            gpu.usable = false;
            gpu.why = dead.why;
            add(gpu);
        }
    }

    void readBanner() {
        static const QRegularExpression cuda(QStringLiteral("CUDA Version: *([0-9]+\\.[0-9]+)"));
        static const QRegularExpression driver(QStringLiteral("Driver Version: *([0-9]+(?:\\.[0-9]+)+)"));
        const QString banner = QString::fromUtf8(m_output.banner.left(1 << 16));
        m_state.cudaVersion = cuda.match(banner).captured(1);
        if (m_state.driverVersion.isEmpty())
            m_state.driverVersion = driver.match(banner).captured(1);
    }

    void judge() {
        m_state.gpus = m_gpus.values();
        const auto dead = std::find_if(m_state.gpus.begin(), m_state.gpus.end(),
                                       [](const Gpu& gpu) { return !gpu.usable; });
        if (dead != m_state.gpus.end())
            m_state.observed = dead->why;
        else if (!m_words.isEmpty())
            m_state.observed = oneLine(m_words.mid(0, 2).join(QStringLiteral("; ")));
        using Kind = NvidiaState::Kind;
        const bool usable =
            std::any_of(m_state.gpus.begin(), m_state.gpus.end(), [](const Gpu& gpu) { return gpu.usable; });
        if (usable) {
            m_state.kind = Kind::Working;
        } else if (m_state.gpus.isEmpty() &&
                   m_state.observed.contains(QStringLiteral("No devices were found"))) {
            m_state.kind = Kind::NoGpus;
        } else {
            m_state.kind = Kind::Broken;
            if (m_state.observed.isEmpty())
                m_state.observed = QStringLiteral("nvidia-smi says nothing and ends with status %1")
                                       .arg(m_output.queryStatus);
        }
    }

    const NvidiaSmiOutput& m_output;
    NvidiaState m_state;
    QMap<int, Gpu> m_gpus;
    QList<DeadGpu> m_dead;
    QStringList m_words;
};

} // namespace

NvidiaState parseNvidiaSmi(const NvidiaSmiOutput& output) {
    return Reader(output).read();
}

std::optional<Gpu> parseGpuSample(const QByteArray& row) {
    const QStringList cells = cellsOf(QString::fromUtf8(row.left(1024)));
    const auto index = cells.size() == 6 ? indexIn(cells[0]) : std::nullopt;
    if (!index)
        return std::nullopt;
    Gpu gpu;
    gpu.index = *index;
    gpu.memoryUsedMib = wholeIn(cells[1]);
    gpu.memoryTotalMib = wholeIn(cells[2]);
    gpu.utilisationPercent = numberIn(cells[3]);
    gpu.temperatureCelsius = numberIn(cells[4]);
    gpu.powerWatt = numberIn(cells[5]);
    return gpu;
}

} // namespace coxswain::core
