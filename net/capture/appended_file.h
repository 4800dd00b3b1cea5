// The disk access of captures: reads whole files, and appends to files.
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

/// A file that is written by appending: a capture, or a pcap file.
class AppendedFile {
 public:
  /// Creates or empties the file. On failure returns nothing and sets `problem`.
  static std::optional<AppendedFile> create(const std::string& path, std::string& problem);

  /// Appends bytes. Returns false if some bytes were not written. All later calls then also return
  /// false.
  [[nodiscard]] bool append(std::span<const std::byte> bytes);
  /// Passes buffered bytes to the system. Returns false if this or an earlier write failed.
  [[nodiscard]] bool flush();
  /// Ends the file. Does the same as `flush`.
  [[nodiscard]] bool finish() { return flush(); }

 private:
  struct Close {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
  };
  explicit AppendedFile(std::FILE* file) : file_(file) {}

  std::unique_ptr<std::FILE, Close> file_;
  bool failed_ = false;
};

/// Reads a whole file. If the file cannot be read or has more than `bytes_max` bytes, returns
/// nothing and sets `problem`.
std::optional<std::vector<std::byte>> read_capture_file(const std::string& path,
                                                        std::uint64_t bytes_max,
                                                        std::string& problem);

}  // namespace muster
