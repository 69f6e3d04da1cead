// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runpage/nodeprogressmodel.h"

#include "ui/format.h"
#include "ui/nodefacts.h"
#include "ui/runtexts.h"

#include <QApplication>
#include <QStyleOptionProgressBar>

#include <algorithm>

namespace coxswain::ui {
namespace {

QString amountText(const job::NodeProgress& node) {
    if (node.bytesTotal <= 0)
        return {};
    const QString amount =
        QCoreApplication::translate("NodeProgress", "%1 of %2")
            .arg(format::bytes(double(node.bytesDone)), format::bytes(double(node.bytesTotal)));
    if (node.bytesDone >= node.bytesTotal || node.bytesPerSecond <= 0)
        return amount;
    const double left = double(node.bytesTotal - node.bytesDone) / node.bytesPerSecond;
    return QCoreApplication::translate("NodeProgress", "%1 · %2 · %3 left")
        .arg(amount, format::bytesPerSecond(node.bytesPerSecond), format::duration(left));
}

} // namespace

NodeProgressModel::NodeProgressModel(QObject* parent) : QAbstractTableModel(parent) {}

void NodeProgressModel::setNodes(const QList<job::NodeProgress>& nodes) {
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

int NodeProgressModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_nodes.size());
}

int NodeProgressModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant NodeProgressModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= m_nodes.size())
        return {};
    const auto& node = m_nodes[index.row()];
    if (index.column() == Progress && node.bytesTotal > 0) {
        const int permille =
            int(std::clamp<double>(1000.0 * double(node.bytesDone) / double(node.bytesTotal), 0, 1000));
        if (role == permilleRole)
            return permille;
        if (role == Qt::AccessibleTextRole)
            return tr("%1 %").arg(permille / 10);
    }
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    switch (index.column()) {
    case Name:
        return nodefacts::displayName(node.host);
    case Link:
        return runtexts::linkText(node.link);
    case Amount:
        return amountText(node);
    case Note:
        return node.note;
    default:
        return {};
    }
}

QVariant NodeProgressModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return QAbstractTableModel::headerData(section, orientation, role);
    switch (section) {
    case Name:
        return tr("Node");
    case Link:
        return tr("Connection");
    case Progress:
        return tr("Files");
    case Amount:
        return tr("Sent");
    case Note:
        return tr("What it is doing");
    default:
        return {};
    }
}

void ProgressDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant permille = index.data(NodeProgressModel::permilleRole);
    if (!permille.isValid())
        return;
    QStyleOptionProgressBar bar;
    bar.rect = option.rect.adjusted(4, 4, -4, -4);
    bar.palette = option.palette;
    bar.state = option.state | QStyle::State_Horizontal;
    bar.minimum = 0;
    bar.maximum = 1000;
    bar.progress = permille.toInt();
    bar.text = QStringLiteral("%1 %").arg(permille.toInt() / 10);
    bar.textVisible = true;
    bar.textAlignment = Qt::AlignCenter;
    QApplication::style()->drawControl(QStyle::CE_ProgressBar, &bar, painter);
}

} // namespace coxswain::ui
