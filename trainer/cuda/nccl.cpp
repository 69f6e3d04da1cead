// SPDX-License-Identifier: Apache-2.0
#include "trainer/cuda/nccl.h"

#include "trainer/cuda/check.h"

#include <nccl.h>

#include <atomic>
#include <exception>
#include <thread>
#include <utility>

namespace coxswain::trainer {
namespace {

using Clock = std::chrono::steady_clock;

ncclDataType_t ncclType(DataType type) {
    switch (type) {
    case DataType::Float32:
        return ncclFloat32;
    case DataType::Float64:
        return ncclFloat64;
    case DataType::BFloat16:
        return ncclBfloat16;
    case DataType::Float16:
        return ncclFloat16;
    case DataType::Int64:
        return ncclInt64;
    case DataType::UInt8:
        return ncclUint8;
    }
    return ncclUint8;
}

ncclRedOp_t ncclOp(Reduction reduction) {
    switch (reduction) {
    case Reduction::Sum:
        return ncclSum;
    case Reduction::Min:
        return ncclMin;
    case Reduction::Max:
        return ncclMax;
    }
    return ncclSum;
}

class Nccl : public Communicator {
public:
    Nccl(const ncclUniqueId& id, int rank, int worldSize, std::chrono::milliseconds limit)
        : m_rank(rank), m_worldSize(worldSize), m_limit(limit) {
        checkCuda(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0; // so that a start-up that hangs can be aborted
        const auto deadline = Clock::now() + limit;
        ncclComm_t comm = nullptr;
        const auto status = ncclCommInitRankConfig(&comm, worldSize, id, rank, &config);
        m_comm = comm;
        check(status, "ncclCommInitRankConfig");
        finish("ncclCommInitRankConfig", deadline);
    }
    Nccl(ncclComm_t comm, int rank, int worldSize, std::chrono::milliseconds limit)
        : m_comm(comm), m_rank(rank), m_worldSize(worldSize), m_limit(limit) {
        checkCuda(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    }
    ~Nccl() override {
        close();
        if (m_stream)
            cudaStreamDestroy(m_stream);
    }

    int rank() const override { return m_rank; }
    int worldSize() const override { return m_worldSize; }

    void allReduce(Buffer b, Reduction reduction) override {
        collective("ncclAllReduce", [&] {
            return ncclAllReduce(b.data, b.data, b.count, ncclType(b.type), ncclOp(reduction), m_comm,
                                 m_stream);
        });
    }
    void broadcast(Buffer b, int root) override {
        collective("ncclBroadcast", [&] {
            return ncclBroadcast(b.data, b.data, b.count, ncclType(b.type), root, m_comm, m_stream);
        });
    }
    void allGather(Buffer mine, Buffer gathered) override {
        collective("ncclAllGather", [&] {
            return ncclAllGather(mine.data, gathered.data, mine.count, ncclType(mine.type), m_comm, m_stream);
        });
    }
    void barrier(std::optional<std::chrono::milliseconds> limit) override {
        const auto usual = std::exchange(m_limit, limit.value_or(m_limit));
        void* one = nullptr;
        checkCuda(cudaMallocAsync(&one, sizeof(float), m_stream), "cudaMallocAsync");
        allReduce({one, 1, DataType::Float32}, Reduction::Max);
        checkCuda(cudaFreeAsync(one, m_stream), "cudaFreeAsync");
        m_limit = usual;
    }

    std::unique_ptr<Communicator> duplicate() override {
        ncclComm_t copy = nullptr;
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0;
        const auto deadline = Clock::now() + m_limit;
        check(ncclCommSplit(m_comm, 0, m_rank, &copy, &config), "ncclCommSplit");
        finish("ncclCommSplit", deadline); // `copy` is set when the parent is done
        return std::make_unique<Nccl>(copy, m_rank, m_worldSize, m_limit);
    }

    void abort(int) noexcept override {
        if (ncclComm_t comm = m_comm.exchange(nullptr))
            ncclCommAbort(comm);
    }

private:
    /// Every NCCL call goes through here: the error names call, rank and NCCL's own account.
    void check(ncclResult_t status, const char* call) const {
        if (status == ncclSuccess || status == ncclInProgress)
            return;
        throw CommunicationError(std::string(call) + " failed on rank " + std::to_string(m_rank) + ": " +
                                 ncclGetErrorString(status) + ": " + ncclGetLastError(m_comm));
    }

    /// In order where all went well, so that what peers still read from this rank reaches them. After a
    /// failure the peers may be gone, and an orderly end would wait for them.
    void close() noexcept {
        const auto deadline = Clock::now() + m_limit;
        ncclComm_t comm = m_comm.exchange(nullptr);
        if (!comm)
            return;
        ncclResult_t state = std::uncaught_exceptions() > 0 ? ncclSystemError : ncclCommFinalize(comm);
        while (state == ncclInProgress && Clock::now() < deadline) {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            if (const auto status = ncclCommGetAsyncError(comm, &state); status != ncclSuccess)
                state = status;
        }
        if (state == ncclSuccess)
            ncclCommDestroy(comm);
        else
            ncclCommAbort(comm);
    }

    /// Waits until a non-blocking call has been taken by the communicator.
    void finish(const char* call, Clock::time_point deadline) {
        ncclResult_t state = ncclInProgress;
        while (true) {
            check(ncclCommGetAsyncError(m_comm, &state), call);
            check(state, call);
            if (state == ncclSuccess)
                return;
            expireAfter(deadline, call);
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    }

    template <class Call>
    void collective(const char* name, Call&& call) {
        const auto deadline = Clock::now() + m_limit;
        // The default stream's work made the buffer: this stream begins when that is done.
        checkCuda(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
        check(call(), name);
        finish(name, deadline);
        for (cudaError_t state = cudaErrorNotReady; (state = cudaStreamQuery(m_stream)) != cudaSuccess;) {
            if (state != cudaErrorNotReady)
                checkCuda(state, name);
            ncclResult_t error = ncclSuccess;
            check(ncclCommGetAsyncError(m_comm, &error), name);
            check(error, name);
            expireAfter(deadline, name);
            std::this_thread::yield();
        }
    }

    void expireAfter(Clock::time_point deadline, const char* call) {
        if (Clock::now() < deadline)
            return;
        abort(0);
        throw DeadlineError(std::string(call) + " on rank " + std::to_string(m_rank) +
                            " did not finish within " + std::to_string(m_limit.count() / 1000) +
                            " s: another rank hangs or cannot be reached");
    }

    std::atomic<ncclComm_t> m_comm{nullptr}; ///< null once aborted, which any thread may do
    cudaStream_t m_stream = nullptr;
    int m_rank;
    int m_worldSize;
    std::chrono::milliseconds m_limit;
};

} // namespace

std::unique_ptr<Communicator> makeNcclCommunicator(Communicator& bootstrap, std::chrono::milliseconds limit) {
    ncclUniqueId id{};
    if (bootstrap.rank() == 0) {
        const auto status = ncclGetUniqueId(&id);
        if (status != ncclSuccess)
            throw CommunicationError(std::string("ncclGetUniqueId failed: ") + ncclGetErrorString(status));
    }
    bootstrap.broadcast({&id, sizeof id, DataType::UInt8}, 0);
    return std::make_unique<Nccl>(id, bootstrap.rank(), bootstrap.worldSize(), limit);
}

} // namespace coxswain::trainer
