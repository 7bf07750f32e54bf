// Files on POSIX systems.
#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/log.h"

namespace cria {
namespace {

class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const { return fd_; }

  private:
    int fd_;
};

[[noreturn]] void fail_errno(const char* action, const std::string& path) {
    const int reason = errno;
    fail(reason == ENOENT ? ErrorCode::not_found : ErrorCode::io, "cannot {} '{}': {}", action, path,
         std::strerror(reason));
}

void read_fully(int fd, std::byte* out, size_t size, const std::string& path) {
    size_t done = 0;
    while (done < size) {
        const ssize_t n = ::read(fd, out + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail_errno("read", path);
        if (n == 0)
            fail(ErrorCode::io, "'{}' became shorter while it was read ({} of {} bytes)", path, done, size);
        done += static_cast<size_t>(n);
    }
}

std::string folder_of(const std::string& path) {
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

ReadOnlyFile::ReadOnlyFile(ReadOnlyFile&& other) noexcept { *this = std::move(other); }

ReadOnlyFile& ReadOnlyFile::operator=(ReadOnlyFile&& other) noexcept {
    if (this == &other) return *this;
    release();
    path_ = std::move(other.path_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    is_mapped_ = std::exchange(other.is_mapped_, false);
    copy_ = std::move(other.copy_);
    return *this;
}

ReadOnlyFile::~ReadOnlyFile() { release(); }

void ReadOnlyFile::release() noexcept {
    if (is_mapped_) ::munmap(const_cast<std::byte*>(data_), size_);
    copy_.reset();
    data_ = nullptr;
    size_ = 0;
    is_mapped_ = false;
}

ReadOnlyFile ReadOnlyFile::open(const std::string& path, FileAccess access) {
    const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0) fail_errno("open", path);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) fail_errno("examine", path);
    if (!S_ISREG(status.st_mode)) fail(ErrorCode::io, "'{}' is not a regular file", path);

    ReadOnlyFile file;
    file.path_ = path;
    file.size_ = static_cast<size_t>(status.st_size);
    if (file.size_ == 0) return file;
    if (access == FileAccess::mapped) {
        void* address = ::mmap(nullptr, file.size_, PROT_READ, MAP_SHARED, fd.get(), 0);
        if (address == MAP_FAILED) {
            file.size_ = 0;
            fail_errno("map", path);
        }
        file.data_ = static_cast<const std::byte*>(address);
        file.is_mapped_ = true;
        return file;
    }
    file.copy_ = std::make_unique_for_overwrite<std::byte[]>(file.size_);
    read_fully(fd.get(), file.copy_.get(), file.size_, path);
    file.data_ = file.copy_.get();
    return file;
}

bool ReadOnlyFile::lock_in_memory() const {
    if (size_ == 0 || ::mlock(data_, size_) == 0) return true;
    log_warning(
        "cannot lock '{}' ({} bytes) in memory: {}; raise the limit (ulimit -l) or leave the option out",
        path_, size_, std::strerror(errno));
    return false;
}

AtomicFileWriter::AtomicFileWriter(const std::string& path) : path_(path) {
    static std::atomic<unsigned> counter{0};
    temporary_path_ = fmt::format("{}.tmp-{}-{}", path, ::getpid(), counter++);
    file_ = std::fopen(temporary_path_.c_str(), "wbx");
    if (file_ == nullptr) fail_errno("create", temporary_path_);
}

AtomicFileWriter::~AtomicFileWriter() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    ::unlink(temporary_path_.c_str());
}

void AtomicFileWriter::write(std::span<const std::byte> bytes) {
    if (bytes.empty()) return;  // an empty span may have no address, which fwrite must not be given
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
        fail_errno("write", temporary_path_);
    written_ += bytes.size();
}

void AtomicFileWriter::commit() {
    if (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0) fail_errno("write", temporary_path_);
    std::FILE* file = std::exchange(file_, nullptr);
    const bool is_closed = std::fclose(file) == 0;
    if (!is_closed || ::rename(temporary_path_.c_str(), path_.c_str()) != 0) {
        const int reason = errno;
        ::unlink(temporary_path_.c_str());
        errno = reason;
        fail_errno("finish", path_);
    }
    const Descriptor folder(::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() >= 0) ::fsync(folder.get());
}

std::string read_text_file(const std::string& path) {
    const ReadOnlyFile file = ReadOnlyFile::open(path, FileAccess::copied);
    const auto bytes = file.bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string read_text_file_or_stdin(const std::string& path) {
    if (path != "-") return read_text_file(path);
    return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

bool file_exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace cria
