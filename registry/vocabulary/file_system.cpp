#include "registry/vocabulary/file_system.h"

namespace muster {

Result<Bytes> read_whole(const FileSystem& files, const AssetPath& path, std::uint64_t max_bytes,
                         ByteVector& buffer) {
  auto bytes = files.read(path, 0, max_bytes + 1, buffer);
  if (bytes && bytes.value().size() > max_bytes) {
    return fail(ErrorCode::limit_exceeded,
                "'" + path.text() + "' has more than " + std::to_string(max_bytes) + " bytes");
  }
  return bytes;
}

Result<void> write_atomically(FileSystem& files, const AssetPath& path, Bytes bytes) {
  // A leading dot hides the temporary from Unity and from our own walk of a project.
  const AssetPath temporary = path.parent().child("." + std::string(path.name()) + ".tmp");
  if (auto written = files.write(temporary, bytes); !written) return written;
  if (auto moved = files.commit(temporary, path); !moved) {
    // The failure to move is what the caller must hear of; a left-over temporary is harmless.
    (void)files.remove(temporary).has_value();
    return moved;
  }
  return files.remove(temporary);
}

}  // namespace muster
