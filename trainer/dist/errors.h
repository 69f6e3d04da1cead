// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/wire/exitcode.h"

#include <stdexcept>
#include <string>

namespace coxswain::trainer {

/// An error that says how the trainer has to end; main() catches it once.
class TrainerError : public std::runtime_error {
public:
    TrainerError(wire::ExitCode code, const std::string& message)
        : std::runtime_error(message), m_code(code) {}
    wire::ExitCode code() const { return m_code; }

private:
    wire::ExitCode m_code;
};

/// A collective failed: names the call, this rank and what the library said.
class CommunicationError : public TrainerError {
public:
    explicit CommunicationError(const std::string& message)
        : TrainerError(wire::ExitCode::Communication, message) {}
};

/// A collective did not finish in time.
class DeadlineError : public TrainerError {
public:
    explicit DeadlineError(const std::string& message) : TrainerError(wire::ExitCode::Deadline, message) {}
};

} // namespace coxswain::trainer
