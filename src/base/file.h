// Files: read-only mappings, whole reads, and writes that appear complete or not at all. Nothing else in Cria
// opens a file to read a model, state or vocabulary. All functions throw Error{io} or Error{not_found} naming
// the path and the reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cria {

// How the bytes of a ReadOnlyFile come into memory.
enum class FileAccess {
    mapped,  // mmap: nothing is read until it is touched, pages are shared between processes
    copied,  // read() into memory of this process
};

// A whole file as bytes. Move-only; bytes() stays valid as long as the object (or the one it was moved to)
// lives. Const calls are thread-safe.
class ReadOnlyFile {
  public:
    ReadOnlyFile() = default;
    ReadOnlyFile(ReadOnlyFile&& other) noexcept;
    ReadOnlyFile& operator=(ReadOnlyFile&& other) noexcept;
    ~ReadOnlyFile();

    // Refuses directories and other things that are not regular files.
    static ReadOnlyFile open(const std::string& path, FileAccess access = FileAccess::mapped);

    std::span<const std::byte> bytes() const { return {data_, size_}; }
    const std::string& path() const { return path_; }

    // Keeps the pages in memory; false (with a warning in the log) when the system's limit forbids it.
    bool lock_in_memory() const;

  private:
    void release() noexcept;

    std::string path_;
    const std::byte* data_ = nullptr;
    size_t size_ = 0;
    bool is_mapped_ = false;
    std::unique_ptr<std::byte[]> copy_;
};

// Writes to `path` + ".tmp-<pid>-<n>" and renames it on commit(): readers see the old file or the whole new
// one. Without commit() the temporary file is removed on destruction. Move-only.
class AtomicFileWriter {
  public:
    explicit AtomicFileWriter(const std::string& path);
    AtomicFileWriter(const AtomicFileWriter&) = delete;
    AtomicFileWriter& operator=(const AtomicFileWriter&) = delete;
    ~AtomicFileWriter();

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
    uint64_t written_bytes() const { return written_; }
    // Flushes, syncs to disk, renames, and syncs the folder. Nothing may be written afterwards.
    void commit();

  private:
    std::string path_;
    std::string temporary_path_;
    std::FILE* file_ = nullptr;
    uint64_t written_ = 0;
};

std::string read_text_file(const std::string& path);
// "-" reads standard input.
std::string read_text_file_or_stdin(const std::string& path);
bool file_exists(const std::string& path);

}  // namespace cria
