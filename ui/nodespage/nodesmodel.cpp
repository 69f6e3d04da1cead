// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodespage/nodesmodel.h"

#include "ui/format.h"
#include "ui/nodefacts.h"
#include "ui/theme.h"
#include "ui/widgets/icons.h"

#include <algorithm>

namespace coxswain::ui {
namespace {

constexpr double mebibyte = 1024.0 * 1024.0;

QString optionalBytes(const std::optional<qint64>& bytes) {
    return bytes ? format::bytes(double(*bytes)) : QString();
}

} // namespace

NodesModel::NodesModel(const Theme& theme, QObject* parent) : QAbstractTableModel(parent), m_theme(theme) {
    connect(&theme, &Theme::changed, this, [this] {
        if (!m_nodes.isEmpty())
            emit dataChanged(index(0, State), index(int(m_nodes.size()) - 1, State), {Qt::DecorationRole});
    });
}

void NodesModel::setNodes(const QList<job::NodeStatus>& nodes) {
    const bool same = std::equal(nodes.begin(), nodes.end(), m_nodes.begin(), m_nodes.end(),
                                 [](const auto& a, const auto& b) { return a.host == b.host; });
    if (!same)
        beginResetModel();
    m_nodes = nodes;
    if (!same)
        endResetModel();
    else if (!nodes.isEmpty())
        emit dataChanged(index(0, 0), index(int(nodes.size()) - 1, ColumnCount - 1));
}

int NodesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_nodes.size());
}

int NodesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant NodesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= m_nodes.size())
        return {};
    const auto& node = m_nodes[index.row()];
    switch (role) {
    case Qt::DisplayRole: {
        const QString shown = text(node, index.column());
        return shown.isEmpty() ? QStringLiteral("–") : shown;
    }
    case Qt::DecorationRole:
        if (index.column() == State) {
            const auto severity = nodefacts::stateSeverity(node);
            return icons::severityIcon(severity, m_theme.colours().of(severity));
        }
        return {};
    case Qt::ToolTipRole:
        return toolTip(node, index.column());
    case Qt::TextAlignmentRole:
        return index.column() >= Cores && index.column() <= Disk ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                                                 : QVariant();
    case sortRole:
        return sortKey(node, index.column());
    default:
        return {};
    }
}

QVariant NodesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return QAbstractTableModel::headerData(section, orientation, role);
    switch (section) {
    case State:
        return tr("State");
    case Name:
        return tr("Name");
    case Address:
        return tr("Address");
    case Gpus:
        return tr("GPUs");
    case GpuMemory:
        return tr("GPU memory free");
    case Driver:
        return tr("Driver");
    case Cuda:
        return tr("CUDA");
    case Nccl:
        return tr("NCCL");
    case Cores:
        return tr("Cores");
    case Memory:
        return tr("Memory");
    case Disk:
        return tr("Free disk");
    case Problems:
        return tr("Problems");
    default:
        return {};
    }
}

QString NodesModel::text(const job::NodeStatus& node, int column) const {
    if (column == State)
        return nodefacts::stateText(node);
    if (column == Name)
        return nodefacts::displayName(node.host);
    if (column == Problems) {
        if (node.error)
            return node.error->seen;
        const auto lines = nodefacts::problemLines(node);
        return node.inventory && lines.isEmpty() ? tr("none") : lines.join(QStringLiteral("; "));
    }
    if (!node.inventory)
        return {};
    const core::Inventory& facts = *node.inventory;
    switch (column) {
    case Address:
        return nodefacts::address(facts);
    case Gpus:
        return nodefacts::gpus(facts);
    case GpuMemory: {
        const auto memory = nodefacts::gpuMemory(facts);
        return memory ? tr("%1 of %2")
                            .arg(format::bytes(double(memory->freeMib) * mebibyte),
                                 format::bytes(double(memory->totalMib) * mebibyte))
                      : QString();
    }
    case Driver:
        return facts.nvidia.driverVersion;
    case Cuda:
        return facts.nvidia.cudaVersion;
    case Nccl:
        return facts.nccl;
    case Cores:
        return facts.cores > 0 ? QString::number(facts.cores) : QString();
    case Memory:
        return optionalBytes(facts.memoryTotal);
    case Disk:
        return optionalBytes(facts.diskFree);
    default:
        return {};
    }
}

QVariant NodesModel::sortKey(const job::NodeStatus& node, int column) const {
    const auto number = [](const std::optional<qint64>& value) {
        return value ? QVariant(*value) : QVariant();
    };
    if (column == Problems)
        return nodefacts::problems(node);
    if (node.inventory && column == GpuMemory) {
        const auto memory = nodefacts::gpuMemory(*node.inventory);
        return memory ? QVariant(memory->freeMib) : QVariant();
    }
    if (node.inventory && column == Cores)
        return node.inventory->cores;
    if (node.inventory && column == Memory)
        return number(node.inventory->memoryTotal);
    if (node.inventory && column == Disk)
        return number(node.inventory->diskFree);
    return text(node, column);
}

QString NodesModel::toolTip(const job::NodeStatus& node, int column) const {
    if (column == State && node.checkedAt.isValid())
        return tr("Checked %1").arg(format::instant(node.checkedAt));
    if (column == Problems && node.error)
        return node.error->text();
    if (column == Problems)
        return nodefacts::problemLines(node).join(QLatin1Char('\n'));
    if (column == Nccl)
        return tr("NCCL on the node, for your information: the runtime brings its own");
    if (column == Cuda)
        return tr("The highest CUDA version that the driver supports");
    if (column == Address && node.inventory) {
        QStringList all;
        for (const auto& interface : node.inventory->interfaces)
            if (!interface.loopback)
                all.append(QStringLiteral("%1: %2/%3")
                               .arg(interface.name, interface.address)
                               .arg(interface.prefixLength));
        return all.join(QLatin1Char('\n'));
    }
    return text(node, column);
}

} // namespace coxswain::ui
