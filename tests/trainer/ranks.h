// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/dist/inprocess.h"

#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace coxswain::tests {

/// Runs `body` on every rank of a world of threads. Each rank's end, or what it threw, in the order of ranks:
/// "" for a rank that returned. A rank's communicator goes with its thread, as a process would.
inline std::vector<std::string>
runRanks(int worldSize, std::chrono::milliseconds deadline,
         const std::function<void(int rank, std::unique_ptr<trainer::Communicator>& world)>& body,
         std::vector<std::exception_ptr>* thrown = nullptr) {
    auto world = trainer::makeInProcessWorld(worldSize, deadline);
    std::vector<std::string> ends(world.size());
    std::vector<std::exception_ptr> errors(world.size());
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < world.size(); ++rank)
        threads.emplace_back([&, rank] {
            auto own = std::move(world[rank]);
            try {
                body(static_cast<int>(rank), own);
            } catch (const std::exception& error) {
                ends[rank] = error.what();
                errors[rank] = std::current_exception();
            }
        });
    for (auto& thread : threads)
        thread.join();
    if (thrown)
        *thrown = std::move(errors);
    return ends;
}

} // namespace coxswain::tests
