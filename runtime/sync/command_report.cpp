// Encodes and decodes command reports. The bytes are described in SESSION_FORMAT.md, "Command
// reports".
#include "runtime/sync/command_report.h"

#include <algorithm>
#include <cmath>

#include "net/wire/section_writer.h"
#include "registry/base/bytes.h"
#include "runtime/sync/received_history.h"

namespace muster {
namespace {

constexpr float kLossStep = 1.0F / 256;

std::uint16_t earliness_steps(float ticks) {
  const float steps =
      std::clamp(std::round(ticks / CommandReport::kEarlinessStep), -32768.0F, 32767.0F);
  return static_cast<std::uint16_t>(static_cast<std::int16_t>(steps));
}
float earliness_of(std::uint16_t steps) {
  return static_cast<float>(static_cast<std::int16_t>(steps)) * CommandReport::kEarlinessStep;
}

}  // namespace

EncodedCommandReport CommandReport::encode() const {
  EncodedCommandReport encoded{.count = gaps != 0 ? kBytesWithBlock : kBytes};
  SectionWriter writer(std::span(encoded.bytes).first(encoded.count));
  writer.write_u32(newest.value());
  writer.write_u64(received);
  writer.write_u32(measured.value());
  writer.write_u16(earliness_steps(earliness_min));
  writer.write_u16(earliness_steps(earliness_last));
  writer.write_u8(waiting);
  writer.write_u8(
      static_cast<std::uint8_t>(std::clamp(std::round(loss / kLossStep), 0.0F, 255.0F)));
  writer.write_u32(starved);
  writer.write_u32(run.value());
  writer.write_u32(gaps);
  if (gaps == 0) return encoded;
  writer.write_u8(block);
  writer.write_u64(block_received);
  return encoded;
}

std::size_t CommandReport::bytes_in(std::span<const std::byte> bytes) {
  constexpr std::size_t kGapsOffset = kBytes - 4;
  if (bytes.size() < kBytesWithBlock) return std::min(bytes.size(), kBytes);
  ByteReader reader(bytes.subspan(kGapsOffset, 4));
  return reader.u32() != 0 ? kBytesWithBlock : kBytes;
}

std::optional<CommandReport> CommandReport::decode(std::span<const std::byte> bytes) {
  if (bytes.size() != kBytes && bytes.size() != kBytesWithBlock) return std::nullopt;
  ByteReader reader(bytes);
  CommandReport report;
  report.newest = CommandNumber(reader.u32());
  report.received = reader.u64();
  report.measured = CommandNumber(reader.u32());
  report.earliness_min = earliness_of(reader.u16());
  report.earliness_last = earliness_of(reader.u16());
  report.waiting = reader.u8();
  report.loss = static_cast<float>(reader.u8()) * kLossStep;
  report.starved = reader.u32();
  report.run = CommandNumber(reader.u32());
  report.gaps = reader.u32();
  if ((report.gaps != 0) != (bytes.size() == kBytesWithBlock)) return std::nullopt;
  if (report.gaps == 0) return report;
  report.block = reader.u8();
  report.block_received = reader.u64();
  if (report.block >= ReceivedHistory::kBlocks) return std::nullopt;
  return report;
}

}  // namespace muster
