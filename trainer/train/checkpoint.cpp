// SPDX-License-Identifier: Apache-2.0
#include "trainer/train/checkpoint.h"

#include "trainer/dist/errors.h"
#include "trainer/model/huggingface.h"
#include "trainer/model/safetensors.h"
#include "trainer/train/agreement.h"
#include "trainer/wire/version.h"

#include <torch/torch.h>

#include <algorithm>
#include <fstream>

namespace coxswain::trainer {
namespace {

using nlohmann::json;
using wire::ExitCode;

constexpr const char* optimizerFile = "optimizer.safetensors";

[[noreturn]] void badCheckpoint(const std::string& message) {
    throw TrainerError(ExitCode::BadModel, message);
}

json stateToJson(const TrainerState& s) {
    return {{"format", wire::checkpointFormat},
            {"step", s.step},
            {"world_size", s.worldSize},
            {"seed", s.seed},
            {"global_batch", s.globalBatch},
            {"sequence_length", s.sequenceLength},
            {"steps_per_epoch", s.stepsPerEpoch},
            {"data", s.data},
            {"buckets", s.buckets}};
}

TrainerState stateFromJson(const json& document) {
    const std::string format = document.at("format").get<std::string>();
    if (!wire::isReadable(wire::matchFormat(format, wire::checkpointFormat)))
        badCheckpoint(wire::formatMismatch(format, wire::checkpointFormat));
    return {document.at("step").get<std::int64_t>(),   document.at("world_size").get<int>(),
            document.at("seed").get<std::int64_t>(),   document.at("global_batch").get<int>(),
            document.at("sequence_length").get<int>(), document.at("steps_per_epoch").get<std::int64_t>(),
            document.at("data").get<std::string>(),    document.at("buckets")};
}

void writeOptimizer(const AdamW& optimizer, const std::filesystem::path& file) {
    std::vector<at::Tensor> held; // keeps copies from another device alive until they are written
    std::vector<std::pair<std::string, TensorView>> views;
    for (const auto& [name, tensor] : optimizer.state()) {
        held.push_back(tensor.to(at::kCPU).contiguous());
        views.push_back(
            {name, {"F32", tensor.sizes().vec(), held.back().const_data_ptr(), held.back().nbytes()}});
    }
    writeSafetensors(file, views);
}

void readOptimizer(const AdamW& optimizer, const std::filesystem::path& file) {
    const SafetensorsFile saved(file);
    for (const auto& [name, tensor] : optimizer.state()) {
        const auto found = saved.tensors().find(name);
        if (found == saved.tensors().end() || found->second.type != "F32" ||
            tensor.sizes() != at::IntArrayRef(found->second.shape))
            badCheckpoint(file.string() + ": " + name + " is missing, or has another type or shape");
        tensor.copy_(at::from_blob(const_cast<void*>(found->second.data), found->second.shape, at::kFloat));
    }
}

TrainerState loadCheckpoint(const Decoder& decoder, const AdamW& optimizer,
                            const std::filesystem::path& folder, const json& document) {
    TrainerState state = stateFromJson(document);
    loadHuggingFace(decoder, folder);
    readOptimizer(optimizer, folder / optimizerFile);
    if (digestOf(decoder.parameters()) != document.at("model_sha256"))
        badCheckpoint("its weights are not those that were saved");
    if (digestOf(optimizer.state()) != document.at("optimizer_sha256"))
        badCheckpoint("its optimizer's state is not what was saved");
    return state;
}

/// Folders with a trainer_state.json, and what it holds: null where it is damaged.
std::vector<std::pair<std::filesystem::path, json>> findCheckpoints(const std::filesystem::path& folder) {
    std::vector<std::pair<std::filesystem::path, json>> found;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
        const std::string ending = entry.path().extension();
        const auto file = entry.path() / trainerStateFile;
        if (ending == ".partial" || ending == ".old" || !std::filesystem::exists(file))
            continue;
        std::ifstream stream(file);
        json document = json::parse(stream, nullptr, false);
        const bool whole =
            document.is_object() && document.contains("step") && document["step"].is_number_integer();
        found.emplace_back(entry.path(), whole ? std::move(document) : json());
    }
    const auto stepOf = [](const json& document) {
        return document.is_null() ? std::int64_t{-1} : document["step"].get<std::int64_t>();
    };
    std::sort(found.begin(), found.end(),
              [&](const auto& a, const auto& b) { return stepOf(a.second) > stepOf(b.second); });
    return found;
}

} // namespace

void saveCheckpoint(const Decoder& decoder, const AdamW& optimizer, const TrainerState& state,
                    const std::filesystem::path& folder, const std::filesystem::path& source) {
    saveHuggingFace(decoder, folder, source, [&](const std::filesystem::path& partial) {
        writeOptimizer(optimizer, partial / optimizerFile);
        json document = stateToJson(state);
        document["model_sha256"] = digestOf(decoder.parameters());
        document["optimizer_sha256"] = digestOf(optimizer.state());
        std::ofstream stream(partial / trainerStateFile);
        stream << document.dump(1) << '\n';
        stream.close();
        if (!stream)
            throw TrainerError(ExitCode::Disk, "cannot write " + (partial / trainerStateFile).string());
    });
}

std::optional<LoadedCheckpoint> loadNewestCheckpoint(const Decoder& decoder, const AdamW& optimizer,
                                                     const std::filesystem::path& folder) {
    const at::NoGradGuard noGrad;
    std::vector<std::string> damaged;
    for (const auto& [path, document] : findCheckpoints(folder)) {
        try {
            if (document.is_null())
                badCheckpoint(std::string(trainerStateFile) + " cannot be read");
            return LoadedCheckpoint{path, loadCheckpoint(decoder, optimizer, path, document),
                                    std::move(damaged)};
        } catch (const TrainerError& error) {
            damaged.push_back(path.string() + ": " + error.what());
        } catch (const json::exception& error) {
            damaged.push_back(path.string() + ": " + error.what());
        }
    }
    if (damaged.empty())
        return std::nullopt;
    std::string all;
    for (const auto& fault : damaged)
        all += "; " + fault;
    badCheckpoint("no checkpoint here is whole" + all +
                  "; to begin anew, move them away or set checkpoint.resume to \"never\"");
}

void deleteOldCheckpoints(const std::filesystem::path& folder, int keep) {
    for (const auto& [path, document] : findCheckpoints(folder)) {
        if (document.is_null() || !path.filename().string().starts_with("step-") || keep-- > 0)
            continue;
        std::error_code error;
        std::filesystem::remove_all(path, error);
        if (error)
            throw TrainerError(ExitCode::Disk, "cannot delete " + path.string() + ": " + error.message());
    }
}

} // namespace coxswain::trainer
