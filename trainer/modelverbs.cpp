// SPDX-License-Identifier: Apache-2.0
#include "trainer/modelverbs.h"

#include "trainer/data/samples.h"
#include "trainer/dist/errors.h"
#include "trainer/model/huggingface.h"
#include "trainer/text/tokenizer.h"
#include "trainer/threads.h"

#include <torch/torch.h>

#include <getopt.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <optional>

namespace coxswain::trainer {
namespace {

using nlohmann::json;
using wire::ExitCode;

struct Verb {
    const char* name;
    const char* does;
    json (*run)(const Decoder& decoder, const std::vector<Sample>& samples);
    void (*print)(const json& result);
};

int fail(ExitCode code, const std::string& message) {
    std::fprintf(stderr, "coxswain-trainer: %s\n", message.c_str());
    return static_cast<int>(code);
}

void printUsage(const Verb& verb, FILE* out) {
    std::fprintf(
        out,
        "usage: coxswain-trainer %s MODEL DATA [--json]\n\n%s\n\n"
        "MODEL is a Hugging Face folder. A line of DATA is a sample: a text, {\"text\": \"...\"}, or, "
        "already\n"
        "encoded, {\"tokens\": [...], \"labels\": [...]} with a label beside each token, -100 where none.\n"
        "Losses are in nats.\n\n"
        "  --json  prints one JSON object\n",
        verb.name, verb.does);
}

EncodeText encoderOf(const std::filesystem::path& model) {
    // Loaded when the first text comes: encoded samples need none.
    return [model, tokenizer = std::optional<text::Tokenizer>()](const std::string& line) mutable {
        if (!tokenizer)
            tokenizer = text::Tokenizer::load(model);
        return tokenizer->encode(line, true);
    };
}

std::vector<Sample> readSampleFile(const std::filesystem::path& file, const DecoderConfig& config,
                                   const std::filesystem::path& model) {
    std::ifstream stream(file);
    if (!stream)
        throw TrainerError(ExitCode::BadData, file.string() + " cannot be read");
    try {
        return readSamples(stream, config.vocabularySize, config.maximumPositions, encoderOf(model));
    } catch (const TrainerError& error) {
        throw TrainerError(error.code(), file.string() + ": " + error.what());
    }
}

at::Tensor lossOf(const Decoder& decoder, const std::vector<Sample>& samples) {
    std::vector<std::int64_t> ids, labels, lengths;
    for (const auto& sample : samples) {
        ids.insert(ids.end(), sample.tokens.begin(), sample.tokens.end());
        labels.insert(labels.end(), sample.labels.begin(), sample.labels.end());
        lengths.push_back(static_cast<std::int64_t>(sample.tokens.size()));
    }
    return decoder.lossSum({torch::tensor(ids, at::kLong), lengths}, torch::tensor(labels, at::kLong));
}

json score(const Decoder& decoder, const std::vector<Sample>& samples) {
    const at::NoGradGuard noGrad;
    json each = json::array();
    double loss = 0;
    std::int64_t tokens = 0;
    for (const auto& sample : samples) {
        const auto targets = sample.targets();
        const double own = targets > 0 ? lossOf(decoder, {sample}).item<double>() : 0;
        each.push_back({{"loss", own}, {"tokens", targets}});
        loss += own;
        tokens += targets;
    }
    return {{"samples", each},
            {"loss", loss},
            {"tokens", tokens},
            {"perplexity", tokens > 0 ? json(std::exp(loss / static_cast<double>(tokens))) : json()}};
}

void printScore(const json& result) {
    std::puts("  sample   tokens      loss");
    std::int64_t number = 0;
    for (const auto& sample : result["samples"])
        std::printf("%8lld %8lld %9.4f\n", static_cast<long long>(++number),
                    static_cast<long long>(sample["tokens"].get<std::int64_t>()),
                    sample["loss"].get<double>());
    std::printf("%lld tokens, loss %.4f", static_cast<long long>(result["tokens"].get<std::int64_t>()),
                result["loss"].get<double>());
    if (result["perplexity"].is_number())
        std::printf(", perplexity %.4f", result["perplexity"].get<double>());
    std::puts("");
}

json gradients(const Decoder& decoder, const std::vector<Sample>& samples) {
    json plan = json::array();
    std::int64_t tokens = 0;
    for (const auto& sample : samples) {
        plan.push_back({{"length", sample.tokens.size()}, {"targets", sample.targets()}});
        tokens += sample.targets();
    }
    if (tokens == 0)
        throw TrainerError(ExitCode::BadData, "no sample has a label: there is nothing to learn");
    const auto mean = lossOf(decoder, samples) / static_cast<double>(tokens);
    mean.backward();
    json norms = json::object();
    double squares = 0;
    for (const auto& [name, tensor] : decoder.parameters()) {
        const double norm =
            tensor.grad().defined() ? at::linalg_vector_norm(tensor.grad()).item<double>() : 0;
        norms[name] = norm;
        squares += norm * norm;
    }
    return {{"loss", mean.item<double>()},
            {"tokens", tokens},
            {"gradients", norms},
            {"norm", std::sqrt(squares)},
            {"plan", {{"sequences", plan}, {"divided_by", tokens}}}};
}

void printGradients(const json& result) {
    const auto& sequences = result["plan"]["sequences"];
    std::printf(
        "one batch of %zu sequences, laid end to end; gradients of the mean loss of its %lld targets\n",
        sequences.size(), static_cast<long long>(result["tokens"].get<std::int64_t>()));
    std::int64_t number = 0;
    for (const auto& sequence : sequences)
        std::printf("  sequence %lld: %lld tokens, %lld targets\n", static_cast<long long>(++number),
                    static_cast<long long>(sequence["length"].get<std::int64_t>()),
                    static_cast<long long>(sequence["targets"].get<std::int64_t>()));
    for (const auto& [name, norm] : result["gradients"].items())
        std::printf("%13.6e  %s\n", norm.get<double>(), name.c_str());
    std::printf("loss %.6f, norm of all gradients %.6e\n", result["loss"].get<double>(),
                result["norm"].get<double>());
}

int runVerb(const Verb& verb, int argc, char** argv) {
    bool asJson = false;
    const option known[] = {
        {"json", no_argument, nullptr, 'j'}, {"help", no_argument, nullptr, 'h'}, {nullptr, 0, nullptr, 0}};
    for (int c = 0; (c = ::getopt_long(argc, argv, "h", known, nullptr)) != -1;) {
        if (c != 'j') {
            printUsage(verb, c == 'h' ? stdout : stderr);
            return static_cast<int>(c == 'h' ? ExitCode::Ok : ExitCode::Usage);
        }
        asJson = true;
    }
    if (optind + 2 != argc) {
        printUsage(verb, stderr);
        return static_cast<int>(ExitCode::Usage);
    }
    try {
        useThreads(0, 1);
        const std::filesystem::path model = argv[optind];
        const Decoder decoder(readDecoderConfig(model), at::kCPU);
        const auto samples = readSampleFile(argv[optind + 1], decoder.config(), model);
        loadHuggingFace(decoder, model);
        const json result = verb.run(decoder, samples);
        if (asJson)
            std::puts(result.dump().c_str());
        else
            verb.print(result);
        return std::fflush(stdout) == 0 && !std::ferror(stdout)
                   ? static_cast<int>(ExitCode::Ok)
                   : fail(ExitCode::Disk, "cannot write the output");
    } catch (const TrainerError& error) {
        return fail(error.code(), error.what());
    } catch (const std::exception& error) {
        return fail(exitCodeOf(error), error.what());
    }
}

} // namespace

int scoreVerb(int argc, char** argv) {
    return runVerb(
        {"score", "Prints the summed loss and the counted tokens of each sample, and the perplexity of all.",
         score, printScore},
        argc, argv);
}

int gradientsVerb(int argc, char** argv) {
    return runVerb(
        {"gradients",
         "Prints the mean loss of all samples as one batch, and the norm of each tensor's gradient.",
         gradients, printGradients},
        argc, argv);
}

} // namespace coxswain::trainer
