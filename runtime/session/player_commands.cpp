// SESSION_FORMAT.md, "Commands".
#include "runtime/session/player_commands.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>

#include "net/wire/byte_io.h"

namespace muster {
namespace {

/// Sets in a packet: the commands of a tick are lost only when this many packets are.
constexpr std::uint32_t kSetsPerPacket = 3;
constexpr std::uint8_t kPressesMax = 7;

std::uint8_t load_byte(Bytes value, std::uint32_t offset) {
  return std::to_integer<std::uint8_t>(value[offset]);
}

void add_press(ByteVector& value, std::uint32_t offset, std::uint32_t count) {
  const std::uint32_t sum = load_byte(value, offset) + count;
  value[offset] = static_cast<std::byte>(std::min<std::uint32_t>(sum, kPressesMax));
}

/// Whether `later` follows `earlier`, as numbers that wrap.
bool is_later(std::uint32_t later, std::uint32_t earlier) {
  return static_cast<std::int32_t>(later - earlier) > 0;
}

}  // namespace

std::vector<ButtonField> button_fields(const ComponentDescription& command) {
  constexpr std::string_view kPress = "pressCount";
  std::vector<ButtonField> buttons;
  for (const FieldDescription& field : command.fields) {
    const bool is_press = field.type == FieldType::uint8 && field.count == 1 &&
                          std::string_view(field.name).ends_with(kPress);
    if (!is_press) continue;
    const std::string prefix = field.name.substr(0, field.name.size() - kPress.size());
    const FieldDescription* const held = command.find(prefix + "isHeld");
    if (held == nullptr || held->type != FieldType::boolean) continue;
    buttons.push_back(
        {.held_offset_bytes = held->offset_bytes, .press_offset_bytes = field.offset_bytes});
  }
  return buttons;
}

CommandSet default_commands(std::span<const ComponentDescription> types) {
  CommandSet set;
  for (const ComponentDescription& type : types) set.push_back(type.default_value);
  return set;
}

CommandSampler::CommandSampler(std::span<const ComponentDescription> types, StructEncoder& encoder)
    : encoder_(encoder),
      decoder_(StructDecoder::make(encoder.types(), encoder.schema()).value()),
      now_(default_commands(types)),
      last_(now_),
      sent_(kSetsPerPacket) {
  for (const ComponentDescription& type : types) buttons_.push_back(button_fields(type));
}

void CommandSampler::set(std::size_t type, Bytes value) {
  ByteVector& now = now_[type];
  assert(value.size() == now.size());
  std::array<std::uint8_t, 64> presses{};
  const std::size_t count = std::min(buttons_[type].size(), presses.size());
  for (std::size_t i = 0; i < count; ++i) {
    const ButtonField& button = buttons_[type][i];
    const bool is_edge = load_byte(value, button.held_offset_bytes) != 0 &&
                         load_byte(now, button.held_offset_bytes) == 0;
    const auto given = load_byte(value, button.press_offset_bytes);
    const auto added = std::max<std::uint8_t>(given, is_edge ? 1 : 0);
    presses[i] = static_cast<std::uint8_t>(
        std::min<unsigned>(load_byte(now, button.press_offset_bytes) + added, kPressesMax));
  }
  std::ranges::copy(value, now.begin());
  for (std::size_t i = 0; i < count; ++i) {
    now[buttons_[type][i].press_offset_bytes] = static_cast<std::byte>(presses[i]);
  }
}

std::span<const std::byte> CommandSampler::end_tick() {
  ++number_;
  if (number_ == 0) ++number_;  // 0 is no number.
  std::vector<std::byte>& encoded = sent_[number_ % kSetsPerPacket];
  encoded.clear();
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const std::size_t begin = encoded.size();
    const auto type = static_cast<std::uint16_t>(i);
    (void)encoder_.encode(type, now_[i], encoded);
    (void)decoder_.decode(type, std::span<const std::byte>(encoded).subspan(begin), last_[i]);
    for (const ButtonField& button : buttons_[i]) now_[i][button.press_offset_bytes] = {};
  }
  const std::uint32_t count = std::min(number_, kSetsPerPacket);
  std::array<std::byte, 5> head{};
  SectionWriter writer(head);
  writer.write_u32(number_);
  writer.write_u8(count);
  packet_.assign(head.begin(), head.end());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::vector<std::byte>& set = sent_[(number_ - i) % kSetsPerPacket];
    packet_.insert(packet_.end(), set.begin(), set.end());
  }
  return packet_;
}

CommandQueue::CommandQueue(std::span<const ComponentDescription> types)
    : types_(types),
      slots_(kRing),
      current_(default_commands(types)),
      skipped_(default_commands(types)),
      read_(default_commands(types)) {
  for (const ComponentDescription& type : types) buttons_.push_back(button_fields(type));
  for (Slot& slot : slots_) slot.set = default_commands(types);
}

void CommandQueue::receive(StructDecoder& decoder, std::span<const std::byte> packet) {
  SectionReader reader(packet);
  const std::uint32_t newest = reader.read_u32();
  const std::uint32_t count = reader.read_u8();
  if (reader.failed() || newest == 0 || count == 0 || count > kSetsMax) {
    ++counters_.malformed;
    return;
  }
  std::span<const std::byte> rest = packet.subspan(reader.position());
  if (next_ != 0 && is_later(newest, newest_ + kRing / 2)) next_ = 0;  // The client began again.
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!read_set(decoder, rest, read_)) {
      ++counters_.malformed;
      return;
    }
    const std::uint32_t number = newest - i;
    // The first packet that arrives begins the sequence; earlier sets in it were never run.
    if (next_ == 0 && i > 0) add_presses(read_, skipped_);
    if (number == 0 || (next_ != 0 && is_later(next_, number))) continue;
    Slot& into = slot(number);
    if (into.number == number) continue;
    ++counters_.received;
    into.number = number;
    into.set.swap(read_);
  }
  if (next_ == 0) {
    next_ = newest;
    newest_ = newest;
  }
  if (is_later(newest, newest_)) newest_ = newest;
}

bool CommandQueue::read_set(StructDecoder& decoder, std::span<const std::byte>& bytes,
                            CommandSet& set) {
  for (std::uint16_t sent = 0; decoder.is_command(sent); ++sent) {
    const std::size_t size = decoder.byte_count(sent);
    if (bytes.size() < size) return false;
    const std::optional<std::uint16_t> local = decoder.local_type(sent);
    if (local && *local < set.size() && decoder.decode(sent, bytes, set[*local]) != size) {
      return false;
    }
    bytes = bytes.subspan(size);
  }
  return true;
}

void CommandQueue::begin_tick() {
  if (next_ == 0) {
    clear_presses(current_);
    return;
  }
  const std::uint32_t waiting = newest_ - next_ + 1;
  if (static_cast<std::int32_t>(waiting) > static_cast<std::int32_t>(kWaitingMax)) {
    for (; newest_ - next_ + 1 > kWaitingAfterSkip; ++next_) {
      Slot& late = slot(next_);
      if (late.number != next_) continue;
      add_presses(late.set, skipped_);
      ++counters_.skipped;
    }
  }
  Slot& due = slot(next_);
  if (due.number == next_) {
    for (std::size_t i = 0; i < current_.size(); ++i) {
      std::ranges::copy(due.set[i], current_[i].begin());
    }
    due.number = 0;
    ++next_;
  } else {
    clear_presses(current_);
    ++counters_.missing;
    if (is_later(newest_, next_)) ++next_;  // It was lost; later ones are here.
  }
  add_presses(skipped_, current_);
  clear_presses(skipped_);
}

void CommandQueue::add_presses(const CommandSet& from, CommandSet& to) const {
  for (std::size_t i = 0; i < buttons_.size(); ++i) {
    for (const ButtonField& button : buttons_[i]) {
      add_press(to[i], button.press_offset_bytes, load_byte(from[i], button.press_offset_bytes));
    }
  }
}

void CommandQueue::clear_presses(CommandSet& set) const {
  for (std::size_t i = 0; i < buttons_.size(); ++i) {
    for (const ButtonField& button : buttons_[i]) set[i][button.press_offset_bytes] = {};
  }
}

}  // namespace muster
