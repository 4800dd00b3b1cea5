#include "bundler/incremental/input_hashes.h"

#include <limits>

namespace muster {

ContentHash InputHashes::hash_of(const AssetPath& path) const {
  if (const auto seen = inputs_.hash_of(path)) return *seen;
  const FileStamp stamp = inputs_.record_stamp(path);
  if (!stamp.exists || stamp.kind != FileKind::file) return {};
  if (const StateInput* known = find_unchanged(path, stamp)) {
    inputs_.assume(path,
                   known->hash);  // If this build later reads the file and finds other content, the
                                  // change is detected.
    return known->hash;
  }
  ByteVector buffer;
  const auto bytes = inputs_.read(path, 0, std::numeric_limits<std::uint64_t>::max(), buffer);
  return bytes ? hash_bytes(bytes.value()) : ContentHash();
}

const StateInput* InputHashes::find_unchanged(const AssetPath& path, const FileStamp& stamp) const {
  const StateInput* known = earlier_ == nullptr ? nullptr : earlier_->find(path);
  const bool is_unchanged = known != nullptr && known->use == InputUse::whole &&
                            known->is_settled && known->stamp == stamp && stamp.exists &&
                            stamp.kind == FileKind::file;
  return is_unchanged ? known : nullptr;
}

}  // namespace muster
