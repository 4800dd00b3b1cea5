#include "runtime/assets/bundle_source.h"

#include "runtime/assets/memory_source.h"

namespace muster {

std::vector<Result<std::unique_ptr<BundleFile>>> BundleSource::open_all(
    std::span<const OpenRequest> requests) const {
  std::vector<Result<std::unique_ptr<BundleFile>>> results;
  results.reserve(requests.size());
  for (const OpenRequest& request : requests) {
    results.push_back(open(request.path, request.max_bytes));
  }
  return results;
}

std::string BundleSource::full_path(std::string_view path) const {
  return name() + "/" + std::string(path);
}

tl::unexpected<Error> fail_too_large(const std::string& path, std::uint64_t max_bytes) {
  return fail(ErrorCode::limit_exceeded,
              "'" + path + "' has more than " + std::to_string(max_bytes) + " bytes");
}

// The message is short enough for the small-string buffer, so nothing is allocated.
tl::unexpected<Error> fail_without_memory() noexcept {
  return fail(ErrorCode::limit_exceeded, "out of memory");
}

Error why_not_opened(const BundleSource& source, std::string_view path,
                     std::optional<std::uint64_t> file_bytes, const Error& error) {
  switch (error.code) {
    case ErrorCode::not_found:
      return {error.code, "is missing: build again, or copy the whole folder"};
    case ErrorCode::invalid_argument:
      return {ErrorCode::malformed, "is not a file, but a folder or a device: build again"};
    case ErrorCode::limit_exceeded:
      // A source also fails with this code if there is not enough memory.
      if (file_bytes.has_value() && source.file_bytes(path).value_or(0) > *file_bytes) {
        return {ErrorCode::hash_mismatch, "is not of this build: it has more than the " +
                                              std::to_string(*file_bytes) +
                                              " bytes that the catalog names"};
      }
      break;
    default:
      break;
  }
  return {error.code, "cannot be read: " + error.message};
}

/// Parses the path before the folder is added, so the path cannot lead out of the folder.
Result<AssetPath> FileSystemSource::path_of(std::string_view path) const {
  Result<AssetPath> below = AssetPath::parse(path);
  if (!below) return fail(below.error());
  const std::string prefix = folder_.empty() ? "" : folder_.text() + "/";
  return AssetPath::parse(prefix + below.value().text());
}

std::optional<std::uint64_t> FileSystemSource::file_bytes(std::string_view path) const {
  const Result<AssetPath> whole = path_of(path);
  if (!whole) return std::nullopt;
  const Result<FileInfo> info = files_.stat(whole.value());
  if (!info) return std::nullopt;
  return info.value().size_bytes;
}

Result<std::unique_ptr<BundleFile>> FileSystemSource::open(std::string_view path,
                                                           std::uint64_t max_bytes) const {
  const Result<AssetPath> whole = path_of(path);
  if (!whole) return fail(whole.error());
  ByteVector buffer;
  Result<Bytes> read = read_whole(files_, whole.value(), max_bytes, buffer);
  if (!read) return fail(read.error());
  buffer.resize(read.value().size());
  return make_owned_file(std::move(buffer));
}

std::string FileSystemSource::name() const { return folder_.empty() ? "." : folder_.text(); }

}  // namespace muster
