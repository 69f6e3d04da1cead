// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace coxswain::trainer {

// Verbs that run a model over a file of samples (data/samples.h), on this machine's CPUs in fp32. argv[0] is
// the verb. They print what is wrong and return the exit status (wire/exitcode.h). They need no MPI.

/// `coxswain-trainer score MODEL DATA`: summed loss and counted tokens of each sample, perplexity of all.
int scoreVerb(int argc, char** argv);

/// `coxswain-trainer gradients MODEL DATA`: the mean loss of all samples as one batch, and the norm of each
/// tensor's gradient.
int gradientsVerb(int argc, char** argv);

} // namespace coxswain::trainer
