// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/fixes.h"

#include <csignal>

namespace coxswain::core {
namespace {

struct Entry {
    const char* part; ///< of the text, upper and lower case alike
    const char* fix;
};

// The first that matches counts.
constexpr Entry entries[] = {
    // nvidia-smi and the kernel
    {"version mismatch",
     "The driver was upgraded under a running system: sudo reboot (or sudo rmmod nvidia_uvm nvidia_drm "
     "nvidia_modeset nvidia && sudo modprobe nvidia)"},
    {"couldn't communicate with the nvidia driver",
     "The kernel module is not loaded: sudo modprobe nvidia; where that fails, reinstall the driver for this "
     "kernel: "
     "sudo apt-get install --reinstall nvidia-driver linux-headers-$(uname -r)"},
    {"gpu is lost",
     "The GPU fell off its bus: sudo reboot; when it comes back, check power, cooling and the slot (sudo "
     "dmesg | grep -i xid)"},
    {"fallen off the bus",
     "The GPU fell off its bus: sudo reboot; when it comes back, check power, cooling and the slot "
     "(sudo dmesg | grep -i xid)"},
    {"requires reset", "sudo nvidia-smi --gpu-reset -i INDEX, or sudo reboot"},
    {"unable to determine the device handle", "The driver has lost the GPU: sudo dmesg | grep -iE "
                                              "'nvrm|xid', then sudo reboot; until then leave the GPU out"},
    {"insufficient permissions",
     "Let the user use the devices: ls -l /dev/nvidia*; sudo usermod -aG video $USER"},
    // CUDA and NCCL
    {"driver version is insufficient",
     "The driver is older than the runtime needs: install NVIDIA's driver 580 or newer, or "
     "set runtime to \"cpu\""},
    {"no socket interface found",
     "NCCL found no network interface of the name that it was given: compare `ip addr` on the "
     "nodes and check them again"},
    {"duplicate gpu detected", "Two ranks use one GPU: set ranks_per_node to 0 for one rank a GPU"},
    {"watchdog caught collective operation timeout",
     "A rank did not come to the collective: look for the one that wrote nothing, and for what it waits for"},
    {"nccl warn connect to",
     "A firewall or a wrong network is between the nodes: open all TCP ports within their subnet"},
    {"cuda out of memory", "Lower train.global_batch or train.sequence_length, or use more ranks"},
    // ssh between nodes
    {"remote host identification has changed",
     "The node is another one than when it was checked: check the nodes again"},
    {"has changed and you have requested strict",
     "The node is another one than when it was checked: check the nodes again"},
    {"host key is known for", "Check the nodes again, so that the node's present key is known"},
    {"host key verification failed", "Check the nodes again, so that the node's present key is known"},
    {"permission denied (",
     "The node's sshd did not take the job's key: see its log (sudo journalctl -u ssh), its "
     "AllowUsers and PubkeyAuthentication, and the owner and mode of ~ and ~/.ssh"},
    {"could not resolve hostname", "Name the node by its address"},
    {"connection refused", "No sshd listens on that port of the node: systemctl status ssh"},
    {"no route to host", "The first node cannot reach the other: compare `ip route` on both"},
    {"connection timed out",
     "The first node cannot reach the other: is its network up, and is the port open in its firewall?"},
    {"kex_exchange_identification",
     "The node's sshd refused the connection, perhaps for too many at once: raise MaxStartups in "
     "sshd_config"},
    // Open MPI and what it starts
    {"orted: command not found",
     "The node started another login program than the job's key asks for: check the nodes again"},
    {"not enough slots available", "More ranks were asked for than the plan has: please report this"},
    {"out-of-resource", "A folder that Open MPI writes to is full: df -h /tmp /dev/shm"},
    {"vader_segment",
     "Shared memory is too small: sudo mount -o remount,size=1G /dev/shm (in Docker: --shm-size=1g)"},
    {"no space left on device", "The disk is full: df -h"},
    {"disk quota exceeded", "The disk quota is used up: quota -s"},
    {"error while loading shared libraries",
     "The runtime on the node is damaged: coxswain-cli nodes clean NODE, then run again"},
    {"or execute an executable",
     "The node's files are damaged: coxswain-cli nodes clean NODE, then run again"},
    {"cannot execute", "The node's files are damaged: coxswain-cli nodes clean NODE, then run again"},
    {"unable to complete a tcp connection",
     "A firewall is between the nodes: open all TCP ports within their subnet"},
    {"lost communication with a remote daemon",
     "Is the node up, and its cable in? ping it from the first node; then run again, or leave it out"},
    {"closed by remote host",
     "The node ended the connection: is it up? uptime tells whether it has rebooted"},
};

} // namespace

QString knownFix(const QString& text) {
    for (const Entry& entry : entries)
        if (text.contains(QLatin1StringView(entry.part), Qt::CaseInsensitive))
            return QString::fromLatin1(entry.fix);
    return {};
}

QString fixForExit(wire::ExitCode code) {
    using Code = wire::ExitCode;
    switch (code) {
    case Code::OutOfMemory:
        return QStringLiteral(
            "Lower train.global_batch or train.sequence_length, use more ranks, or see what else uses "
            "the memory: free -h; nvidia-smi");
    case Code::Disk:
        return QStringLiteral("Free some space, or see who may write there: df -h; ls -ld ~/.coxswain");
    case Code::NoDevice:
        return QStringLiteral("Check the node's GPUs: nvidia-smi; or set runtime to \"cpu\"");
    case Code::NonFinite:
        return QStringLiteral("Lower train.learning_rate, or set train.clip_norm to 1");
    case Code::Mismatch:
        return QStringLiteral("Run again: everything is sent anew where it differs");
    case Code::Deadline:
        return QStringLiteral(
            "A rank did not come to a collective: see whether its node is up and what it does; raise "
            "deadlines.collective_seconds where steps may take so long");
    default:
        return {};
    }
}

QString fixForSignal(int signal) {
    switch (signal) {
    case SIGKILL:
        return QStringLiteral(
            "Somebody killed it, or the kernel when memory ran out: sudo dmesg | grep -i 'killed process'");
    case SIGBUS:
        return QStringLiteral("Shared memory or a disk is full: df -h /dev/shm /tmp");
    case SIGILL:
        return QStringLiteral(
            "The node's processor lacks instructions that the runtime uses: grep -m1 flags /proc/cpuinfo");
    case SIGTERM:
        return QStringLiteral(
            "Somebody ended it, or the system when a session closed: loginctl show-user $USER | grep Linger");
    default:
        return {};
    }
}

} // namespace coxswain::core
