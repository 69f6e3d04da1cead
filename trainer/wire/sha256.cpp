// SPDX-License-Identifier: Apache-2.0
#include "trainer/wire/sha256.h"

// The low-level functions: OpenSSL 3's EVP would bring all providers, and with them dlopen and getaddrinfo,
// into the static agent. Both lead to the same assembler code.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <algorithm>
#include <array>

namespace coxswain::wire {

struct Sha256::Context {
    SHA256_CTX sha{};
};

Sha256::Sha256() : m_context(std::make_shared<Context>()) {
    SHA256_Init(&m_context->sha);
}

void Sha256::update(const void* data, std::size_t bytes) {
    SHA256_Update(&m_context->sha, data, bytes);
}

std::string Sha256::hexDigest() {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> bytes{};
    SHA256_Final(bytes.data(), &m_context->sha);
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const unsigned char byte : bytes) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

std::string sha256Hex(std::string_view text) {
    Sha256 hash;
    hash.update(text);
    return hash.hexDigest();
}

bool isSha256Hex(std::string_view text) {
    return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

} // namespace coxswain::wire
