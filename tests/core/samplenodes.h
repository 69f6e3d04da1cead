// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/plan.h"

/// Nodes for tests of rules and plans.
namespace coxswain::core::samples {

inline Gpu goodGpu(int index) {
    Gpu gpu;
    gpu.index = index;
    gpu.name = QStringLiteral("NVIDIA GeForce RTX 4090");
    gpu.memoryTotalMib = 24564;
    gpu.memoryFreeMib = 24000;
    return gpu;
}

/// A healthy Debian 12 node number `n`, with `gpus` GPUs, 16 cores, and 10.0.0.n/24.
inline Inventory healthyNode(int n, int gpus = 0) {
    Inventory node;
    node.hostName = QStringLiteral("node%1").arg(n);
    node.user = QStringLiteral("root");
    node.home = QStringLiteral("/root");
    node.base = QStringLiteral("/root/.coxswain");
    node.architecture = QStringLiteral("x86_64");
    node.kernel = QStringLiteral("6.1.0-28-amd64");
    node.os = QStringLiteral("Debian GNU/Linux 12 (bookworm)");
    node.glibc = QStringLiteral("2.36");
    node.cores = 16;
    node.memoryTotal = qint64(64) << 30;
    node.memoryAvailable = qint64(60) << 30;
    node.diskFree = qint64(100) << 30;
    node.diskTotal = qint64(500) << 30;
    node.sharedMemoryTotal = qint64(32) << 30;
    node.sshClient = QStringLiteral("OpenSSH_9.2p1 Debian-2+deb12u5");
    node.interfaces = {
        {QStringLiteral("lo"), QStringLiteral("127.0.0.1"), 8, {}, 65536, true, true},
        {QStringLiteral("eth0"), QStringLiteral("10.0.0.%1").arg(n), 24, {}, 1500, true, false}};
    if (gpus > 0) {
        node.nvidia.kind = NvidiaState::Kind::Working;
        node.nvidia.driverVersion = QStringLiteral("580.65.06");
        node.nvidia.cudaVersion = QStringLiteral("13.0");
        for (int index = 0; index < gpus; ++index)
            node.nvidia.gpus.append(goodGpu(index));
    }
    return node;
}

inline QList<Candidate> candidates(const QList<Inventory>& inventories) {
    QList<Candidate> list;
    for (const Inventory& inventory : inventories)
        list.append({{{}, inventory.hostName, 0}, inventory});
    return list;
}

/// A small Qwen2-shaped decoder from scratch.
inline wire::JobSpec smallJob() {
    wire::JobSpec spec;
    spec.name = "sample";
    spec.model.config = {{"model_type", "qwen2"},    {"vocab_size", 256},      {"hidden_size", 64},
                         {"intermediate_size", 192}, {"num_hidden_layers", 2}, {"num_attention_heads", 4},
                         {"num_key_value_heads", 2}};
    spec.data.source = {wire::Input::At::Desktop, "verses.txt"};
    return spec;
}

} // namespace coxswain::core::samples
