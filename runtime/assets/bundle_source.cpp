#include "runtime/assets/bundle_source.h"

#include "runtime/assets/memory_source.h"

namespace muster {

std::vector<Result<std::unique_ptr<HeldFile>>> BundleSource::open_all(
    std::span<const OpenRequest> requests) const {
  std::vector<Result<std::unique_ptr<HeldFile>>> results;
  results.reserve(requests.size());
  for (const OpenRequest& request : requests) {
    results.push_back(open(request.path, request.max_bytes));
  }
  return results;
}

std::string BundleSource::place_of(std::string_view path) const {
  return name() + "/" + std::string(path);
}

tl::unexpected<Error> fail_too_large(const std::string& place, std::uint64_t max_bytes) {
  return fail(ErrorCode::limit_exceeded,
              "'" + place + "' has more than " + std::to_string(max_bytes) + " bytes");
}

// Short enough for a string's own place.
tl::unexpected<Error> fail_without_memory() noexcept {
  return fail(ErrorCode::limit_exceeded, "out of memory");
}

Error why_not_opened(const BundleSource& source, std::string_view path,
                     std::optional<std::uint64_t> file_bytes, const Error& error) {
  // Sources report want of memory with the same code, so a larger file has to be opened to be
  // recognized. This bounds the memory for it.
  constexpr std::uint64_t kExcessBytesMax = std::uint64_t{256} << 20U;
  switch (error.code) {
    case ErrorCode::not_found:
      return {error.code, "is missing: build again, or copy the folder whole"};
    case ErrorCode::invalid_argument:
      return {ErrorCode::malformed, "is not a file, but a folder or a device: build again"};
    case ErrorCode::limit_exceeded:
      if (!file_bytes.has_value()) break;
      if (const auto file = source.open(path, *file_bytes + kExcessBytesMax);
          file && file.value()->bytes().size() > *file_bytes) {
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

Result<std::unique_ptr<HeldFile>> FileSystemSource::open(std::string_view path,
                                                         std::uint64_t max_bytes) const {
  // Parsed alone, a path cannot climb out of the folder.
  Result<AssetPath> below = AssetPath::parse(path);
  if (!below) return fail(below.error());
  const std::string prefix = folder_.empty() ? "" : folder_.text() + "/";
  Result<AssetPath> place = AssetPath::parse(prefix + below.value().text());
  if (!place) return fail(place.error());
  ByteVector buffer;
  Result<Bytes> read = read_whole(files_, place.value(), max_bytes, buffer);
  if (!read) return fail(read.error());
  buffer.resize(read.value().size());
  return hold(std::move(buffer));
}

std::string FileSystemSource::name() const { return folder_.empty() ? "." : folder_.text(); }

}  // namespace muster
