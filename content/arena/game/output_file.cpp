#include "content/arena/game/output_file.h"

#include <optional>
#include <utility>

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

Result<OutputFile> OutputFile::create(const std::string& path) {
  std::string problem;
  std::optional<AppendedFile> file = AppendedFile::create(path, problem);
  if (!file) return fail(ErrorCode::io, "cannot write '" + path + "': " + problem);
  return OutputFile(path, std::move(*file));
}

OutputFile::OutputFile(std::string path, AppendedFile file)
    : path_(std::move(path)), file_(std::move(file)) {}

Result<void> OutputFile::append(std::span<const std::byte> bytes) {
  return told(file_.append(bytes));
}

Result<void> OutputFile::flush() { return told(file_.flush()); }

Result<void> OutputFile::finish() { return told(file_.finish()); }

Result<void> OutputFile::told(bool is_written) const {
  if (is_written) return {};
  return fail(ErrorCode::io, "cannot write '" + path_ + "': is the disk full?");
}

}  // namespace arena
