// SPDX-License-Identifier: Apache-2.0
#include "trainer/dist/mpi.h"

#include "trainer/dist/errors.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>

namespace coxswain::trainer {
namespace {

/// Every MPI call goes through here: the error names call, rank and host.
void check(int status, const char* call, int rank = -1) {
    if (status == MPI_SUCCESS)
        return;
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(status, text.data(), &length);
    std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
    int hostLength = 0;
    MPI_Get_processor_name(host.data(), &hostLength);
    throw CommunicationError(std::string(call) + " failed" +
                             (rank >= 0 ? " on rank " + std::to_string(rank) : std::string()) + " (" +
                             host.data() + "): " + text.data());
}

MPI_Datatype mpiType(DataType type) {
    switch (type) {
    case DataType::Float32:
        return MPI_FLOAT;
    case DataType::Float64:
        return MPI_DOUBLE;
    case DataType::Int64:
        return MPI_INT64_T;
    case DataType::UInt8:
        return MPI_UINT8_T;
    default:
        throw CommunicationError("Open MPI 4.1 has no 16-bit floating point: reduce in fp32");
    }
}

MPI_Op mpiOp(Reduction reduction) {
    switch (reduction) {
    case Reduction::Sum:
        return MPI_SUM;
    case Reduction::Min:
        return MPI_MIN;
    case Reduction::Max:
        return MPI_MAX;
    }
    return MPI_SUM;
}

/// MPI counts are int: longer buffers go in pieces.
template <class Call>
void inPieces(Buffer buffer, Call&& call) {
    constexpr std::size_t most = std::size_t{1} << 28;
    char* data = static_cast<char*>(buffer.data);
    for (std::size_t left = buffer.count; left > 0;) {
        const std::size_t now = std::min(left, most);
        call(static_cast<void*>(data), static_cast<int>(now));
        data += now * sizeOf(buffer.type);
        left -= now;
    }
}

class Mpi : public Communicator {
public:
    Mpi(MPI_Comm comm, Watchdog& watchdog, std::chrono::milliseconds limit)
        : m_comm(comm), m_watchdog(watchdog), m_limit(limit) {
        check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
        check(MPI_Comm_rank(comm, &m_rank), "MPI_Comm_rank");
        check(MPI_Comm_size(comm, &m_worldSize), "MPI_Comm_size");
    }
    ~Mpi() override {
        int finalized = 0;
        MPI_Finalized(&finalized);
        // MPI_Comm_free is collective: after a failure the peers may not come.
        if (!finalized && std::uncaught_exceptions() == 0)
            MPI_Comm_free(&m_comm);
    }

    int rank() const override { return m_rank; }
    int worldSize() const override { return m_worldSize; }

    void allReduce(Buffer buffer, Reduction reduction) override {
        const Watchdog::Guard guard(m_watchdog, "MPI_Allreduce", m_limit);
        inPieces(buffer, [&](void* data, int count) {
            check(MPI_Allreduce(MPI_IN_PLACE, data, count, mpiType(buffer.type), mpiOp(reduction), m_comm),
                  "MPI_Allreduce", m_rank);
        });
    }

    void broadcast(Buffer buffer, int root) override {
        const Watchdog::Guard guard(m_watchdog, "MPI_Bcast", m_limit);
        const Buffer bytes{buffer.data, buffer.bytes(), DataType::UInt8};
        inPieces(bytes, [&](void* data, int count) {
            check(MPI_Bcast(data, count, MPI_BYTE, root, m_comm), "MPI_Bcast", m_rank);
        });
    }

    void allGather(Buffer mine, Buffer gathered) override {
        const Watchdog::Guard guard(m_watchdog, "MPI_Allgather", m_limit);
        if (mine.bytes() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
            throw CommunicationError("MPI_Allgather takes less than 2 GiB from each rank");
        const int bytes = static_cast<int>(mine.bytes());
        check(MPI_Allgather(mine.data, bytes, MPI_BYTE, gathered.data, bytes, MPI_BYTE, m_comm),
              "MPI_Allgather", m_rank);
    }

    void barrier(std::optional<std::chrono::milliseconds> limit) override {
        const Watchdog::Guard guard(m_watchdog, "MPI_Barrier", limit.value_or(m_limit));
        check(MPI_Barrier(m_comm), "MPI_Barrier", m_rank);
    }

    std::unique_ptr<Communicator> duplicate() override {
        const Watchdog::Guard guard(m_watchdog, "MPI_Comm_dup", m_limit);
        MPI_Comm copy = MPI_COMM_NULL;
        check(MPI_Comm_dup(m_comm, &copy), "MPI_Comm_dup", m_rank);
        return std::make_unique<Mpi>(copy, m_watchdog, m_limit);
    }

    void abort(int exitStatus) noexcept override { MpiSession::abortAll(exitStatus); }

private:
    MPI_Comm m_comm;
    Watchdog& m_watchdog;
    std::chrono::milliseconds m_limit;
    int m_rank = 0;
    int m_worldSize = 1;
};

} // namespace

MpiSession::MpiSession() : m_exceptions(std::uncaught_exceptions()) {
    int granted = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &granted), "MPI_Init_thread");
    if (granted < MPI_THREAD_MULTIPLE)
        throw CommunicationError("this MPI does not grant MPI_THREAD_MULTIPLE");
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
    m_host.assign(name.data(), static_cast<std::size_t>(length));
    MPI_Comm local = MPI_COMM_NULL;
    check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local),
          "MPI_Comm_split_type");
    check(MPI_Comm_rank(local, &m_localRank), "MPI_Comm_rank");
    check(MPI_Comm_size(local, &m_localSize), "MPI_Comm_size");
    check(MPI_Comm_free(&local), "MPI_Comm_free");
}

MpiSession::~MpiSession() {
    if (std::uncaught_exceptions() == m_exceptions)
        MPI_Finalize();
}

int MpiSession::rank() const {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int MpiSession::worldSize() const {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

int MpiSession::localRank() const {
    return m_localRank;
}

int MpiSession::localSize() const {
    return m_localSize;
}

void MpiSession::abortAll(int exitStatus) noexcept {
    MPI_Abort(MPI_COMM_WORLD, exitStatus);
}

std::unique_ptr<Communicator> MpiSession::world(Watchdog& watchdog, std::chrono::milliseconds limit) {
    MPI_Comm copy = MPI_COMM_NULL;
    const Watchdog::Guard guard(watchdog, "MPI_Comm_dup", limit);
    check(MPI_Comm_dup(MPI_COMM_WORLD, &copy), "MPI_Comm_dup");
    return std::make_unique<Mpi>(copy, watchdog, limit);
}

} // namespace coxswain::trainer
