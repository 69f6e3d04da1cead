// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace coxswain::trainer {

enum class DataType { Float32, Float64, BFloat16, Float16, Int64, UInt8 };
enum class Reduction { Sum, Min, Max };

std::size_t sizeOf(DataType type);

/// `count` contiguous elements in the memory of the communicator's device.
struct Buffer {
    void* data = nullptr;
    std::size_t count = 0;
    DataType type = DataType::Float32;

    std::size_t bytes() const { return count * sizeOf(type); }
};

inline Buffer bufferOf(double& value) {
    return {&value, 1, DataType::Float64};
}
inline Buffer bufferOf(std::int64_t& value) {
    return {&value, 1, DataType::Int64};
}

/// Collectives between the ranks of a job. Every rank makes the same calls in the same order, from one
/// thread; a second thread needs a duplicate(). Calls block until the result is in the buffer: to overlap
/// communication with backward, give a thread of its own a duplicate() and hand buckets to it. Failures throw
/// CommunicationError, or DeadlineError when a peer did not come in time (dist/errors.h); after either, the
/// communicator may only be destroyed.
class Communicator {
public:
    virtual ~Communicator() = default;

    virtual int rank() const = 0;
    virtual int worldSize() const = 0;

    /// In place: afterwards every rank holds the reduction of all ranks' buffers, bit for bit the same.
    virtual void allReduce(Buffer buffer, Reduction reduction) = 0;
    virtual void broadcast(Buffer buffer, int root) = 0;
    /// `gathered` holds worldSize × mine.count elements, in the order of ranks.
    virtual void allGather(Buffer mine, Buffer gathered) = 0;
    /// `limit` replaces the communicator's own deadline where one rank legitimately takes long (a
    /// checkpoint).
    virtual void barrier(std::optional<std::chrono::milliseconds> limit = std::nullopt) = 0;

    /// A communicator over the same ranks for another thread. Collective.
    virtual std::unique_ptr<Communicator> duplicate() = 0;

    /// Ends the job of every rank as soon as possible; may not return. Legal from any thread, at any time.
    virtual void abort(int exitStatus) noexcept = 0;
};

} // namespace coxswain::trainer
