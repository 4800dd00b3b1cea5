// Disk access: reads whole captures, and appends to files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster {

/// A file that is written from its start: a capture, or a file made from one.
class AppendedFile {
 public:
  /// Creates or empties the file. On failure returns nothing and sets `problem`.
  static std::optional<AppendedFile> create(const std::string& path, std::string& problem);

  /// False if some bytes were not written; then all later calls also return false.
  [[nodiscard]] bool append(std::span<const std::byte> bytes);
  /// Passes buffered bytes to the system; false if this or an earlier write failed.
  [[nodiscard]] bool flush();
  /// Like `flush`. Call it at the end of the file.
  [[nodiscard]] bool finish() { return flush(); }

 private:
  struct Close {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
  };
  explicit AppendedFile(std::FILE* file) : file_(file) {}

  std::unique_ptr<std::FILE, Close> file_;
  bool failed_ = false;
};

/// Reads a whole file of at most `bytes_max`. If it cannot be read or is larger, returns nothing
/// and sets `problem`.
std::optional<std::vector<std::byte>> read_capture_file(const std::string& path,
                                                        std::uint64_t bytes_max,
                                                        std::string& problem);

}  // namespace muster
