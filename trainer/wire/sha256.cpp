// SPDX-License-Identifier: Apache-2.0
#include "trainer/wire/sha256.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace coxswain::wire {

void Sha256::Free::operator()(evp_md_ctx_st* context) const {
    EVP_MD_CTX_free(context);
}

Sha256::Sha256() : m_context(EVP_MD_CTX_new()) {
    if (!m_context || EVP_DigestInit_ex(m_context.get(), EVP_sha256(), nullptr) != 1)
        throw std::runtime_error("libcrypto cannot start SHA-256");
}

void Sha256::update(const void* data, std::size_t bytes) {
    if (EVP_DigestUpdate(m_context.get(), data, bytes) != 1)
        throw std::runtime_error("libcrypto cannot update SHA-256");
}

std::string Sha256::hexDigest() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned int size = 0;
    if (EVP_DigestFinal_ex(m_context.get(), bytes.data(), &size) != 1)
        throw std::runtime_error("libcrypto cannot finish SHA-256");
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * size);
    for (unsigned int i = 0; i < size; ++i) {
        text += digits[bytes[i] >> 4];
        text += digits[bytes[i] & 15];
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
