#include "runtime/session/session_recorder.h"

#include "net/wire/section_writer.h"
#include "registry/base/bytes.h"

namespace muster {
namespace {

constexpr std::size_t kHeadBytes = 8 + 8 + 16 + 16;

}  // namespace

std::vector<std::byte> encode(const SessionInfo& info) {
  std::vector<std::byte> bytes(kHeadBytes + info.structs.size());
  SectionWriter writer(bytes);
  writer.write_u64(info.application);
  writer.write_u64(info.content);
  writer.write_bytes(info.level);
  writer.write_bytes(info.placed);
  writer.write_bytes(info.structs);
  return bytes;
}

std::optional<SessionInfo> decode_session_info(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  SessionInfo info;
  info.application = reader.u64();
  info.content = reader.u64();
  reader.read_into(info.level);
  reader.read_into(info.placed);
  if (reader.failed()) return std::nullopt;
  const std::span<const std::byte> rest = reader.bytes(reader.remaining());
  info.structs.assign(rest.begin(), rest.end());
  return info;
}

SessionRecorder::SessionRecorder(std::unique_ptr<OutputFile> file, std::uint16_t ticks_per_second,
                                 const ReplicationSchema& schema, const SessionInfo& info)
    : file_(std::move(file)), writer_({.ticks_per_second = ticks_per_second}, schema) {
  writer_.begin_map(encode(info));
}

Result<void> SessionRecorder::write() {
  if (writer_.pending().empty()) return {};
  Result<void> written = file_->append(writer_.pending());
  writer_.clear_pending();
  return written ? file_->flush() : written;
}

Result<void> SessionRecorder::finish() {
  writer_.finish();
  return write();
}

}  // namespace muster
