#include "vocab/testing.h"

#include <fmt/core.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "base/error.h"
#include "gguf/reader.h"
#include "vocab/read_vocab.h"

namespace cria::vocab_testing {

std::string conformance_folder() {
    const std::string folder = CRIA_SOURCE_DIR "/../shared/conformance/text/tokenizers";
    return std::filesystem::is_directory(folder) ? folder : "";
}

std::vector<std::string> conformance_names() {
    std::vector<std::string> names;
    if (conformance_folder().empty()) return names;
    for (const auto& entry : std::filesystem::directory_iterator(conformance_folder())) {
        if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

nlohmann::json read_conformance_json(const std::string& name) {
    std::ifstream file(conformance_folder() + "/" + name + ".json");
    return nlohmann::json::parse(file);
}

VocabData read_conformance_vocab(const std::string& name) {
    const std::string command = "xz -dc '" + conformance_folder() + "/" + name + ".gguf.xz'";
    std::FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) fail(ErrorCode::io, "cannot run {}", command);
    std::string bytes;
    std::string block(1 << 20, '\0');
    for (size_t n = 0; (n = std::fread(block.data(), 1, block.size(), pipe)) > 0;) bytes.append(block, 0, n);
    if (pclose(pipe) != 0) fail(ErrorCode::io, "{} failed", command);
    return read_vocab(gguf::Reader::from_bytes(std::as_bytes(std::span(bytes)), name));
}

std::string from_hex(std::string_view hex) {
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::string bytes;
    for (size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
    return bytes;
}

std::string to_hex(std::string_view bytes) {
    std::string hex;
    for (const char byte : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return hex;
}

void Fnv::add(std::string_view bytes) {
    for (const char byte : bytes) state_ = (state_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
}
void Fnv::add_u32(uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) state_ = (state_ ^ (value >> shift & 0xff)) * 0x100000001b3u;
}
void Fnv::add_ids(const std::vector<int32_t>& ids) {
    for (const int32_t id : ids) add_u32(static_cast<uint32_t>(id));
}
std::string Fnv::hex() const { return fmt::format("{:016x}", state_); }

namespace {
struct Job {
    const std::function<void()>* function;
    std::exception_ptr error;
};
void* run_job(void* argument) {
    auto* job = static_cast<Job*>(argument);
    try {
        (*job->function)();
    } catch (...) {
        job->error = std::current_exception();
    }
    return nullptr;
}
}  // namespace

void run_on_small_stack(const std::function<void()>& function) {
    Job job{&function, nullptr};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 * 1024);
    pthread_t thread;
    const int failed = pthread_create(&thread, &attributes, run_job, &job);
    pthread_attr_destroy(&attributes);
    if (failed != 0) fail(ErrorCode::io, "no thread with a small stack: {}", failed);
    pthread_join(thread, nullptr);
    if (job.error) std::rethrow_exception(job.error);
}

double thread_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::string show(const std::vector<int32_t>& ids) {
    std::string text;
    for (size_t i = 0; i < std::min<size_t>(ids.size(), 40); ++i) text += fmt::format("{} ", ids[i]);
    return ids.size() > 40 ? text + fmt::format("... ({})", ids.size()) : text;
}

}  // namespace cria::vocab_testing
