// SPDX-License-Identifier: Apache-2.0
#include "trainer/model/huggingface.h"

#include "trainer/dist/errors.h"
#include "trainer/model/safetensors.h"

#include <torch/torch.h>

#include <fcntl.h>
#include <unistd.h>

#include <fstream>

namespace coxswain::trainer {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

[[noreturn]] void bad(const std::string& message) {
    throw TrainerError(wire::ExitCode::BadModel, message);
}

json readJson(const fs::path& file) {
    std::ifstream stream(file);
    if (!stream)
        bad(file.string() +
            " cannot be read: expected a Hugging Face folder with config.json and *.safetensors");
    json value = json::parse(stream, nullptr, false);
    if (!value.is_object())
        bad(file.string() + " is not a JSON object");
    return value;
}

std::vector<SafetensorsFile> openWeights(const fs::path& folder) {
    std::vector<SafetensorsFile> files;
    const fs::path index = folder / "model.safetensors.index.json";
    if (!fs::exists(index)) {
        files.emplace_back(folder / "model.safetensors");
        return files;
    }
    const json map = readJson(index).value("weight_map", json::object());
    std::vector<std::string> names;
    for (const auto& [tensor, file] : map.items())
        if (file.is_string())
            names.push_back(file.get<std::string>());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (const auto& name : names) {
        if (fs::path(name).has_parent_path())
            bad(index.string() + " names a file outside of its folder: " + name);
        files.emplace_back(folder / name);
    }
    return files;
}

at::ScalarType scalarType(const std::string& type, const std::string& tensor) {
    if (type == "F32")
        return at::kFloat;
    if (type == "BF16")
        return at::kBFloat16;
    if (type == "F16")
        return at::kHalf;
    bad("tensor " + tensor + " has type " + type + "; expected F32, BF16 or F16");
}

std::string shapeText(at::IntArrayRef shape) {
    std::string text;
    for (const auto size : shape)
        text += (text.empty() ? "" : "×") + std::to_string(size);
    return text;
}

void syncFolder(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool good = descriptor >= 0 && ::fsync(descriptor) == 0;
    if (descriptor >= 0)
        ::close(descriptor);
    if (!good)
        throw TrainerError(wire::ExitCode::Disk, "cannot sync " + folder.string());
}

/// An older folder steps aside first, and goes when the new one is in its place.
void replaceFolder(const fs::path& partial, const fs::path& folder) {
    const fs::path old = folder.string() + ".old";
    std::error_code error;
    fs::remove_all(old, error);
    if (!error && fs::exists(folder))
        fs::rename(folder, old, error);
    if (!error)
        fs::rename(partial, folder, error);
    if (error)
        throw TrainerError(wire::ExitCode::Disk,
                           "cannot rename " + partial.string() + ": " + error.message());
    syncFolder(folder.parent_path());
    fs::remove_all(old, error);
}

} // namespace

json readConfig(const fs::path& folder) {
    return readJson(folder / "config.json");
}

void loadHuggingFace(const Decoder& decoder, const fs::path& folder) {
    const at::NoGradGuard noGrad;
    const auto files = openWeights(folder);
    for (const auto& [name, parameter] : decoder.parameters()) {
        const TensorView* found = nullptr;
        for (const auto& file : files)
            if (const auto at = file.tensors().find(name); at != file.tensors().end())
                found = &at->second;
        if (!found)
            bad(folder.string() + " has no tensor " + name);
        if (parameter.sizes() != at::IntArrayRef(found->shape))
            bad("tensor " + name + ": expected " + shapeText(parameter.sizes()) + ", found " +
                shapeText(found->shape));
        const auto view =
            at::from_blob(const_cast<void*>(found->data), found->shape, scalarType(found->type, name));
        parameter.copy_(view);
    }
}

void saveHuggingFace(const Decoder& decoder, const fs::path& folder) {
    const fs::path partial = folder.string() + ".partial";
    std::error_code ignored;
    fs::remove_all(partial, ignored);
    std::error_code error;
    fs::create_directories(partial, error);
    if (error)
        throw TrainerError(wire::ExitCode::Disk,
                           "cannot create " + partial.string() + ": " + error.message());
    std::vector<at::Tensor> held; // keeps copies from another device alive until they are written
    std::vector<std::pair<std::string, TensorView>> tensors;
    for (const auto& [name, tensor] : decoder.parameters()) {
        held.push_back(tensor.detach().to(at::kCPU).contiguous());
        tensors.push_back(
            {name, {"F32", tensor.sizes().vec(), held.back().const_data_ptr(), held.back().nbytes()}});
    }
    writeSafetensors(partial / "model.safetensors", tensors);
    json config = decoder.config().original;
    config["architectures"] = {decoder.config().modelType == "qwen2" ? "Qwen2ForCausalLM"
                                                                     : "LlamaForCausalLM"};
    // transformers 5 calls it dtype, and prefers that where both stand.
    config[config.contains("dtype") ? "dtype" : "torch_dtype"] = "float32";
    std::ofstream stream(partial / "config.json");
    stream << config.dump(2) << '\n';
    stream.close();
    if (!stream)
        throw TrainerError(wire::ExitCode::Disk, "cannot write " + (partial / "config.json").string());
    syncFolder(partial);
    replaceFolder(partial, folder);
}

} // namespace coxswain::trainer
