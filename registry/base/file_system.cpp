#include "registry/base/file_system.h"

#include "registry/base/content_hash.h"
#include "registry/base/file_stamp.h"

namespace muster {
namespace {

constexpr std::string_view kTemporaryPrefix = ".muster-";
constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr std::size_t kTemporaryDigits = 16;

}  // namespace

Result<void> commit_move(FileSystem& files, const AssetPath& from, const AssetPath& to) {
  const Move move{from, to};
  return files.commit(std::span(&move, 1));
}

Result<Bytes> read_whole(const FileReader& files, const AssetPath& path, std::uint64_t max_bytes,
                         ByteVector& buffer) {
  auto bytes = files.read(path, 0, max_bytes + 1, buffer);
  if (bytes && bytes.value().size() > max_bytes) {
    return fail(ErrorCode::limit_exceeded,
                "'" + path.text() + "' has more than " + std::to_string(max_bytes) + " bytes");
  }
  return bytes;
}

Result<void> write_atomically(FileSystem& files, const AssetPath& path, Bytes bytes) {
  const auto present = files.stat(path);
  if (present && !present.value().target.empty()) {
    return write_atomically(files, AssetPath(present.value().target), bytes);
  }
  // A device or a pipe must not be replaced, so the bytes are written into it.
  if (present && (present.value().is_link || present.value().kind != FileKind::file)) {
    return files.write(path, bytes);
  }
  // Unity and the index ignore names with a leading dot. The hash of name and content gives
  // different temporary names to two processes that write different data. The length is fixed,
  // because the name of the file may already have the maximum length.
  const std::string name_hash = hash_bytes(as_bytes(path.name())).to_string().substr(0, 8);
  const std::string content_hash = hash_bytes(bytes).to_string().substr(0, 8);
  const AssetPath temporary = path.parent().child(std::string(kTemporaryPrefix) + name_hash +
                                                  content_hash + std::string(kTemporarySuffix));
  if (auto written = files.write(temporary, bytes); !written) return written;
  auto moved = commit_move(files, temporary, path);
  // Reports only the failed move. A remaining temporary file is harmless.
  if (!moved) (void)files.remove(temporary).has_value();
  return moved;
}

bool is_temporary_name(std::string_view name) {
  constexpr std::size_t kBytes =
      kTemporaryPrefix.size() + kTemporaryDigits + kTemporarySuffix.size();
  return name.size() == kBytes && name.starts_with(kTemporaryPrefix) &&
         name.ends_with(kTemporarySuffix) &&
         name.substr(kTemporaryPrefix.size(), kTemporaryDigits)
                 .find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

FileStamp stamp_of(const FileStamps& stamps, const AssetPath& path) {
  FileStamp stamp;
  const std::string_view name = path.empty() ? std::string_view() : path.name();
  stamps.stamps_in(path.parent(), std::span(&name, 1), std::span(&stamp, 1));
  return stamp;
}

}  // namespace muster
