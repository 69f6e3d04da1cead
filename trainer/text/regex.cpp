// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/regex.h"

#include "trainer/dist/errors.h"
#include "trainer/text/regexsyntax.h"
#include "trainer/text/utf8.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <new>
#include <stdexcept>

namespace coxswain::text {
namespace {

std::string messageOf(int code) {
    PCRE2_UCHAR8 text[256] = "";
    pcre2_get_error_message_8(code, text, sizeof text);
    return reinterpret_cast<const char*>(text);
}

std::shared_ptr<pcre2_code_8> compile(std::string_view pattern, bool named) {
    const std::string translated = toPcre2Syntax(pattern, named);
    const std::unique_ptr<pcre2_compile_context_8, void (*)(pcre2_compile_context_8*)> context(
        pcre2_compile_context_create_8(nullptr), pcre2_compile_context_free_8);
    if (!context)
        throw std::bad_alloc();
    pcre2_set_newline_8(context.get(), PCRE2_NEWLINE_LF);
    int fault = 0;
    PCRE2_SIZE at = 0;
    pcre2_code_8* code = pcre2_compile_8(reinterpret_cast<PCRE2_SPTR8>(translated.data()), translated.size(),
                                         PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE, &fault, &at, context.get());
    if (!code)
        throw std::invalid_argument("the pattern cannot be compiled: " + messageOf(fault) + ": " +
                                    std::string(pattern));
    const std::shared_ptr<pcre2_code_8> owned(code, pcre2_code_free_8);
    pcre2_jit_compile_8(code, PCRE2_JIT_COMPLETE); // without it matching is slower, not wrong
    return owned;
}

} // namespace

struct MatchMemory::Parts {
    pcre2_match_data_8* data = pcre2_match_data_create_8(1, nullptr);
    pcre2_match_context_8* context = pcre2_match_context_create_8(nullptr);
    pcre2_jit_stack_8* stack = pcre2_jit_stack_create_8(64 << 10, 64 << 20, nullptr);

    Parts() {
        if (!data || !context || !stack)
            throw std::bad_alloc();
        pcre2_jit_stack_assign_8(context, nullptr, stack);
    }
    ~Parts() {
        pcre2_match_data_free_8(data);
        pcre2_match_context_free_8(context);
        pcre2_jit_stack_free_8(stack);
    }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;
};

MatchMemory::MatchMemory() : m_parts(std::make_unique<Parts>()) {}
MatchMemory::~MatchMemory() = default;
MatchMemory::MatchMemory(MatchMemory&&) noexcept = default;

Regex Regex::fromPattern(std::string_view pattern) {
    Regex regex;
    regex.m_code = compile(pattern, false);
    regex.m_named = compile(pattern, true);
    return regex;
}

Regex Regex::fromLiteral(std::string_view text) {
    if (text.empty())
        throw std::invalid_argument("the pattern is empty");
    Regex regex;
    regex.m_literal = text;
    return regex;
}

bool Regex::find(MatchMemory& memory, std::string_view text, bool recent, std::size_t from,
                 std::size_t& begin, std::size_t& end) const {
    if (!m_literal.empty()) {
        begin = text.find(m_literal, from);
        end = begin + m_literal.size();
        return begin != std::string_view::npos;
    }
    auto& parts = *memory.m_parts;
    const auto* subject = reinterpret_cast<PCRE2_SPTR8>(text.data() ? text.data() : "");
    const int result = pcre2_match_8(recent ? m_named.get() : m_code.get(), subject, text.size(), from,
                                     PCRE2_NO_UTF_CHECK, parts.data, parts.context);
    if (result == PCRE2_ERROR_NOMATCH)
        return false;
    if (result < 0)
        throw trainer::TrainerError(wire::ExitCode::BadData,
                                    "a pattern of tokenizer.json fails on a text of " +
                                        std::to_string(text.size()) + " bytes: " + messageOf(result) +
                                        "; make documents shorter");
    const PCRE2_SIZE* span = pcre2_get_ovector_pointer_8(parts.data);
    begin = span[0];
    end = span[1];
    return true;
}

std::size_t Regex::lengthAt(std::string_view text, std::size_t at) {
    return characterLength(text[at]);
}

} // namespace coxswain::text
