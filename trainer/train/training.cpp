// SPDX-License-Identifier: Apache-2.0
#include "trainer/train/training.h"

#include "trainer/data/bytetokenizer.h"
#include "trainer/data/lanesampler.h"
#include "trainer/dist/errors.h"
#include "trainer/model/huggingface.h"
#include "trainer/train/adamw.h"
#include "trainer/train/agreement.h"
#include "trainer/train/checkpoint.h"
#include "trainer/train/gradientbuckets.h"
#include "trainer/train/memory.h"
#include "trainer/train/schedule.h"
#include "trainer/wire/layout.h"
#include "trainer/wire/sha256.h"

#include <torch/torch.h>

#include <unistd.h>

#include <cmath>
#include <optional>

namespace coxswain::trainer {
namespace {

namespace fs = std::filesystem;
using wire::ExitCode;

/// Milliseconds between laps, on the steady clock; waits for the device first.
class StopWatch {
public:
    explicit StopWatch(DevicePlugin* plugin) : m_plugin(plugin), m_begin(Clock::now()), m_lap(m_begin) {}
    double lap() {
        if (m_plugin)
            m_plugin->synchronize();
        const auto now = Clock::now();
        return milliseconds(now - std::exchange(m_lap, now));
    }
    double total() const { return milliseconds(Clock::now() - m_begin); }

private:
    using Clock = std::chrono::steady_clock;
    static double milliseconds(Clock::duration d) {
        return std::chrono::duration<double, std::milli>(d).count();
    }
    DevicePlugin* m_plugin;
    Clock::time_point m_begin;
    Clock::time_point m_lap;
};

wire::Documents openDocuments(const RankEnvironment& e) {
    const fs::path source = e.inputs / e.spec.data.source.path; // an absolute path replaces the folder
    const auto& world = e.communicator;
    std::error_code unreadable; // then it is no folder, and opening it as a file says why
    auto documents =
        fs::is_directory(source, unreadable)
            ? wire::Documents::fromShard(source / wire::layout::shardFile(world.rank(), world.worldSize()))
            : wire::Documents::fromText(source, e.spec.train.globalBatch);
    if (!documents)
        throw TrainerError(ExitCode::BadData, documents.error().text());
    if (documents->laneCount() != e.spec.train.globalBatch)
        throw TrainerError(ExitCode::BadData, "the shard was made for train.global_batch " +
                                                  std::to_string(documents->laneCount()) +
                                                  ", the job asks for " +
                                                  std::to_string(e.spec.train.globalBatch));
    return std::move(*documents);
}

wire::LaneRange ownLanes(const RankEnvironment& e) {
    if (e.communicator.worldSize() > e.spec.train.globalBatch)
        throw TrainerError(ExitCode::BadJob,
                           "train.global_batch: expected at least one sequence for each of the " +
                               std::to_string(e.communicator.worldSize()) + " ranks, found " +
                               std::to_string(e.spec.train.globalBatch));
    return wire::lanesOfRank(e.communicator.rank(), e.communicator.worldSize(), e.spec.train.globalBatch);
}

DecoderConfig readModelConfig(const RankEnvironment& e) {
    auto config = e.spec.model.folder ? readDecoderConfig(e.inputs / e.spec.model.folder->path)
                                      : parseDecoderConfig(e.spec.model.config);
    if (config.vocabularySize < ByteTokenizer::vocabularySize)
        throw TrainerError(ExitCode::BadModel, "vocab_size: byte-level tokens need at least " +
                                                   std::to_string(ByteTokenizer::vocabularySize) +
                                                   ", found " + std::to_string(config.vocabularySize));
    if (config.maximumPositions < e.spec.train.sequenceLength)
        throw TrainerError(ExitCode::BadModel, "max_position_embeddings is " +
                                                   std::to_string(config.maximumPositions) +
                                                   ", less than train.sequence_length " +
                                                   std::to_string(e.spec.train.sequenceLength));
    return config;
}

/// What of a job all ranks must have alike: not where inputs lie, nor how many threads a node gives.
std::string jobDigest(wire::JobSpec spec) {
    spec.id.clear();
    spec.nodes.clear();
    spec.data.source.path.clear();
    if (spec.model.folder)
        spec.model.folder->path.clear();
    spec.train.threadsPerRank = 0;
    return wire::sha256Hex(wire::toJson(spec).dump());
}

class Training {
public:
    explicit Training(const RankEnvironment& environment)
        : m_e(environment), m_device(environment.plugin ? at::Device(at::kCUDA) : at::Device(at::kCPU)),
          m_sampler(openDocuments(m_e), ownLanes(m_e), m_e.spec.train.sequenceLength,
                    static_cast<std::uint64_t>(m_e.spec.train.seed)),
          m_decoder(readModelConfig(m_e), m_device),
          m_buckets(m_decoder.parameters(),
                    planBuckets(m_decoder.parameters(),
                                static_cast<std::int64_t>(m_e.spec.train.bucketMib * (1 << 20)))),
          m_optimizer(m_decoder.parameters(), {m_e.spec.train.beta1, m_e.spec.train.beta2,
                                               m_e.spec.train.epsilon, m_e.spec.train.weightDecay}),
          m_inputs(at::empty({m_sampler.laneCount(), m_sampler.sequenceLength()}, at::kLong)),
          m_labels(at::empty_like(m_inputs)) {
        m_decoder.setGradientCheckpointing(m_e.spec.train.gradientCheckpointing);
        if (m_e.plugin)
            m_deviceWorld = m_e.plugin->createCommunicator(m_e.startup, startupLimit());
        prepare();
    }

    TrainingResult run();

private:
    bool isFirst() const { return m_e.communicator.rank() == 0; }
    Communicator& gradientWorld() { return m_deviceWorld ? *m_deviceWorld : m_e.communicator; }
    std::chrono::milliseconds startupLimit() const {
        return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * m_e.spec.deadlines.startupSeconds));
    }

    void prepare();
    void agreeOnJob();
    void agreeOnState();
    void writeStart();
    /// Rank 0 reads the newest checkpoint. The steps that are done, the same on every rank; 0: it found none.
    std::int64_t resume();
    void requireSamePlan(const LoadedCheckpoint& loaded) const;
    TrainerState stateAt(std::int64_t step) const;
    fs::path checkpoints() const { return fs::absolute(m_e.output / wire::layout::checkpointsFolder); }
    bool isDue(std::int64_t step) const;
    /// False when some rank was asked to stop: then the step is not made.
    bool step(std::int64_t number);
    /// Forward and backward of this rank's sequences, in micro-batches; the sum of its losses.
    double computeGradients(wire::StepLine& line, StopWatch& watch);
    void update(wire::StepLine& line);
    /// Collective, where the loss or the gradients are not finite.
    void noteNonFinite(const wire::StepLine& line);
    std::string nonFiniteText(const wire::StepLine& line);
    enum class Holds { Model, ModelAndTraining };
    std::optional<fs::path> save(const std::string& name, std::int64_t step, Holds holds);

    const RankEnvironment& m_e;
    at::Device m_device;
    LaneSampler m_sampler;
    Decoder m_decoder;
    GradientBuckets m_buckets;
    AdamW m_optimizer;
    at::Tensor m_inputs, m_labels;
    std::unique_ptr<Communicator> m_deviceWorld;
    std::string m_dataDigest; ///< over all ranks
    std::int64_t m_done = 0;  ///< steps of earlier attempts
    bool m_nonFiniteSeen = false;
    TrainingResult m_result;
};

void Training::prepare() {
    std::int64_t epoch = m_sampler.shortestLane();
    m_e.startup.allReduce(bufferOf(epoch), Reduction::Min);
    m_sampler.setStepsPerEpoch(epoch);
    const std::string own = m_sampler.digest();
    std::string all(own.size() * static_cast<std::size_t>(m_e.startup.worldSize()), '\0');
    m_e.startup.allGather({const_cast<char*>(own.data()), own.size(), DataType::UInt8},
                          {all.data(), all.size(), DataType::UInt8});
    m_dataDigest = wire::sha256Hex(all);
    agreeOnJob();
    m_done = resume();
    if (m_done > 0) {
        // Rank 0 has read everything.
    } else if (m_e.spec.model.folder) {
        if (isFirst())
            loadHuggingFace(m_decoder, m_e.inputs / m_e.spec.model.folder->path);
    } else {
        m_decoder.initialize(static_cast<std::uint64_t>(m_e.spec.train.seed));
    }
    Communicator& world = m_deviceWorld ? *m_deviceWorld : m_e.startup;
    broadcastTensors(m_decoder.parameters(), world);
    broadcastTensors(m_optimizer.state(), world);
    agreeOnState();
    writeStart();
}

std::int64_t Training::resume() {
    std::int64_t done = 0;
    if (isFirst() && m_e.spec.checkpoint.resume == "auto")
        if (const auto loaded = loadNewestCheckpoint(m_decoder, m_optimizer, checkpoints())) {
            requireSamePlan(*loaded);
            done = loaded->state.step;
            for (const auto& fault : loaded->damaged)
                m_e.metrics.write(wire::EventLine{"damaged_checkpoint", done, fault});
            std::string message = "after step " + std::to_string(done) + ", from " + loaded->folder.string();
            if (loaded->state.worldSize != m_e.communicator.worldSize())
                message += "; with " + std::to_string(m_e.communicator.worldSize()) + " ranks instead of " +
                           std::to_string(loaded->state.worldSize) +
                           ": the same order of the data, but rounding differs";
            else if (loaded->state.buckets != stateAt(done).buckets)
                message += "; in other buckets (train.bucket_mib): rounding differs";
            m_e.metrics.write(wire::EventLine{"resumed", done, message});
        }
    m_e.startup.broadcast(bufferOf(done), 0);
    return done;
}

void Training::requireSamePlan(const LoadedCheckpoint& loaded) const {
    const TrainerState &then = loaded.state, now = stateAt(then.step);
    std::string differences;
    const auto compare = [&](const char* what, const auto& before, const auto& after) {
        if (before != after)
            differences += (differences.empty() ? "" : ", ") + std::string(what);
    };
    compare("train.seed", then.seed, now.seed);
    compare("train.global_batch", then.globalBatch, now.globalBatch);
    compare("train.sequence_length", then.sequenceLength, now.sequenceLength);
    compare("the steps in an epoch", then.stepsPerEpoch, now.stepsPerEpoch);
    if (then.worldSize == now.worldSize)
        compare("the data", then.data, now.data);
    if (!differences.empty())
        throw TrainerError(ExitCode::BadJob,
                           loaded.folder.string() + " was made with another plan: " + differences +
                               " differ; use the same, or set checkpoint.resume to \"never\"");
}

TrainerState Training::stateAt(std::int64_t step) const {
    const auto& t = m_e.spec.train;
    return {step,
            m_e.communicator.worldSize(),
            t.seed,
            t.globalBatch,
            t.sequenceLength,
            m_sampler.stepsPerEpoch(),
            m_dataDigest,
            m_buckets.layout().toJson()};
}

/// Before the first broadcast, whose sizes it decides.
void Training::agreeOnJob() {
    std::string shapes;
    for (const auto& [name, tensor] : m_decoder.parameters()) {
        shapes += name;
        for (const auto size : tensor.sizes())
            shapes += ' ' + std::to_string(size);
    }
    requireAgreement({{"the trainer's version", wire::sha256Hex(COXSWAIN_VERSION)},
                      {"the job", jobDigest(m_e.spec)},
                      {"the model's shape", wire::sha256Hex(shapes)}},
                     m_e.host, m_e.startup);
}

/// Proves that the broadcast gave every rank the same values.
void Training::agreeOnState() {
    requireAgreement({{"the model's parameters", digestOf(m_decoder.parameters())},
                      {"the optimizer's state", digestOf(m_optimizer.state())}},
                     m_e.host, m_e.startup);
}

void Training::writeStart() {
    wire::StartLine line;
    line.job = m_e.spec.id;
    line.rank = m_e.communicator.rank();
    line.worldSize = m_e.communicator.worldSize();
    line.host = m_e.host;
    line.pid = static_cast<int>(::getpid());
    line.device = m_e.plugin ? "cuda " + m_e.plugin->deviceName() : "cpu";
    line.parameters = m_decoder.parameterCount();
    line.steps = m_e.spec.train.steps;
    m_e.metrics.write(line);
}

TrainingResult Training::run() {
    m_result.state = "finished";
    m_result.steps = m_done;
    for (std::int64_t number = m_done + 1; number <= m_e.spec.train.steps; ++number) {
        if (m_e.currentStep)
            *m_e.currentStep = number;
        if (!step(number)) {
            m_result.state = "stopped";
            m_e.metrics.write(wire::EventLine{"stop_requested", m_result.steps, "stopping after this step"});
            break;
        }
        if (number < m_e.spec.train.steps && isDue(number)) {
            save("step-" + std::to_string(number), number, Holds::ModelAndTraining);
            if (const int keep = m_e.spec.checkpoint.keepLast; isFirst() && keep > 0)
                deleteOldCheckpoints(checkpoints(), keep);
        }
    }
    const Holds holds = m_result.state == "stopped" ? Holds::ModelAndTraining : Holds::Model;
    if (const auto folder = save("final", m_result.steps, holds))
        m_result.model = *folder;
    m_e.metrics.write(wire::EndLine{m_result.state, m_result.steps, m_result.model.string()});
    return m_result;
}

bool Training::isDue(std::int64_t step) const {
    const auto& checkpoint = m_e.spec.checkpoint;
    return (checkpoint.everySteps > 0 && step % checkpoint.everySteps == 0) ||
           (checkpoint.everyEpoch && step % m_sampler.stepsPerEpoch() == 0);
}

double Training::computeGradients(wire::StepLine& line, StopWatch& watch) {
    const std::int64_t rows = m_inputs.size(0);
    const std::int64_t most = m_e.spec.train.microBatch > 0 ? m_e.spec.train.microBatch : rows;
    double lossSum = 0;
    for (std::int64_t begin = 0; begin < rows; begin += most) {
        const auto count = std::min(most, rows - begin);
        const auto sequences = Sequences::ofRows(m_inputs.narrow(0, begin, count).to(m_device));
        const auto labels = m_labels.narrow(0, begin, count).to(m_device).flatten();
        const at::Tensor sum = m_decoder.lossSum(sequences, labels);
        lossSum += sum.item<double>();
        line.milliseconds.forward += watch.lap();
        (sum / static_cast<double>(std::max<std::int64_t>(1, line.tokens))).backward();
        line.milliseconds.backward += watch.lap();
    }
    return lossSum;
}

bool Training::step(std::int64_t number) {
    StopWatch watch(m_e.plugin);
    wire::StepLine line;
    line.step = number;
    m_sampler.fill(number, m_inputs.mutable_data_ptr<std::int64_t>(),
                   m_labels.mutable_data_ptr<std::int64_t>());
    line.rankTokens = m_labels.ne(-100).sum().item<std::int64_t>();
    line.milliseconds.data = watch.lap();

    // Known before backward, so that gradients are those of the mean over all ranks' target tokens; the wish
    // to stop rides along, so that all ranks stop at the same step.
    std::int64_t shared[2] = {line.rankTokens, m_e.stopRequested() ? 1 : 0};
    m_e.communicator.allReduce({shared, 2, DataType::Int64}, Reduction::Sum);
    line.tokens = shared[0];
    line.milliseconds.communicationWait = watch.lap();
    if (shared[1] > 0)
        return false;

    m_buckets.zero();
    double lossSum = computeGradients(line, watch);

    for (std::size_t bucket = 0; bucket < m_buckets.count(); ++bucket)
        m_buckets.reduce(bucket, gradientWorld());
    line.rankLoss = lossSum / static_cast<double>(std::max<std::int64_t>(1, line.rankTokens));
    m_e.communicator.allReduce(bufferOf(lossSum), Reduction::Sum);
    line.loss = lossSum / static_cast<double>(std::max<std::int64_t>(1, line.tokens));
    line.milliseconds.communicationWait += watch.lap();

    update(line);
    line.milliseconds.optimizer = watch.lap();
    line.epoch = m_sampler.epochAfter(number);
    line.memory = memoryUse(m_e.plugin);
    line.milliseconds.total = watch.total();
    m_e.metrics.write(line);
    noteNonFinite(line);
    m_result.steps = number;
    m_result.lastLoss = line.loss;
    if (number == m_done + 1)
        m_result.firstLoss = line.loss;
    return true;
}

void Training::update(wire::StepLine& line) {
    line.learningRate = learningRateAt(m_e.spec.train, m_e.communicator.worldSize(), line.step);
    line.gradientNorm = m_buckets.norm();
    if (!std::isfinite(line.gradientNorm))
        return; // would make every weight NaN: noteNonFinite() says so
    if (const double clip = m_e.spec.train.clipNorm; clip > 0 && line.gradientNorm > clip)
        m_buckets.scale(clip / line.gradientNorm);
    m_optimizer.step(m_buckets.gradients(), line.learningRate);
}

void Training::noteNonFinite(const wire::StepLine& line) {
    const bool finite = std::isfinite(line.loss) && std::isfinite(line.gradientNorm);
    if (!finite && !m_nonFiniteSeen) {
        const std::string text = nonFiniteText(line);
        m_e.metrics.write(wire::EventLine{"non_finite", line.step, text + "; update skipped"});
        if (m_e.spec.train.nonFinite == "stop")
            throw TrainerError(ExitCode::NonFinite, "step " + std::to_string(line.step) + ": " + text +
                                                        ", and train.non_finite is \"stop\"");
    }
    m_nonFiniteSeen = !finite;
}

/// The sum has spread it over all ranks: the ranks' own losses tell where it began.
std::string Training::nonFiniteText(const wire::StepLine& line) {
    std::int64_t first =
        std::isfinite(line.rankLoss) ? m_e.communicator.worldSize() : m_e.communicator.rank();
    m_e.communicator.allReduce(bufferOf(first), Reduction::Min);
    if (first < m_e.communicator.worldSize())
        return "the loss is not finite, first on rank " + std::to_string(first);
    for (std::size_t i = m_decoder.parameters().size(); i-- > 0;) // backward's order
        if (!std::isfinite(at::linalg_vector_norm(m_buckets.gradients()[i]).item<double>()))
            return "the gradients are not finite, beginning with " + m_decoder.parameters()[i].name;
    return "the norm of the gradients is not finite";
}

std::optional<fs::path> Training::save(const std::string& name, std::int64_t step, Holds holds) {
    const fs::path folder = checkpoints() / name;
    if (isFirst()) {
        const fs::path source = m_e.spec.model.folder ? m_e.inputs / m_e.spec.model.folder->path : fs::path();
        if (holds == Holds::ModelAndTraining)
            saveCheckpoint(m_decoder, m_optimizer, stateAt(step), folder, source);
        else
            saveHuggingFace(m_decoder, folder, source);
        m_e.metrics.write(wire::EventLine{"checkpoint", step, folder.string()});
    }
    // Writing many gigabytes to a slow disk is not a deadlock.
    m_e.communicator.barrier(std::chrono::hours(2));
    return isFirst() ? std::optional(folder) : std::nullopt;
}

} // namespace

TrainingResult train(const RankEnvironment& environment) {
    return Training(environment).run();
}

} // namespace coxswain::trainer
