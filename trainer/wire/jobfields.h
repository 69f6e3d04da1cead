// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/wire/jobspec.h"

/// The one list of a job's simple fields: reading, writing, checking and the window's form all visit it.
/// Private to trainer/wire.
namespace coxswain::wire {

struct Limits {
    double minimum = 0;
    double maximum = 0;
    bool aboveMinimum = false; ///< the minimum itself is not allowed
};

struct FieldText {
    const char* path;
    const char* unit;
    const char* help;
};

template <class Spec, class Visitor>
void visitJobFields(Spec& s, Visitor& v) {
    v.text({"name", "", "A name for the run; appears in History"}, s.name);
    v.choice({"runtime", "", "What runs the trainer: chosen by the nodes' drivers, or fixed"}, s.runtime,
             {"auto", "cpu", "cu13"});
    v.number({"ranks_per_node", "ranks", "Processes on each node; 0: one for each GPU, or one on CPUs"},
             s.ranksPerNode, {0, 1024});
    auto& t = s.train;
    v.number({"train.steps", "steps", "Optimizer steps in all"}, t.steps, {1, 1e9});
    v.number({"train.global_batch", "sequences", "Sequences in each step, over all ranks"}, t.globalBatch,
             {1, 1 << 20});
    v.number({"train.sequence_length", "tokens", "Tokens in each sequence"}, t.sequenceLength, {2, 1 << 20});
    v.number({"train.learning_rate", "", "Peak learning rate, after warm-up"}, t.learningRate, {0, 10, true});
    v.choice({"train.schedule", "", "What the learning rate does after warm-up"}, t.schedule,
             {"cosine", "linear", "constant"});
    v.number({"train.final_learning_rate", "", "Learning rate at the end of the cosine or line"},
             t.finalLearningRate, {0, 10});
    v.choice({"train.learning_rate_scaling", "", "Raises the rates with the number of ranks"},
             t.learningRateScaling, {"none", "sqrt", "linear"});
    v.number({"train.warmup_steps", "steps", "Steps of linear warm-up"}, t.warmupSteps, {0, 1e9});
    v.number({"train.weight_decay", "", "AdamW's decay, for matrices only"}, t.weightDecay, {0, 10});
    v.number({"train.beta1", "", "AdamW's first moment"}, t.beta1, {0, 0.999999});
    v.number({"train.beta2", "", "AdamW's second moment"}, t.beta2, {0, 0.999999});
    v.number({"train.epsilon", "", "AdamW's epsilon"}, t.epsilon, {0, 1, true});
    v.number({"train.clip_norm", "", "Gradients are clipped to this global norm; 0: never"}, t.clipNorm,
             {0, 1e9});
    v.number({"train.seed", "", "Seed of initial weights and of shuffling"}, t.seed, {0, 9007199254740991.0});
    v.number({"train.threads_per_rank", "threads", "CPU threads of each rank; 0: cores divided by ranks"},
             t.threadsPerRank, {0, 1024});
    v.number({"train.bucket_mib", "MiB", "Size of the buckets in which gradients are reduced"}, t.bucketMib,
             {0, 4096, true});
    v.number(
        {"train.micro_batch", "sequences", "Sequences in one pass of a rank; 0: its whole share at once"},
        t.microBatch, {0, 1 << 20});
    v.flag({"train.gradient_checkpointing", "", "Less memory for some more work: layers are computed twice"},
           t.gradientCheckpointing);
    v.choice({"train.non_finite", "", "What a gradient that is not finite does: skip the update, or stop"},
             t.nonFinite, {"skip", "stop"});
    v.number({"checkpoint.every_steps", "steps", "Save the model every so many steps; 0: only at the end"},
             s.checkpoint.everySteps, {0, 1e9});
    v.flag({"checkpoint.every_epoch", "", "Save also after each pass over the data"},
           s.checkpoint.everyEpoch);
    v.number({"checkpoint.keep_last", "checkpoints", "Older ones are deleted; 0: none is"},
             s.checkpoint.keepLast, {0, 1e6});
    v.choice(
        {"checkpoint.resume", "", "Where a new attempt begins: at the newest checkpoint, or never there"},
        s.checkpoint.resume, {"auto", "never"});
    v.number({"deadlines.startup_seconds", "s", "Longest that ranks may take to find each other"},
             s.deadlines.startupSeconds, {1, 86400});
    v.number({"deadlines.collective_seconds", "s", "Longest that ranks may wait for each other in a step"},
             s.deadlines.collectiveSeconds, {1, 86400});
}

} // namespace coxswain::wire
