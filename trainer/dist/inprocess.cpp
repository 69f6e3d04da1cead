// SPDX-License-Identifier: Apache-2.0
#include "trainer/dist/inprocess.h"

#include "trainer/dist/errors.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace coxswain::trainer {
namespace {

/// What the threads share. A collective is two meetings: at the first every rank has shown its buffer, at the
/// second every rank has read what it needs.
class World {
public:
    World(int size, std::chrono::milliseconds deadline)
        : m_buffers(static_cast<std::size_t>(size)), m_size(size), m_deadline(deadline) {}

    int size() const { return m_size; }
    std::chrono::milliseconds deadline() const { return m_deadline; }
    Buffer& buffer(int rank) { return m_buffers[static_cast<std::size_t>(rank)]; }

    enum class Then { Go, Read };

    /// Returns when all ranks have come. After Then::Read each rank owes a Reading.
    void meet(int rank, const char* call, std::chrono::milliseconds deadline, Then then = Then::Go) {
        std::unique_lock lock(m_mutex);
        throwIfBroken(lock, rank, call);
        const auto round = m_round;
        if (++m_arrived == m_size) {
            m_arrived = 0;
            m_reading = then == Then::Read ? m_size : 0;
            ++m_round;
            m_changed.notify_all();
            return;
        }
        const bool inTime = m_changed.wait_for(lock, deadline, [&] { return m_round != round || m_broken; });
        if (m_round != round)
            return;
        if (!inTime)
            breakDown("a rank did not come in time", true);
        throwIfBroken(lock, rank, call);
    }

    /// While it lives, no rank leaves the collective, not even by an exception: its buffer is being read.
    class Reading {
    public:
        explicit Reading(World& world) : m_world(world) {}
        ~Reading() {
            const std::lock_guard lock(m_world.m_mutex);
            if (--m_world.m_reading == 0)
                m_world.m_changed.notify_all();
        }
        Reading(const Reading&) = delete;
        Reading& operator=(const Reading&) = delete;

    private:
        World& m_world;
    };

    void breakDown(const std::string& reason) {
        const std::lock_guard lock(m_mutex);
        breakDown(reason, false);
    }

    /// Set by the last rank that arrives at duplicate().
    std::shared_ptr<World> child;
    std::mutex childMutex;

private:
    void breakDown(const std::string& reason, bool late) {
        if (m_broken)
            return;
        m_broken = true;
        m_late = late;
        m_reason = reason;
        m_changed.notify_all();
    }

    void throwIfBroken(std::unique_lock<std::mutex>& lock, int rank, const char* call) {
        if (!m_broken)
            return;
        m_changed.wait(lock, [&] { return m_reading == 0; });
        const std::string text = "rank " + std::to_string(rank) + ": " + call + ": " + m_reason;
        if (m_late)
            throw DeadlineError(text);
        throw CommunicationError(text);
    }

    std::vector<Buffer> m_buffers;
    const int m_size;
    const std::chrono::milliseconds m_deadline;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    int m_arrived = 0;
    int m_reading = 0; ///< ranks that may still read the others' buffers
    std::uint64_t m_round = 0;
    bool m_broken = false;
    bool m_late = false;
    std::string m_reason;
};

template <class T>
T reduceTwo(T a, T b, Reduction reduction) {
    switch (reduction) {
    case Reduction::Sum:
        return a + b;
    case Reduction::Min:
        return std::min(a, b);
    case Reduction::Max:
        return std::max(a, b);
    }
    return a;
}

template <class T>
void reduceAll(World& world, std::vector<char>& result, std::size_t count, Reduction reduction) {
    result.resize(count * sizeof(T));
    T* out = reinterpret_cast<T*>(result.data());
    std::copy_n(static_cast<const char*>(world.buffer(0).data), result.size(), result.data());
    for (int r = 1; r < world.size(); ++r) {
        const T* in = static_cast<const T*>(world.buffer(r).data);
        for (std::size_t i = 0; i < count; ++i)
            out[i] = reduceTwo(out[i], in[i], reduction);
    }
}

class InProcess : public Communicator {
public:
    InProcess(std::shared_ptr<World> world, int rank) : m_world(std::move(world)), m_rank(rank) {}
    ~InProcess() override { m_world->breakDown("rank " + std::to_string(m_rank) + " has gone"); }

    int rank() const override { return m_rank; }
    int worldSize() const override { return m_world->size(); }

    void allReduce(Buffer buffer, Reduction reduction) override {
        std::vector<char> result;
        collective("allReduce", buffer, [&] {
            switch (buffer.type) {
            case DataType::Float32:
                return reduceAll<float>(*m_world, result, buffer.count, reduction);
            case DataType::Float64:
                return reduceAll<double>(*m_world, result, buffer.count, reduction);
            case DataType::Int64:
                return reduceAll<std::int64_t>(*m_world, result, buffer.count, reduction);
            case DataType::UInt8:
                return reduceAll<std::uint8_t>(*m_world, result, buffer.count, reduction);
            default:
                throw CommunicationError("allReduce in this process knows no 16-bit floating point");
            }
        });
        std::copy(result.begin(), result.end(), static_cast<char*>(buffer.data));
    }

    void broadcast(Buffer buffer, int root) override {
        collective("broadcast", buffer, [&] {
            if (m_rank != root)
                copy(m_world->buffer(root), static_cast<char*>(buffer.data));
        });
    }

    void allGather(Buffer mine, Buffer gathered) override {
        collective("allGather", mine, [&] {
            char* out = static_cast<char*>(gathered.data);
            for (int r = 0; r < worldSize(); ++r)
                out = copy(m_world->buffer(r), out);
        });
    }

    void barrier(std::optional<std::chrono::milliseconds> limit) override {
        m_world->meet(m_rank, "barrier", limit.value_or(m_world->deadline()));
    }

    std::unique_ptr<Communicator> duplicate() override {
        m_world->meet(m_rank, "duplicate", m_world->deadline());
        std::shared_ptr<World> child;
        {
            const std::lock_guard lock(m_world->childMutex);
            if (!m_world->child)
                m_world->child = std::make_shared<World>(m_world->size(), m_world->deadline());
            child = m_world->child;
        }
        m_world->meet(m_rank, "duplicate", m_world->deadline());
        if (m_rank == 0) {
            const std::lock_guard lock(m_world->childMutex);
            m_world->child.reset();
        }
        m_world->meet(m_rank, "duplicate", m_world->deadline());
        return std::make_unique<InProcess>(std::move(child), m_rank);
    }

    void abort(int exitStatus) noexcept override {
        m_world->breakDown("rank " + std::to_string(m_rank) + " aborted with status " +
                           std::to_string(exitStatus));
    }

private:
    /// Shows this rank's buffer to the others, then read()s theirs.
    template <class Read>
    void collective(const char* call, Buffer buffer, Read&& read) {
        m_world->buffer(m_rank) = buffer;
        m_world->meet(m_rank, call, m_world->deadline(), World::Then::Read);
        {
            const World::Reading reading(*m_world);
            requireSame(call, buffer);
            read();
        }
        m_world->meet(m_rank, call, m_world->deadline());
    }

    void requireSame(const char* call, Buffer mine) const {
        for (int r = 0; r < worldSize(); ++r) {
            const Buffer& other = m_world->buffer(r);
            if (other.count != mine.count || other.type != mine.type)
                throw CommunicationError(std::string(call) + ": rank " + std::to_string(r) + " brought " +
                                         std::to_string(other.count) + " elements, rank " +
                                         std::to_string(m_rank) + " " + std::to_string(mine.count));
        }
    }

    static char* copy(Buffer from, char* to) {
        return std::copy_n(static_cast<const char*>(from.data), from.bytes(), to);
    }

    std::shared_ptr<World> m_world;
    const int m_rank;
};

} // namespace

std::vector<std::unique_ptr<Communicator>> makeInProcessWorld(int worldSize,
                                                              std::chrono::milliseconds deadline) {
    auto world = std::make_shared<World>(worldSize, deadline);
    std::vector<std::unique_ptr<Communicator>> ranks;
    for (int rank = 0; rank < worldSize; ++rank)
        ranks.push_back(std::make_unique<InProcess>(world, rank));
    return ranks;
}

} // namespace coxswain::trainer
