// SPDX-License-Identifier: Apache-2.0
// The verb of coxswain-trainer without LibTorch and MPI, for the tests that compare: starts at once, and can
// be built with sanitizers.
#include "trainer/tokenizeverb.h"

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
    if (argc < 2 || std::strcmp(argv[1], "tokenize") != 0) {
        std::fputs("usage: tokenizedriver tokenize MODEL …\n", stderr);
        return 2;
    }
    return coxswain::trainer::tokenizeVerb(argc - 1, argv + 1);
}
