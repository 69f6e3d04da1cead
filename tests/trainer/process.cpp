// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace coxswain::tests {

Process::Process(std::vector<std::string> command, std::filesystem::path log) : m_log(std::move(log)) {
    std::vector<char*> arguments;
    for (auto& argument : command)
        arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    m_pid = ::fork();
    if (m_pid < 0)
        throw std::runtime_error("cannot fork");
    if (m_pid == 0) {
        ::setsid();
        const int out = ::open(m_log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ::dup2(out, STDOUT_FILENO);
        ::dup2(out, STDERR_FILENO);
        ::execvp(arguments[0], arguments.data());
        ::_exit(127);
    }
}

Process::~Process() {
    if (m_status)
        return;
    ::kill(-m_pid, SIGKILL);
    ::waitpid(m_pid, nullptr, 0);
}

std::optional<int> Process::wait(std::chrono::milliseconds limit) {
    waitUntil(limit, [&] {
        int status = 0;
        if (!m_status && ::waitpid(m_pid, &status, WNOHANG) == m_pid)
            m_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        return m_status.has_value();
    });
    return m_status;
}

void Process::signal(int number) const {
    ::kill(m_pid, number);
}

std::string Process::output() const {
    std::ostringstream text;
    text << std::ifstream(m_log).rdbuf();
    return text.str();
}

bool isAlive(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(stat, text);
    const auto state = text.rfind(") ");
    return state != std::string::npos && text[state + 2] != 'Z' && text[state + 2] != 'X';
}

} // namespace coxswain::tests
