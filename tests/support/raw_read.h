// Reads files with few system calls, and drops files from the kernel's cache.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "registry/base/bytes.h"

namespace muster {

/// Reads a whole file into `buffer`, which grows and never shrinks.
inline Bytes read_raw(const std::string& path, ByteVector& buffer) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info {};
  if (file < 0 || ::fstat(file, &info) != 0) throw std::runtime_error("cannot open " + path);
  const auto size = static_cast<std::size_t>(info.st_size);
  if (buffer.size() < size) buffer.resize(size);
  if (::read(file, buffer.data(), size) != info.st_size) throw std::runtime_error("short " + path);
  ::close(file);
  return Bytes(buffer).first(size);
}

/// Writes a file's pages to the disk and drops them from the cache.
inline void forget_pages(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw std::runtime_error("cannot open " + path);
  ::fdatasync(file);
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  ::close(file);
}

}  // namespace muster
