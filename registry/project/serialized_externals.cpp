// The tables are in this order: the engine's version, the platform, types (with or without the
// layout of their fields), objects, scripts, other files. Sizes depend on the version of the file.
// The engine's maker does not document the layout. AssetRipper and UnityPy read the same layout.
#include "registry/project/serialized_externals.h"

#include <algorithm>
#include <cstdint>

#include "registry/project/serialized_guids.h"

namespace muster {
namespace {

// The known versions of the format: files of Unity 5 and later.
constexpr std::uint32_t kVersionMin = 14;
constexpr std::uint32_t kVersionMax = 22;
constexpr std::size_t kGuidBytes = 16;
// The maximum number of rows of a table, so that reading a damaged file ends soon.
constexpr std::uint32_t kRowsMax = 1U << 20U;

/// Reads numbers of either byte order. After a read beyond the end, all further reads return 0.
class TableReader {
 public:
  TableReader(std::string_view bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  void set_big_endian(bool is_big) { is_big_ = is_big; }
  bool failed() const { return has_failed_; }
  std::size_t at() const { return at_; }

  std::uint64_t number(std::size_t size) {
    if (!has(size)) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t index = is_big_ ? i : size - 1 - i;
      value = value << 8U | static_cast<unsigned char>(bytes_[at_ + index]);
    }
    at_ += size;
    return value;
  }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  /// The number of rows that follow.
  std::uint32_t count() {
    const std::uint32_t rows = u32();
    if (rows > kRowsMax) has_failed_ = true;
    return has_failed_ ? 0 : rows;
  }
  void skip(std::uint64_t size) {
    if (has(size)) at_ += static_cast<std::size_t>(size);
  }
  void skip_text() {
    const std::size_t end = bytes_.find('\0', std::min(at_, bytes_.size()));
    if (end == std::string_view::npos) has_failed_ = true;
    if (!has_failed_) at_ = end + 1;
  }
  void align() { skip((4 - at_ % 4) % 4); }
  std::string_view bytes(std::size_t size) {
    if (!has(size)) return {};
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }

 private:
  bool has(std::uint64_t size) {
    has_failed_ = has_failed_ || size > bytes_.size() - std::min(at_, bytes_.size());
    return !has_failed_;
  }

  std::string_view bytes_;
  std::size_t at_;
  bool is_big_ = true;
  bool has_failed_ = false;
};

void skip_type(TableReader& reader, std::uint32_t version, bool has_fields) {
  constexpr std::uint32_t kScriptClass = 114;
  const std::uint32_t class_id = reader.u32();
  if (version >= 16) reader.skip(1);
  if (version >= 17) reader.skip(2);
  const bool is_script = version < 16 ? (class_id >> 31U) != 0 : class_id == kScriptClass;
  if (is_script) reader.skip(kGuidBytes);
  reader.skip(kGuidBytes);
  if (!has_fields) return;
  const std::uint64_t nodes = reader.count();
  const std::uint64_t text_bytes = reader.u32();
  reader.skip(nodes * (version >= 19 ? 32 : 24) + text_bytes);
  if (version >= 21) reader.skip(std::uint64_t{reader.count()} * 4);
}

void skip_object(TableReader& reader, std::uint32_t version) {
  reader.align();
  reader.skip(8);                                      // object id
  reader.skip(version >= kLargeFilesVersion ? 8 : 4);  // offset
  reader.skip(8);                                      // size and type
  if (version < 16) reader.skip(2);
  if (version < 17) reader.skip(2);
  if (version == 15 || version == 16) reader.skip(1);
}

// Converts a stored guid, in which the two hex digits of each byte are swapped.
Guid guid_from(std::string_view form) {
  boost::uuids::uuid value{};
  std::ranges::transform(form, value.begin(), [](char c) {
    const auto byte = static_cast<std::uint8_t>(c);
    return static_cast<std::uint8_t>(byte << 4U | byte >> 4U);
  });
  return Guid(value);
}

// Whether the header ends after the last table and its text. `reader` is after the table of other
// files. From version 20, a table of reference types follows. If this table is not empty, its end
// is unknown, so the end of the header is not checked.
bool has_stated_end(TableReader reader, std::string_view head, std::uint32_t version) {
  if (version >= 20 && reader.count() > 0) return !reader.failed();
  reader.skip_text();
  TableReader sizes(head, version >= kLargeFilesVersion ? 20 : 0);
  const std::size_t begin = version >= kLargeFilesVersion ? 48 : 20;
  return !reader.failed() && reader.at() == begin + sizes.u32();
}

}  // namespace

std::optional<std::vector<SerializedExternal>> read_externals(std::string_view head) {
  TableReader reader(head, 8);
  const std::uint32_t version = reader.u32();
  if (version < kVersionMin || version > kVersionMax) return std::nullopt;
  reader.skip(4);
  const bool is_big = reader.number(1) != 0;
  reader.skip(version >= kLargeFilesVersion ? 31 : 3);
  reader.set_big_endian(is_big);
  reader.skip_text();
  reader.skip(4);
  const bool has_fields = reader.number(1) != 0;
  for (std::uint32_t types = reader.count(); types > 0 && !reader.failed(); --types) {
    skip_type(reader, version, has_fields);
  }
  for (std::uint32_t objects = reader.count(); objects > 0 && !reader.failed(); --objects) {
    skip_object(reader, version);
  }
  for (std::uint32_t scripts = reader.count(); scripts > 0 && !reader.failed(); --scripts) {
    reader.skip(4);
    reader.align();
    reader.skip(8);
  }
  std::vector<SerializedExternal> externals;
  for (std::uint32_t files = reader.count(); files > 0 && !reader.failed(); --files) {
    reader.skip_text();
    const std::size_t offset = reader.at();
    const Guid guid = guid_from(reader.bytes(kGuidBytes));
    reader.skip(4);
    reader.skip_text();
    if (!guid.is_null()) externals.push_back({guid, offset});
  }
  if (reader.failed() || !has_stated_end(reader, head, version)) return std::nullopt;
  return externals;
}

}  // namespace muster
