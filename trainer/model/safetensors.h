// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace coxswain::trainer {

/// One tensor of a file in safetensors format. `data` points into the mapped file.
struct TensorView {
    std::string type; ///< "F32", "BF16", "F16", "I64", …
    std::vector<std::int64_t> shape;
    const void* data = nullptr;
    std::size_t bytes = 0;
};

/// Reads a safetensors file, memory-mapped. The header is checked in full: sizes match shapes, the buffer is
/// covered without holes or overlaps. Throws TrainerError(BadModel) that names file, tensor and fault.
class SafetensorsFile {
public:
    explicit SafetensorsFile(const std::filesystem::path& file);

    const std::map<std::string, TensorView>& tensors() const { return m_tensors; }

private:
    std::shared_ptr<const void> m_mapping;
    std::map<std::string, TensorView> m_tensors;
};

/// Bytes of an element; 0 for a type that the format does not know.
std::size_t safetensorsTypeSize(const std::string& type);

/// Writes tensors in the given order with metadata {"format": "pt"}, synced to disk.
/// Throws TrainerError(Disk).
void writeSafetensors(const std::filesystem::path& file,
                      const std::vector<std::pair<std::string, TensorView>>& tensors);

} // namespace coxswain::trainer
