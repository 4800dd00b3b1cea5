#include "net/replication/replication_messages.h"

#include <algorithm>

#include "net/wire/section_writer.h"
#include "registry/base/bytes.h"

namespace muster {
namespace {

constexpr std::uint32_t kSetupMagic = 0x3142524D;  // "MRB1"
constexpr std::size_t kMessageBytes = 1024;
/// The size of a `begin` of version 1. No later version has the same size.
constexpr std::size_t kFirstBeginBytes = 38;

/// Writes a message into a buffer large enough for any message.
template <typename Write>
std::vector<std::byte> written(ReplicationMessage kind, const Write& write) {
  std::array<std::byte, kMessageBytes> memory;
  SectionWriter writer(memory);
  writer.write_u8(static_cast<std::uint32_t>(kind));
  write(writer);
  const std::span<const std::byte> bytes = writer.written();
  return {bytes.begin(), bytes.end()};
}

/// Returns a reader at the byte after the kind. The reader has already failed if the message has
/// another kind.
ByteReader reader_of(std::span<const std::byte> bytes, ReplicationMessage kind) {
  ByteReader reader(bytes);
  if (reader.u8() != static_cast<std::uint8_t>(kind)) reader.fail();
  return reader;
}

}  // namespace

std::vector<std::byte> encode(const JoinMessage& message) {
  return written(ReplicationMessage::join, [&](SectionWriter& writer) {
    writer.write_u16(message.wish.snapshot_ticks);
    writer.write_u32(message.wish.bytes_per_second);
  });
}

std::vector<std::byte> encode(const BeginMessage& message) {
  return written(ReplicationMessage::begin, [&](SectionWriter& writer) {
    const ReplicationVersions versions;
    writer.write_u16(versions.replication);
    writer.write_u16(versions.snapshots);
    writer.write_bytes(message.schema);
    writer.write_bytes(message.model);
    writer.write_u16(message.ticks_per_second);
    writer.write_u16(message.snapshot_ticks);
    writer.write_u8(static_cast<std::uint32_t>(message.coder));
  });
}

std::vector<std::byte> encode(const WantMessage& message) {
  return written(ReplicationMessage::want, [&](SectionWriter& writer) {
    writer.write_u8((message.schema ? 1U : 0U) | (message.model ? 2U : 0U));
  });
}

std::vector<std::byte> encode(const UnreadableMessage& message) {
  return written(ReplicationMessage::unreadable,
                 [&](SectionWriter& writer) { writer.write_u16(message.number); });
}

std::vector<std::byte> encode(const DivergedMessage& message) {
  return written(ReplicationMessage::diverged, [&](SectionWriter& writer) {
    writer.write_u32(codec_id(message.id));
    writer.write_u32(message.tick.value());
    writer.write_u16(static_cast<std::uint32_t>(message.codec_type));
    const std::size_t count = std::min(message.lanes.size(), kDivergedLanesMax);
    writer.write_u16(static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) writer.write_u32(message.lanes[i]);
  });
}

std::vector<std::byte> encode(const MissingMessage& message) {
  return written(ReplicationMessage::missing, [&](SectionWriter& writer) {
    writer.write_u32(codec_id(message.id));
    writer.write_u32(message.tick.value());
    writer.write_u16(static_cast<std::uint32_t>(message.codec_type));
    writer.write_u16(static_cast<std::uint32_t>(message.component));
  });
}

std::vector<std::byte> encode(const TruthMessage& message) {
  return written(ReplicationMessage::truth, [&](SectionWriter& writer) {
    writer.write_u32(codec_id(message.id));
    writer.write_u32(message.tick.value());
    writer.write_u16(static_cast<std::uint32_t>(message.codec_type));
    writer.write_u16(message.lane);
    writer.write_u32(message.ours);
    writer.write_u32(message.theirs);
  });
}

std::vector<std::byte> encode(const SetupRefusedMessage& message) {
  return written(ReplicationMessage::setup_refused,
                 [&](SectionWriter& writer) { writer.write_u32(message.setup_bytes); });
}

std::vector<std::byte> encode(ReplicationMessage kind) {
  return written(kind, [](SectionWriter&) {});
}

std::optional<ReplicationMessage> kind_of(std::span<const std::byte> message) {
  if (message.empty()) return std::nullopt;
  const auto kind = static_cast<ReplicationMessage>(message[0]);
  const bool is_client = kind >= ReplicationMessage::join && kind <= ReplicationMessage::missing;
  const bool is_server =
      kind >= ReplicationMessage::begin && kind <= ReplicationMessage::setup_refused;
  if (!is_client && !is_server) return std::nullopt;
  return kind;
}

bool decode(std::span<const std::byte> bytes, JoinMessage& message) {
  ByteReader reader = reader_of(bytes, ReplicationMessage::join);
  message.wish.snapshot_ticks = reader.u16();
  message.wish.bytes_per_second = reader.u32();
  return reader.is_finished();
}

std::optional<ReplicationVersions> versions_of(std::span<const std::byte> begin) {
  if (begin.size() == kFirstBeginBytes) return std::nullopt;
  ByteReader reader = reader_of(begin, ReplicationMessage::begin);
  ReplicationVersions versions;
  versions.replication = reader.u16();
  versions.snapshots = reader.u16();
  if (reader.failed()) return std::nullopt;
  return versions;
}

bool decode(std::span<const std::byte> bytes, BeginMessage& message) {
  if (versions_of(bytes) != ReplicationVersions{}) return false;
  ByteReader reader = reader_of(bytes, ReplicationMessage::begin);
  reader.u16();
  reader.u16();
  reader.read_into(message.schema);
  reader.read_into(message.model);
  message.ticks_per_second = reader.u16();
  message.snapshot_ticks = reader.u16();
  message.coder = static_cast<SnapshotCoder>(reader.u8());
  return reader.is_finished() && message.ticks_per_second > 0 && message.snapshot_ticks > 0 &&
         message.coder <= SnapshotCoder::reference;
}

bool decode(std::span<const std::byte> bytes, WantMessage& message) {
  ByteReader reader = reader_of(bytes, ReplicationMessage::want);
  const std::uint8_t flags = reader.u8();
  message.schema = (flags & 1U) != 0;
  message.model = (flags & 2U) != 0;
  return reader.is_finished() && flags <= 3;
}

bool decode(std::span<const std::byte> bytes, UnreadableMessage& message) {
  ByteReader reader = reader_of(bytes, ReplicationMessage::unreadable);
  message.number = reader.u16();
  return reader.is_finished();
}

bool decode(std::span<const std::byte> bytes, DivergedMessage& message) {
  ByteReader reader = reader_of(bytes, ReplicationMessage::diverged);
  message.id = SliceId{reader.u32()};
  message.tick = Tick(reader.u32());
  message.codec_type = static_cast<CodecType>(reader.u16());
  const std::uint16_t count = reader.u16();
  message.lanes.clear();
  if (count > kDivergedLanesMax) return false;
  for (std::uint16_t i = 0; i < count; ++i) message.lanes.push_back(reader.u32());
  return reader.is_finished();
}

bool decode(std::span<const std::byte> bytes, MissingMessage& message) {
  ByteReader reader = reader_of(bytes, ReplicationMessage::missing);
  message.id = SliceId{reader.u32()};
  message.tick = Tick(reader.u32());
  message.codec_type = static_cast<CodecType>(reader.u16());
  message.component = SchemaComponent{reader.u16()};
  return reader.is_finished();
}

bool decode(std::span<const std::byte> bytes, TruthMessage& message) {
  ByteReader reader = reader_of(bytes, ReplicationMessage::truth);
  message.id = SliceId{reader.u32()};
  message.tick = Tick(reader.u32());
  message.codec_type = static_cast<CodecType>(reader.u16());
  message.lane = reader.u16();
  message.ours = reader.u32();
  message.theirs = reader.u32();
  return reader.is_finished();
}

bool decode(std::span<const std::byte> bytes, SetupRefusedMessage& message) {
  ByteReader reader = reader_of(bytes, ReplicationMessage::setup_refused);
  message.setup_bytes = reader.u32();
  return reader.is_finished();
}

std::vector<std::byte> encode_setup(const SetupBlock& setup) {
  constexpr std::size_t kHeadBytes = 16;
  std::vector<std::byte> bytes(kHeadBytes + setup.schema.size() + setup.model.size() +
                               setup.map_info.size());
  SectionWriter writer(bytes);
  writer.write_u32(kSetupMagic);
  for (const auto part : {setup.schema, setup.model, setup.map_info}) {
    writer.write_u32(static_cast<std::uint32_t>(part.size()));
  }
  for (const auto part : {setup.schema, setup.model, setup.map_info}) writer.write_bytes(part);
  return bytes;
}

bool is_setup(std::span<const std::byte> block) {
  ByteReader reader(block);
  return reader.u32() == kSetupMagic;
}

std::optional<SetupBlock> decode_setup(std::span<const std::byte> block) {
  ByteReader reader(block);
  if (reader.u32() != kSetupMagic) return std::nullopt;
  const std::uint32_t schema = reader.u32();
  const std::uint32_t model = reader.u32();
  const std::uint32_t map_info = reader.u32();
  SetupBlock setup;
  setup.schema = reader.bytes(schema);
  setup.model = reader.bytes(model);
  setup.map_info = reader.bytes(map_info);
  if (!reader.is_finished()) return std::nullopt;
  return setup;
}

Divergence divergence_of(const MissingMessage& missing, const ReplicationSchema& schema,
                         const TypeViews& views) {
  Divergence divergence{.kind = Divergence::Kind::missing,
                        .id = views.entity_of(missing.id),
                        .tick = missing.tick,
                        .type = std::nullopt,
                        .field = {}};
  if (codec_index(missing.codec_type) < views.count()) {
    divergence.type = schema.type(views.view(missing.codec_type).type).id;
  }
  if (schema_index(missing.component) < schema.components.size()) {
    divergence.kind = Divergence::Kind::missing_component;
    divergence.field = schema.component(missing.component).name;
  }
  return divergence;
}

// Each lane adds one multiplication and one shift, so that every bit of every lane affects all bits
// of the result.
std::uint32_t checksum(std::span<const LaneValue> lanes) {
  std::uint64_t state = 0x9E37'79B9'7F4A'7C15;
  for (const LaneValue lane : lanes) {
    state = (state ^ lane) * 0xFF51'AFD7'ED55'8CCD;
    state ^= state >> 32U;
  }
  return static_cast<std::uint32_t>(state);
}

}  // namespace muster
