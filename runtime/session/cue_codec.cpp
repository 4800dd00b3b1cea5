#include "runtime/session/cue_codec.h"

#include <array>
#include <cmath>
#include <cstring>

#include "net/wire/section_writer.h"
#include "registry/base/bytes.h"
#include "registry/base/wire_limits.h"

namespace muster {
namespace {

enum Flag : std::uint32_t { kEffect = 1, kRotation = 2, kLine = 4, kNamed = 8, kKeyed = 16 };
constexpr std::uint32_t kFlags = 31;
/// The maximum size of the parts before a message: index, flags, key and cause.
constexpr std::size_t kMessageHeadBytesMax = 2 + 1 + 6 + 4;
static_assert(kEmittedBytesMax == kEventBytesMax - kMessageHeadBytesMax);
/// The maximum size of all parts except the name and the message.
constexpr std::size_t kHeadBytesMax = kMessageHeadBytesMax + 12 + 16 + 12 + 1;

void write_floats(SectionWriter& writer, std::span<const float> values) {
  for (const float value : values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    writer.write_u32(bits);
  }
}

bool read_floats(ByteReader& reader, std::span<float> values) {
  bool are_finite = true;
  for (float& value : values) {
    const std::uint32_t bits = reader.u32();
    std::memcpy(&value, &bits, sizeof value);
    are_finite = are_finite && std::isfinite(value);
  }
  return are_finite;
}

Vec3 vector_of(const std::array<float, 3>& values) { return {values[0], values[1], values[2]}; }

}  // namespace

bool encode_cue(const SentCue& cue, std::vector<std::byte>& out) {
  const bool is_named = cue.effect && !cue.effect->id();
  const std::string_view name = is_named ? cue.effect->name() : std::string_view();
  if (name.size() > kEffectNameMax) return false;
  const EffectOptions& options = cue.options;
  const Quaternion still;
  const bool is_turned = options.rotation.x != still.x || options.rotation.y != still.y ||
                         options.rotation.z != still.z || options.rotation.w != still.w;
  std::array<std::byte, kHeadBytesMax + kEffectNameMax> memory;
  SectionWriter writer(memory);
  writer.write_u16(kCueIndex);
  std::uint32_t flags = cue.key.is_none() ? 0U : kKeyed;
  if (cue.effect) {
    flags |= kEffect | (is_turned ? kRotation : 0U) | (options.line_end ? kLine : 0U) |
             (is_named ? kNamed : 0U);
  }
  writer.write_u8(flags);
  if (!cue.key.is_none()) {
    writer.write_u32(cue.key.command.value());
    writer.write_u16(cue.key.system_and_order());
  }
  writer.write_u32(static_cast<std::uint32_t>(cue.cause.network_id));
  if (cue.effect) {
    const Vec3& at = options.position;
    write_floats(writer, std::array{at.x, at.y, at.z});
    const Quaternion& turn = options.rotation;
    if (is_turned) write_floats(writer, std::array{turn.x, turn.y, turn.z, turn.w});
    if (options.line_end) {
      const Vec3& end = *options.line_end;
      write_floats(writer, std::array{end.x, end.y, end.z});
    }
    if (is_named) {
      writer.write_u8(static_cast<std::uint32_t>(name.size()));
      writer.write_bytes(std::as_bytes(std::span(name)));
    } else {
      writer.write_u32(cue.effect->id()->value());
    }
  }
  out.insert(out.end(), writer.written().begin(), writer.written().end());
  if (!cue.effect) out.insert(out.end(), cue.message.begin(), cue.message.end());
  return true;
}

std::optional<SentCue> decode_cue(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  SentCue cue;
  const bool is_cue = reader.u16() == kCueIndex;
  const std::uint32_t flags = reader.u8();
  if (!is_cue || (flags & ~kFlags) != 0) return std::nullopt;
  if ((flags & kKeyed) != 0) {
    const CommandNumber command(reader.u32());
    cue.key = PredictedKey::from(command, reader.u16());
    if (cue.key.is_none()) return std::nullopt;
  }
  cue.cause.network_id = static_cast<std::int32_t>(reader.u32());
  if ((flags & kEffect) == 0) {
    if (reader.failed() || (flags & ~kKeyed) != 0) return std::nullopt;
    cue.message = bytes.subspan(reader.position());
    return cue;
  }
  std::array<float, 3> three{};
  std::array<float, 4> four{};
  bool are_finite = read_floats(reader, three);
  cue.options.position = vector_of(three);
  if ((flags & kRotation) != 0) {
    are_finite = read_floats(reader, four) && are_finite;
    cue.options.rotation = {four[0], four[1], four[2], four[3]};
  }
  if ((flags & kLine) != 0) {
    are_finite = read_floats(reader, three) && are_finite;
    cue.options.line_end = vector_of(three);
  }
  if ((flags & kNamed) != 0) {
    const std::span<const std::byte> name = reader.bytes(reader.u8());
    if (name.size() > kEffectNameMax) return std::nullopt;
    cue.effect = std::string_view(reinterpret_cast<const char*>(name.data()), name.size());
  } else {
    cue.effect = TypeId(reader.u32());
  }
  if (!reader.is_finished() || !are_finite) return std::nullopt;
  return cue;
}

}  // namespace muster
