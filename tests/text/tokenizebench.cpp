// SPDX-License-Identifier: Apache-2.0
// The fast side of scripts/bench tokenizer: loads MODEL and the lines of TEXT (JSON strings), then for every
// line on standard input encodes them all once, on one thread, and prints tokens and seconds.
#include "trainer/text/tokenizer.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <iostream>

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: tokenizebench MODEL TEXT\n";
        return 2;
    }
    using Clock = std::chrono::steady_clock;
    const auto secondsSince = [](Clock::time_point begin) {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    auto begin = Clock::now();
    const auto tokenizer = coxswain::text::Tokenizer::load(argv[1]);
    std::cout << "loaded " << secondsSince(begin) << std::endl;
    std::vector<std::string> texts;
    std::ifstream file(argv[2]);
    for (std::string line; std::getline(file, line);)
        texts.push_back(nlohmann::json::parse(line).get<std::string>());
    for (std::string line; std::getline(std::cin, line);) {
        std::size_t count = 0;
        begin = Clock::now();
        for (const auto& text : texts)
            count += tokenizer.encode(text, false).size();
        std::cout << count << ' ' << secondsSince(begin) << std::endl;
    }
}
