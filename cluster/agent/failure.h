// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace coxswain::agent {

/// What a request answers when it cannot be carried out; becomes a Failure frame.
class Failure : public std::runtime_error {
public:
    /// `code` is one of core::errorCodeName's texts.
    Failure(std::string code, std::string tried, std::string seen, nlohmann::json more = {})
        : std::runtime_error("cannot " + tried + ": " + seen), m_code(std::move(code)),
          m_tried(std::move(tried)), m_seen(std::move(seen)), m_more(std::move(more)) {}

    nlohmann::json toJson() const {
        nlohmann::json object = m_more.is_object() ? m_more : nlohmann::json::object();
        object["code"] = m_code;
        object["tried"] = m_tried;
        object["seen"] = m_seen;
        return object;
    }

private:
    std::string m_code;
    std::string m_tried;
    std::string m_seen;
    nlohmann::json m_more;
};

/// A Failure by errno.
inline Failure systemFailure(std::string tried, int error = errno) {
    const char* code = error == ENOSPC || error == EDQUOT                    ? "no_space"
                       : error == ENOENT || error == ENOTDIR                 ? "missing"
                       : error == EACCES || error == EPERM || error == EROFS ? "permission"
                       : error == ELOOP                                      ? "bad_input"
                                                                             : "failed";
    return {code, std::move(tried), std::strerror(error)};
}

} // namespace coxswain::agent
