// The edge to the disk: captures are read whole and appended to.
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

/// A file that is written from its beginning, for captures and what is made of them.
class AppendedFile {
 public:
  /// Creates the file, or empties it. Nothing when that fails; `problem` then says why.
  static std::optional<AppendedFile> create(const std::string& path, std::string& problem);

  /// False when not everything was written, from then on always.
  [[nodiscard]] bool append(std::span<const std::byte> bytes);
  /// Hands to the system what still waits; false when that or anything before failed.
  [[nodiscard]] bool flush();
  /// The same, at the end.
  [[nodiscard]] bool finish() { return flush(); }

 private:
  struct Close {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
  };
  explicit AppendedFile(std::FILE* file) : file_(file) {}

  std::unique_ptr<std::FILE, Close> file_;
  bool failed_ = false;
};

/// A whole file of at most `bytes_max`. Nothing when it cannot be read or is larger; `problem` then
/// says why.
std::optional<std::vector<std::byte>> read_capture_file(const std::string& path,
                                                        std::uint64_t bytes_max,
                                                        std::string& problem);

}  // namespace muster
