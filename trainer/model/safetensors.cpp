// SPDX-License-Identifier: Apache-2.0
#include "trainer/model/safetensors.h"

#include "trainer/dist/errors.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace coxswain::trainer {
namespace {

using nlohmann::json;
constexpr std::uint64_t maxHeader = 100'000'000; // the format's own cap

[[noreturn]] void bad(const std::filesystem::path& file, const std::string& fault) {
    throw TrainerError(wire::ExitCode::BadModel, file.string() + ": " + fault);
}

std::size_t checkedBytes(const std::filesystem::path& file, const std::string& name, const TensorView& view) {
    std::size_t bytes = safetensorsTypeSize(view.type);
    if (bytes == 0)
        bad(file, "tensor " + name + " has the unknown type \"" + view.type + "\"");
    for (const auto size : view.shape)
        if (size < 0 || __builtin_mul_overflow(bytes, static_cast<std::size_t>(size), &bytes))
            bad(file, "tensor " + name + " has an impossible shape");
    return bytes;
}

/// The buffer must be covered exactly, in any order.
void checkCoverage(const std::filesystem::path& file, std::vector<std::pair<std::size_t, std::size_t>> ranges,
                   std::size_t bufferBytes) {
    std::sort(ranges.begin(), ranges.end());
    std::size_t at = 0;
    for (const auto& [begin, end] : ranges) {
        if (begin != at)
            bad(file,
                begin < at ? "two tensors overlap" : "the buffer has a hole at byte " + std::to_string(at));
        at = end;
    }
    if (at != bufferBytes)
        bad(file, "expected " + std::to_string(at) + " bytes of tensors, found " +
                      std::to_string(bufferBytes) + " (cut short, or still being written?)");
}

std::shared_ptr<const void> mapFile(const std::filesystem::path& file, std::size_t& bytes) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
        const std::string reason = std::strerror(errno);
        if (descriptor >= 0)
            ::close(descriptor);
        bad(file, "cannot be read: " + reason);
    }
    bytes = static_cast<std::size_t>(status.st_size);
    void* data = bytes > 0 ? ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
    ::close(descriptor);
    if (data == MAP_FAILED)
        bad(file, bytes == 0 ? "is empty" : std::string("cannot be mapped: ") + std::strerror(errno));
    return {data, [bytes](const void* p) { ::munmap(const_cast<void*>(p), bytes); }};
}

TensorView readView(const std::filesystem::path& file, const std::string& name, const json& entry,
                    std::pair<std::size_t, std::size_t>& range) {
    TensorView view;
    try {
        view.type = entry.at("dtype").get<std::string>();
        view.shape = entry.at("shape").get<std::vector<std::int64_t>>();
        range = entry.at("data_offsets").get<std::pair<std::size_t, std::size_t>>();
    } catch (const json::exception& e) {
        bad(file, "tensor " + name + ": damaged header: " + e.what());
    }
    view.bytes = checkedBytes(file, name, view);
    if (range.second < range.first || range.second - range.first != view.bytes)
        bad(file, "tensor " + name + ": its offsets do not match its shape");
    return view;
}

class OutputFile {
public:
    explicit OutputFile(std::filesystem::path file)
        : m_file(std::move(file)),
          m_descriptor(::open(m_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {
        if (m_descriptor < 0)
            fail();
    }
    ~OutputFile() { ::close(m_descriptor); }
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    void write(const void* data, std::size_t bytes) {
        const char* at = static_cast<const char*>(data);
        while (bytes > 0) {
            const ssize_t n = ::write(m_descriptor, at, std::min<std::size_t>(bytes, 1 << 30));
            if (n < 0 && errno != EINTR)
                fail();
            if (n > 0) {
                at += n;
                bytes -= static_cast<std::size_t>(n);
            }
        }
    }
    void sync() {
        if (::fsync(m_descriptor) != 0)
            fail();
    }

private:
    [[noreturn]] void fail() {
        throw TrainerError(wire::ExitCode::Disk,
                           "cannot write " + m_file.string() + ": " + std::strerror(errno));
    }
    std::filesystem::path m_file;
    int m_descriptor;
};

} // namespace

std::size_t safetensorsTypeSize(const std::string& type) {
    static const std::map<std::string, std::size_t> sizes{
        {"F64", 8},  {"I64", 8}, {"U64", 8}, {"F32", 4}, {"I32", 4}, {"U32", 4}, {"F16", 2},
        {"BF16", 2}, {"I16", 2}, {"U16", 2}, {"I8", 1},  {"U8", 1},  {"BOOL", 1}};
    const auto found = sizes.find(type);
    return found == sizes.end() ? 0 : found->second;
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& file) {
    std::size_t bytes = 0;
    m_mapping = mapFile(file, bytes);
    const char* data = static_cast<const char*>(m_mapping.get());
    std::uint64_t headerBytes = 0;
    if (bytes < sizeof headerBytes)
        bad(file, "too short for a safetensors file");
    std::memcpy(&headerBytes, data, sizeof headerBytes); // little-endian, as this machine
    if (headerBytes > maxHeader || headerBytes > bytes - sizeof headerBytes)
        bad(file, "not a safetensors file, or cut short: its header claims " + std::to_string(headerBytes) +
                      " bytes");
    const char* header = data + sizeof headerBytes;
    const json object = json::parse(header, header + headerBytes, nullptr, false);
    if (headerBytes == 0 || *header != '{' || !object.is_object())
        bad(file, "not a safetensors file: its header is not a JSON object");
    const std::size_t bufferBytes = bytes - sizeof headerBytes - headerBytes;
    std::vector<std::pair<std::size_t, std::size_t>> ranges;
    for (const auto& [name, entry] : object.items()) {
        if (name == "__metadata__")
            continue;
        std::pair<std::size_t, std::size_t> range;
        TensorView view = readView(file, name, entry, range);
        view.data = header + headerBytes + range.first;
        ranges.push_back(range);
        m_tensors.emplace(name, std::move(view));
    }
    checkCoverage(file, std::move(ranges), bufferBytes);
}

void writeSafetensors(const std::filesystem::path& file,
                      const std::vector<std::pair<std::string, TensorView>>& tensors) {
    json header = {{"__metadata__", {{"format", "pt"}}}};
    std::size_t at = 0;
    for (const auto& [name, view] : tensors) {
        header[name] = {{"dtype", view.type}, {"shape", view.shape}, {"data_offsets", {at, at + view.bytes}}};
        at += view.bytes;
    }
    std::string text = header.dump();
    text.append((8 - text.size() % 8) % 8, ' ');
    const std::uint64_t headerBytes = text.size();
    OutputFile out(file);
    out.write(&headerBytes, sizeof headerBytes);
    out.write(text.data(), text.size());
    for (const auto& [name, view] : tensors)
        out.write(view.data, view.bytes);
    out.sync();
}

} // namespace coxswain::trainer
