// Recognises by their first bytes the files that people take for GGUF models.
#include "gguf/sniff.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "gguf/text.h"

namespace cria::gguf {
namespace {

struct KnownStart {
    std::string_view start;
    const char* words;
};

constexpr const char* kOldFamily =
    "it is a file of the old GGML family, which GGUF replaced; convert the original model to GGUF again";
constexpr const char* kArchive = "it is an archive; unpack it first";
constexpr const char* kWebPage =
    "it is a web page, probably of a failed download or a login; download the file itself";

constexpr std::array<KnownStart, 17> kKnown = {{
    {"lmgg", kOldFamily},
    {"fmgg", kOldFamily},
    {"tjgg", kOldFamily},
    {"algg", "it is a LoRA adapter of the old GGML family; convert the original adapter to GGUF again"},
    {"FUGG",
     "its bytes are in the order of a big-endian machine; convert the model again for little-endian ones"},
    {"version https://git-lfs",
     "it is a git-lfs pointer, not the model; run `git lfs pull` or download the file itself"},
    {"<!DOCTYPE", kWebPage},
    {"<!doctype", kWebPage},
    {"<html", kWebPage},
    {"<HTML", kWebPage},
    {"<?xml", "it is an XML answer of a server, not the model; download the file again"},
    {"{", "it is JSON text (a configuration, or a server's error), not the model"},
    {"PK\x03\x04", "it is a zip archive or a PyTorch checkpoint; convert the model to GGUF"},
    {"\x1f\x8b", kArchive},
    {"\x28\xb5\x2f\xfd", kArchive},
    {"\x80\x02", "it is a pickled PyTorch file; convert the model to GGUF"},
    {"Entry not found", "it is the answer of a server that has no such file; check the address"},
}};

bool is_safetensors(std::string_view text) {
    uint64_t header_bytes = 0;
    if (text.size() < 10) return false;
    std::memcpy(&header_bytes, text.data(), sizeof(header_bytes));
    return text[8] == '{' && text[9] == '"' && header_bytes < (uint64_t{1} << 32);
}

}  // namespace

std::string describe_other_file(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                                std::min<size_t>(bytes.size(), 64));
    if (text.empty()) return "it is empty; download it again";
    if (is_safetensors(text)) return "it is a safetensors file; convert the model to GGUF";
    for (const KnownStart& known : kKnown) {
        if (text.starts_with(known.start)) return known.words;
    }
    if (text.size() < 4) return "it has only " + std::to_string(text.size()) + " bytes; download it again";
    if (text.find_first_not_of('\0') == std::string_view::npos) {
        return "it starts with zeros, as an unfinished download does; download it again";
    }
    return "it starts with " + quoted(text.substr(0, 4)) + ", not 'GGUF'";
}

}  // namespace cria::gguf
