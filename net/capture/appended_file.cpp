#include "net/capture/appended_file.h"

#include <array>
#include <cerrno>
#include <cstring>

namespace muster {

std::optional<AppendedFile> AppendedFile::create(const std::string& path, std::string& problem) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    problem = std::strerror(errno);
    return std::nullopt;
  }
  return AppendedFile(file);
}

bool AppendedFile::append(std::span<const std::byte> bytes) {
  if (!failed_ && !bytes.empty()) {
    failed_ = std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size();
  }
  return !failed_;
}

bool AppendedFile::flush() {
  if (!failed_) failed_ = std::fflush(file_.get()) != 0;
  return !failed_;
}

std::optional<std::vector<std::byte>> read_capture_file(const std::string& path,
                                                        std::uint64_t bytes_max,
                                                        std::string& problem) {
  struct Close {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    problem = std::strerror(errno);
    return std::nullopt;
  }
  std::vector<std::byte> bytes;
  std::array<std::byte, 65536> piece{};
  for (std::size_t count = piece.size(); count > 0;) {
    count = std::fread(piece.data(), 1, piece.size(), file.get());
    if (bytes.size() + count > bytes_max) {
      problem = "it is larger than " + std::to_string(bytes_max) + " bytes";
      return std::nullopt;
    }
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
  }
  if (std::ferror(file.get()) != 0) {
    problem = std::strerror(errno);
    return std::nullopt;
  }
  return bytes;
}

}  // namespace muster
