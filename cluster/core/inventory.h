// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/error.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>

namespace coxswain::core {

/// One GPU as nvidia-smi reports it. A value that it does not give ([N/A], no permission) is absent.
struct Gpu {
    int index = -1;
    QString uuid;
    QString name;
    QString busId;
    std::optional<qint64> memoryTotalMib;
    std::optional<qint64> memoryFreeMib;
    std::optional<qint64> memoryUsedMib;
    std::optional<double> utilisationPercent;
    std::optional<double> temperatureCelsius;
    std::optional<double> powerWatt;
    bool usable = true;
    QString why; ///< what nvidia-smi says where it is not usable

    bool operator==(const Gpu&) const = default;
};

/// What nvidia-smi says about a node as a whole.
struct NvidiaState {
    enum class Kind {
        Absent,  ///< no nvidia-smi on the node
        Working, ///< at least one usable GPU
        NoGpus,  ///< the driver works and finds no device
        Broken,  ///< the driver or every GPU fails; `observed` says how
    };
    Kind kind = Kind::Absent;
    QString observed;      ///< its own words, one line
    QString driverVersion; ///< "580.65.06"; empty when unknown
    QString cudaVersion;   ///< highest CUDA that the driver supports, "13.0"; empty when unknown
    QList<Gpu> gpus;
};

struct NetworkInterface {
    QString name;
    QString address; ///< IPv4 or IPv6
    int prefixLength = 0;
    QString mac;
    int mtu = 0;
    bool up = false;
    bool loopback = false;
    bool operator==(const NetworkInterface&) const = default;
};

/// The facts about one node. Absent or empty means that the node did not tell.
struct Inventory {
    QString hostName;
    QString user;
    QString home;
    QString base;         ///< where Coxswain keeps its files there
    QString architecture; ///< "x86_64"
    QString kernel;
    QString os; ///< "Debian GNU/Linux 12 (bookworm)"
    QString glibc;
    QString cpuModel;
    int cores = 0;                                      ///< that this user may run on
    std::optional<qint64> memoryTotal, memoryAvailable; ///< bytes
    std::optional<qint64> diskFree, diskTotal;          ///< bytes, at base
    std::optional<qint64> sharedMemoryTotal;            ///< bytes, /dev/shm
    QList<NetworkInterface> interfaces;
    NvidiaState nvidia;
    QString cudaToolkit; ///< version of nvcc on the node, information only
    QString nccl;        ///< version of a system NCCL, information only
    QString sshClient;   ///< "OpenSSH_9.2p1 …"; empty: no ssh program there
};

/// Reads an agent's answer to "probe". The bytes come from a node and are not trusted: anything odd is left
/// out.
Expected<Inventory> parseInventory(const QByteArray& probeAnswer);

/// nvidia-smi's texts; every state in shared/field/outputs.md. `listed` is the output of `nvidia-smi -L` and
/// `single` maps an index to the output of the same query with -i, both only asked when `query` failed.
struct NvidiaSmiOutput {
    bool present = false;
    int queryStatus = 0;
    QByteArray query;
    QByteArray banner; ///< plain nvidia-smi, for the CUDA version
    QByteArray listed;
    QList<std::pair<int, QByteArray>> single;
};
NvidiaState parseNvidiaSmi(const NvidiaSmiOutput& output);

/// One row of wire::NodeLine::gpus (fields as in wire::gpuSampleFields); nothing for a row that is not one.
std::optional<Gpu> parseGpuSample(const QByteArray& row);

} // namespace coxswain::core
