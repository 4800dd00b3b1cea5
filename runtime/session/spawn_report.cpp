#include "runtime/session/spawn_report.h"

#include <algorithm>
#include <array>

#include "net/wire/section_writer.h"
#include "registry/base/bytes.h"

namespace muster {
namespace {

constexpr std::size_t kHeadBytes = 3;
constexpr std::size_t kSpawnBytes = 4;

}  // namespace

std::string_view to_string(SpawnRefusal refusal) {
  switch (refusal) {
    case SpawnRefusal::none:
      return "the server spawned the entity";
    case SpawnRefusal::no_network_id:
      return "the server has no free network id";
    case SpawnRefusal::unknown_type:
      return "the server's build does not have the type";
    case SpawnRefusal::not_spawned:
      return "the server's systems did not spawn the entity";
  }
  return {};
}

void SpawnReport::add(const PredictedKey& key, SpawnRefusal refusal) {
  if (key.is_none()) return;
  if (spawns_.size() == kSpawnsMax) {
    // Removes all spawns of the oldest listed command, because covered commands are complete.
    const CommandNumber oldest = spawns_.front().key.command;
    std::erase_if(spawns_, [&](const Spawn& one) { return one.key.command == oldest; });
    const std::int32_t after = command_steps(oldest, executed_);
    covered_ = std::min(covered_, static_cast<std::uint32_t>(std::max(after, 0)));
    if (oldest == key.command) overflow_ = oldest;
  }
  if (overflow_ == key.command) return;
  spawns_.push_back({.key = key, .refusal = refusal});
}

void SpawnReport::end_command(CommandNumber number) {
  if (number.is_none() || number == executed_) return;
  // Skipped commands did not run, so they have no spawns.
  const std::int32_t steps = command_steps(executed_, number);
  const bool is_next = !executed_.is_none() && steps > 0;
  covered_ = is_next ? std::min(covered_ + static_cast<std::uint32_t>(steps), kCommands) : 1;
  if (overflow_ == number) covered_ = 0;
  executed_ = number;
  std::erase_if(spawns_, [&](const Spawn& one) {
    const std::int32_t back = command_steps(one.key.command, executed_);
    return back < 0 || back >= static_cast<std::int32_t>(covered_);
  });
}

void SpawnReport::encode(std::vector<std::byte>& out) const {
  std::array<std::byte, kHeadBytes + kSpawnsMax * kSpawnBytes> memory;
  SectionWriter writer(memory);
  writer.write_u16(executed_.value() & 0xFFFFU);
  writer.write_u8(covered_);
  for (const Spawn& one : spawns_) {
    writer.write_u8(static_cast<std::uint32_t>(command_steps(one.key.command, executed_)));
    writer.write_u8(one.key.system);
    writer.write_u8(one.key.order);
    writer.write_u8(static_cast<std::uint32_t>(one.refusal));
  }
  out.insert(out.end(), writer.written().begin(), writer.written().end());
}

bool SpawnReport::decode(std::span<const std::byte> bytes, CommandNumber newest) {
  ByteReader reader(bytes);
  const std::uint32_t low = reader.u16();
  const std::uint32_t covered = reader.u8();
  if (reader.failed() || covered > kCommands || reader.remaining() % kSpawnBytes != 0 ||
      reader.remaining() / kSpawnBytes > kSpawnsMax) {
    return false;
  }
  // The newest sent command whose low 16 bits are `low`.
  const CommandNumber executed = newest - ((newest.value() - low) & 0xFFFFU);
  spawns_.clear();
  while (reader.remaining() > 0) {
    Spawn& one = spawns_.emplace_back();
    const std::uint32_t back = reader.u8();
    one.key = {.command = executed - back, .system = reader.u8(), .order = reader.u8()};
    const std::uint8_t refusal = reader.u8();
    if (back >= covered || refusal > static_cast<std::uint8_t>(SpawnRefusal::unknown_type)) {
      spawns_.clear();
      return false;
    }
    one.refusal = static_cast<SpawnRefusal>(refusal);
  }
  executed_ = executed;
  covered_ = covered;
  return true;
}

std::optional<SpawnRefusal> SpawnReport::find(const PredictedKey& key) const {
  const std::int32_t back = command_steps(key.command, executed_);
  if (executed_.is_none() || back < 0 || back >= static_cast<std::int32_t>(covered_))
    return std::nullopt;
  const auto found = std::ranges::find(spawns_, key, &Spawn::key);
  if (found != spawns_.end()) return found->refusal;
  if (back < kLateCommandsMax) return std::nullopt;
  return SpawnRefusal::not_spawned;
}

}  // namespace muster
