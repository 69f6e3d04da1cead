// SPDX-License-Identifier: Apache-2.0
#include "trainer/model/huggingface.h"

#include "trainer/dist/errors.h"
#include "trainer/model/safetensors.h"

#include <torch/torch.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <set>

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

/// The tensors of a model folder, by the names in its files.
class Weights {
public:
    explicit Weights(const fs::path& folder) : m_folder(folder) {
        const fs::path index = folder / "model.safetensors.index.json";
        if (!fs::exists(index)) {
            m_files.emplace_back(folder / "model.safetensors");
            return;
        }
        const json map = readJson(index).value("weight_map", json::object());
        std::set<std::string> names;
        for (const auto& [tensor, file] : map.items()) {
            if (!file.is_string())
                bad(index.string() + ": \"weight_map\": \"" + tensor + "\" names no file");
            names.insert(file.get<std::string>());
        }
        for (const auto& name : names) {
            if (fs::path(name).has_parent_path())
                bad(index.string() + " names a file outside of its folder: " + name);
            m_files.emplace_back(folder / name);
        }
        for (const auto& [tensor, file] : map.items())
            if (!find(tensor))
                bad(index.string() + ": " + file.get<std::string>() + " has no tensor " + tensor);
    }

    const TensorView* find(const std::string& name) const {
        for (const auto& file : m_files)
            if (const auto found = file.tensors().find(name); found != file.tensors().end())
                return &found->second;
        return nullptr;
    }
    /// What the files call a parameter; nothing where they have none.
    std::optional<std::string> nameOf(const std::string& parameter, bool conditional) const {
        for (const auto& candidate : candidates(parameter, conditional))
            if (find(candidate))
                return candidate;
        return std::nullopt;
    }
    template <class F>
    void forEach(const F& visit) const {
        for (const auto& file : m_files)
            for (const auto& [name, view] : file.tensors())
                visit(name, view);
    }

private:
    static std::vector<std::string> candidates(const std::string& parameter, bool conditional) {
        if (!conditional)
            return {parameter};
        if (!parameter.starts_with("model."))
            return {"language_model." + parameter, parameter};
        return {"language_model." + parameter, "model.language_model." + parameter.substr(6), parameter};
    }

    fs::path m_folder;
    std::vector<SafetensorsFile> m_files;
};

constexpr const char* headName = "lm_head.weight";
constexpr const char* embeddingName = "model.embed_tokens.weight";

bool isHead(const std::string& name) {
    return name == headName || name == std::string("language_model.") + headName;
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

at::Tensor tensorOf(const TensorView& view, const std::string& name) {
    return at::from_blob(const_cast<void*>(view.data), view.shape, scalarType(view.type, name));
}

bool holdsWeights(const fs::path& file) {
    const std::string name = file.filename().string();
    for (const char* ending : {".safetensors", ".safetensors.index.json", ".bin", ".bin.index.json", ".pt",
                               ".pth", ".gguf", ".h5", ".msgpack", ".onnx"})
        if (name.ends_with(ending))
            return true;
    return false;
}

void copyOtherFiles(const fs::path& source, const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(source)) {
        if (!entry.is_regular_file() || holdsWeights(entry.path()) ||
            entry.path().filename() == "config.json" || entry.path().filename() == trainerStateFile)
            continue;
        std::error_code error;
        fs::copy_file(entry.path(), folder / entry.path().filename(), fs::copy_options::overwrite_existing,
                      error);
        if (error)
            throw TrainerError(wire::ExitCode::Disk,
                               "cannot copy " + entry.path().string() + ": " + error.message());
    }
}

/// transformers 5 calls it dtype, and prefers that where both stand.
void setType(json& config) {
    config[config.contains("dtype") ? "dtype" : "torch_dtype"] = "float32";
}

json configToSave(const DecoderConfig& c) {
    static const std::map<std::string, const char*> classes{
        {"qwen2", "Qwen2ForCausalLM"},
        {"llama", "LlamaForCausalLM"},
        {"gemma3_text", "Gemma3ForCausalLM"},
        {"hunyuan_v1_dense", "HunYuanDenseV1ForCausalLM"}};
    json config = c.original;
    if (!config.contains("architectures") || !config["architectures"].is_array())
        config["architectures"] = {c.insideConditional ? "Gemma3ForConditionalGeneration"
                                                       : classes.at(c.modelType)};
    setType(config);
    const bool saidTied = parseDecoderConfig(config).tiedEmbeddings;
    if (saidTied != c.tiedEmbeddings)
        config["tie_word_embeddings"] = c.tiedEmbeddings;
    if (c.insideConditional) {
        setType(config["text_config"]);
        if (saidTied != c.tiedEmbeddings)
            config["text_config"]["tie_word_embeddings"] = c.tiedEmbeddings;
    }
    return config;
}

} // namespace

DecoderConfig readDecoderConfig(const fs::path& folder) {
    DecoderConfig config = parseDecoderConfig(readJson(folder / "config.json"));
    if (!config.tiedEmbeddings)
        return config;
    const Weights weights(folder);
    const auto head = weights.nameOf(headName, config.insideConditional);
    const auto embedding = weights.nameOf(embeddingName, config.insideConditional);
    if (head && embedding) {
        const TensorView& a = *weights.find(*head);
        const TensorView& b = *weights.find(*embedding);
        config.tiedEmbeddings =
            a.type == b.type && a.shape == b.shape && std::memcmp(a.data, b.data, a.bytes) == 0;
    }
    return config;
}

void loadHuggingFace(const Decoder& decoder, const fs::path& folder) {
    const at::NoGradGuard noGrad;
    const Weights weights(folder);
    for (const auto& [name, parameter] : decoder.parameters()) {
        const auto found = weights.nameOf(name, decoder.config().insideConditional);
        if (!found)
            bad(folder.string() + " has no tensor " + name);
        const TensorView& view = *weights.find(*found);
        if (parameter.sizes() != at::IntArrayRef(view.shape))
            bad("tensor " + *found + ": expected " + shapeText(parameter.sizes()) + ", found " +
                shapeText(view.shape));
        parameter.copy_(tensorOf(view, *found));
    }
}

void saveHuggingFace(const Decoder& decoder, const fs::path& folder, const fs::path& source,
                     const std::function<void(const fs::path&)>& addFiles) {
    const fs::path partial = folder.string() + ".partial";
    std::error_code ignored;
    fs::remove_all(partial, ignored);
    std::error_code error;
    fs::create_directories(partial, error);
    if (error)
        throw TrainerError(wire::ExitCode::Disk,
                           "cannot create " + partial.string() + ": " + error.message());
    const auto& config = decoder.config();
    const auto from = source.empty() ? std::nullopt : std::optional<Weights>(std::in_place, source);
    std::vector<at::Tensor> held; // keeps copies from another device alive until they are written
    std::vector<std::pair<std::string, TensorView>> tensors;
    std::set<std::string> written;
    for (const auto& [name, tensor] : decoder.parameters()) {
        held.push_back(tensor.detach().to(at::kCPU).contiguous());
        const std::string saved = from ? from->nameOf(name, config.insideConditional).value_or(name) : name;
        tensors.push_back(
            {saved, {"F32", tensor.sizes().vec(), held.back().const_data_ptr(), held.back().nbytes()}});
        written.insert(saved);
    }
    if (from)
        from->forEach([&](const std::string& name, const TensorView& view) {
            if (!written.contains(name) && !isHead(name)) // the head of a tied model would be the old one
                tensors.push_back({name, view});
        });
    writeSafetensors(partial / "model.safetensors", tensors);
    if (from)
        copyOtherFiles(source, partial);
    std::ofstream stream(partial / "config.json");
    stream << configToSave(config).dump(2) << '\n';
    stream.close();
    if (!stream)
        throw TrainerError(wire::ExitCode::Disk, "cannot write " + (partial / "config.json").string());
    if (addFiles)
        addFiles(partial);
    syncFolder(partial);
    replaceFolder(partial, folder);
}

} // namespace coxswain::trainer
