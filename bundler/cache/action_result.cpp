#include "bundler/cache/action_result.h"

namespace muster {
namespace {

// The field numbers in the .proto file.
constexpr std::uint64_t kOutputFiles = 2;  // ActionResult
constexpr std::uint64_t kPath = 1;         // OutputFile
constexpr std::uint64_t kDigest = 2;
constexpr std::uint64_t kContents = 5;
constexpr std::uint64_t kDigestHash = 1;  // Digest
constexpr std::uint64_t kDigestSize = 2;

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

constexpr std::string_view kFileName = "result";

void put_key(ByteWriter& writer, std::uint64_t field, WireType type) {
  writer.varint(field << 3U | static_cast<std::uint64_t>(type));
}

void put_bytes(ByteWriter& writer, std::uint64_t field, Bytes bytes) {
  put_key(writer, field, WireType::bytes);
  writer.varint(bytes.size());
  writer.bytes(bytes);
}

struct Field {
  std::uint64_t number = 0;
  WireType type = WireType::varint;
  std::uint64_t value = 0;  ///< The value of a varint.
  Bytes bytes;              ///< The value of a bytes field.
};

// Reads the next field. Returns no value at the end, or if the rest is not a valid message.
std::optional<Field> next_field(ByteReader& reader) {
  if (reader.remaining() == 0) return std::nullopt;
  const std::uint64_t key = reader.varint();
  Field field{
      .number = key >> 3U, .type = static_cast<WireType>(key & 7U), .value = 0, .bytes = {}};
  switch (field.type) {
    case WireType::varint:
      field.value = reader.varint();
      break;
    case WireType::bytes: {
      const std::uint64_t size = reader.varint();
      if (size > reader.remaining()) reader.fail();
      field.bytes = reader.bytes(static_cast<std::size_t>(reader.failed() ? 0 : size));
      break;
    }
    case WireType::fixed64:
      reader.u64();
      break;
    case WireType::fixed32:
      reader.u32();
      break;
    default:
      reader.fail();
  }
  if (reader.failed()) return std::nullopt;
  return field;
}

// Calls `visit` with every field. Returns false if the bytes are not a valid message.
template <typename Visit>
bool for_each_field(Bytes bytes, const Visit& visit) {
  ByteReader reader(bytes);
  while (const std::optional<Field> field = next_field(reader)) visit(*field);
  return !reader.failed();
}

std::optional<ActionResult> parse_digest(Bytes bytes) {
  std::optional<Sha256> hash;
  ActionResult result;
  const bool is_message = for_each_field(bytes, [&](const Field& field) {
    if (field.number == kDigestHash && field.type == WireType::bytes) {
      hash = Sha256::parse(as_text(field.bytes));
    } else if (field.number == kDigestSize && field.type == WireType::varint) {
      result.content_bytes = field.value;
    }
  });
  if (!is_message || !hash) return std::nullopt;
  result.content = *hash;
  return result;
}

}  // namespace

ActionResult name_result(Bytes result) {
  ActionResult named{.content = sha256(result), .content_bytes = result.size()};
  if (result.size() <= kInlinedBytesMax) named.inlined.emplace(result.begin(), result.end());
  return named;
}

ByteVector encode(const ActionResult& result) {
  ByteWriter digest;
  put_bytes(digest, kDigestHash, as_bytes(result.content.to_string()));
  put_key(digest, kDigestSize, WireType::varint);
  digest.varint(result.content_bytes);
  ByteWriter file;
  put_bytes(file, kPath, as_bytes(kFileName));
  put_bytes(file, kDigest, digest.view());
  if (result.inlined) put_bytes(file, kContents, *result.inlined);
  ByteWriter message;
  put_bytes(message, kOutputFiles, file.view());
  return message.release();
}

std::optional<ActionResult> parse_action_result(Bytes bytes) {
  std::size_t files = 0;
  std::optional<ActionResult> result;
  std::optional<ByteVector> inlined;
  if (bytes.size() > kActionResultBytesMax) return std::nullopt;
  bool is_message = for_each_field(bytes, [&](const Field& field) {
    if (field.number != kOutputFiles || field.type != WireType::bytes) return;
    ++files;
    is_message = for_each_field(field.bytes, [&](const Field& part) {
      if (part.type != WireType::bytes) return;
      if (part.number == kDigest) result = parse_digest(part.bytes);
      if (part.number == kContents) inlined.emplace(part.bytes.begin(), part.bytes.end());
    });
  });
  if (!is_message || files != 1 || !result) return std::nullopt;
  result->inlined = std::move(inlined);
  return result;
}

}  // namespace muster
