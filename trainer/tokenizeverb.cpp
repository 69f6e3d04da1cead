// SPDX-License-Identifier: Apache-2.0
#include "trainer/tokenizeverb.h"

#include "trainer/dist/errors.h"
#include "trainer/text/tokenizer.h"

#include <nlohmann/json.hpp>

#include <getopt.h>

#include <charconv>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace coxswain::trainer {
namespace {

using nlohmann::json;
using wire::ExitCode;

constexpr const char* usage = R"(usage: coxswain-trainer tokenize MODEL [--special] [--json] < TEXT
       coxswain-trainer tokenize MODEL --decode [--skip-special] [--json] < IDS

For every line of TEXT prints a line with the ids of its tokens, separated by spaces. MODEL is a tokenizer.json or
a folder that has one.

  --decode        the other way: a line of ids becomes a line of text
  --special       adds the tokens that the model expects around a text, such as bos
  --skip-special  leaves special tokens out of the text
  --json          lines of TEXT are JSON strings, lines of ids are JSON arrays
)";

struct TokenizeOptions {
    std::string model;
    bool decode = false, special = false, skipSpecial = false, asJson = false, showHelp = false;
};

std::optional<TokenizeOptions> parse(int argc, char** argv) {
    TokenizeOptions options;
    const option known[] = {
        {"decode", no_argument, nullptr, 'd'},       {"special", no_argument, nullptr, 's'},
        {"skip-special", no_argument, nullptr, 'k'}, {"json", no_argument, nullptr, 'j'},
        {"help", no_argument, nullptr, 'h'},         {nullptr, 0, nullptr, 0}};
    for (int c = 0; (c = ::getopt_long(argc, argv, "h", known, nullptr)) != -1;) {
        switch (c) {
        case 'd':
            options.decode = true;
            break;
        case 's':
            options.special = true;
            break;
        case 'k':
            options.skipSpecial = true;
            break;
        case 'j':
            options.asJson = true;
            break;
        case 'h':
            options.showHelp = true;
            return options;
        default:
            return std::nullopt;
        }
    }
    if (optind + 1 != argc)
        return std::nullopt;
    options.model = argv[optind];
    return options;
}

std::vector<std::int32_t> readIds(const std::string& line, bool asJson) {
    if (asJson)
        return json::parse(line).get<std::vector<std::int32_t>>();
    std::vector<std::int32_t> ids;
    const char* end = line.data() + line.size();
    for (const char* at = line.data(); at < end;) {
        if (*at == ' ') {
            ++at;
            continue;
        }
        std::int32_t id = 0;
        const auto [next, fault] = std::from_chars(at, end, id);
        if (fault != std::errc() || (next < end && *next != ' '))
            throw TrainerError(ExitCode::BadData, "expected ids separated by spaces");
        ids.push_back(id);
        at = next;
    }
    return ids;
}

std::string writeIds(const std::vector<std::int32_t>& ids, bool asJson) {
    std::string text = asJson ? "[" : "";
    for (std::size_t i = 0; i < ids.size(); ++i)
        text += (i == 0 ? "" : asJson ? "," : " ") + std::to_string(ids[i]);
    return asJson ? text + ']' : text;
}

std::string convert(const text::Tokenizer& tokenizer, const TokenizeOptions& options,
                    const std::string& line) {
    if (options.decode) {
        const std::string text = tokenizer.decode(readIds(line, options.asJson), options.skipSpecial);
        return options.asJson ? json(text).dump() : text;
    }
    const std::string text = options.asJson ? json::parse(line).get<std::string>() : line;
    return writeIds(tokenizer.encode(text, options.special), options.asJson);
}

int fail(ExitCode code, const std::string& message) {
    std::fprintf(stderr, "coxswain-trainer: %s\n", message.c_str());
    return static_cast<int>(code);
}

} // namespace

int tokenizeVerb(int argc, char** argv) {
    const auto options = parse(argc, argv);
    if (!options || options->showHelp) {
        std::fputs(usage, options ? stdout : stderr);
        return static_cast<int>(options ? ExitCode::Ok : ExitCode::Usage);
    }
    std::int64_t number = 0;
    const auto where = [&] { return number == 0 ? "" : "line " + std::to_string(number) + ": "; };
    try {
        const auto tokenizer = text::Tokenizer::load(options->model);
        std::ios::sync_with_stdio(false);
        for (std::string line; std::getline(std::cin, line);) {
            ++number;
            std::cout << convert(tokenizer, *options, line) << '\n';
        }
        std::cout.flush();
        return std::cout ? static_cast<int>(ExitCode::Ok) : fail(ExitCode::Disk, "cannot write the output");
    } catch (const TrainerError& error) {
        return fail(error.code(), where() + error.what());
    } catch (const json::exception& error) {
        return fail(ExitCode::BadData, where() + error.what());
    } catch (const std::exception& error) {
        return fail(ExitCode::Internal, where() + error.what());
    }
}

} // namespace coxswain::trainer
