// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace coxswain::trainer {

/// `coxswain-trainer tokenize MODEL`: tokens of lines on standard input, or lines of tokens with --decode.
/// argv[0] is the verb. Prints what is wrong; returns the exit status (wire/exitcode.h). Needs neither MPI
/// nor LibTorch.
int tokenizeVerb(int argc, char** argv);

} // namespace coxswain::trainer
