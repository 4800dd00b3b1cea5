// The slots are a ring, indexed by command number. A command stays in its slot after it has run, as
// an anchor for later commands and for the detection of duplicates. The bytes are described in
// SESSION_FORMAT.md, "Commands".
#include "runtime/sync/command_queue.h"

#include <algorithm>
#include <cassert>

#include "runtime/sync/command_sender.h"

namespace muster {
namespace {

using namespace command_numbers;

/// The loss that is assumed before any packet has arrived.
constexpr float kLossAtFirst = 0.05F;
/// A missing packet counts as lost when a packet arrives that was sent this number of packets
/// later.
constexpr std::uint32_t kReorderedMax = 16;
constexpr float kLossShare = 1.0F / 128;
/// Two command numbers that are at most this far apart can show that a new sequence has begun.
constexpr std::int32_t kSuspectedMax = 8;

}  // namespace

CommandQueue::CommandQueue(std::span<const ComponentDescription> types, CommandPacing pacing)
    : types_(types),
      raw_(default_commands(types)),
      current_(raw_),
      scratch_(raw_),
      late_(types),
      forces_(types),
      pacing_(pacing),
      loss_(kLossAtFirst) {}

void CommandQueue::accept(const StructDecoder& decoder) {
  const std::span<const CommandLane> lanes = decoder.command_lanes();
  if (!std::ranges::equal(lanes_, lanes)) clear();  // Commands with other lanes cannot be decoded.
  lanes_.assign(lanes.begin(), lanes.end());
  defaults_.clear();
  for (const CommandLane& lane : lanes_) defaults_.push_back(lane.zero);
  decoded_.resize(kCommandsPerPacketMax * lanes_.size());
  slots_.resize(kRing);
  for (Slot& one : slots_) one.values.resize(lanes_.size());
}

std::optional<CommandQueue::Header> CommandQueue::read_header(CommandBitsIn& bits) {
  using namespace command_contexts;
  Header header;
  header.is_full = bits.bit(kIsFull, false);
  auto newest = static_cast<std::uint32_t>(bits.raw(0, header.is_full ? 32 : kShortBits));
  header.count = 1;
  for (std::uint32_t i = 0; i + 1 < kCommandsPerPacketMax && bits.bit(kCount + i, false); ++i) {
    ++header.count;
  }
  std::uint32_t back = 0;
  if (bits.bit(kIsChained, false)) {
    header.gap = CommandGap::none;
  } else if (bits.bit(kHasAnchor, false)) {
    header.gap = CommandGap::anchored;
    while (back < kAnchorStepsMax && bits.bit(kAnchor + back, false)) ++back;
  }
  if (!header.is_full) {
    if (newest_.is_none()) {
      ++counters_.unanchored;
      return std::nullopt;
    }
    // The range around `newest_` has exactly one command number with these low bits.
    constexpr std::uint32_t kModulus = 1U << kShortBits;
    const std::uint32_t ahead_max = newest_.value() + kShortAheadMax;
    newest = ahead_max - (ahead_max - newest) % kModulus;
  }
  if (newest == 0 || header.count > newest) {
    ++counters_.malformed;
    return std::nullopt;
  }
  header.newest = CommandNumber(newest);
  const CommandNumber first = header.newest - (header.count - 1);
  header.anchor =
      header.gap == CommandGap::none ? first.previous() : first_anchor(first) - back * kAnchorStep;
  if (header.gap != CommandGap::unknown && (slots_.empty() || !has(header.anchor))) {
    ++counters_.unanchored;
    return std::nullopt;
  }
  return header;
}

bool CommandQueue::decode(CommandBitsIn& bits, const Header& header) {
  const std::size_t width = lanes_.size();
  std::span<const std::int64_t> before =
      header.gap == CommandGap::unknown ? defaults_
                                        : std::span<const std::int64_t>(slot(header.anchor).values);
  std::span<const std::int64_t> earlier = before;
  CommandGap gap = header.gap;
  for (std::uint32_t i = 0; i < header.count; ++i) {
    const std::span<std::int64_t> now = std::span(decoded_).subspan(i * width, width);
    counters_.work += width;
    if (!code_command(bits, lanes_, {.gap = gap, .before = before, .earlier = earlier}, now) ||
        bits.failed()) {
      return false;
    }
    gap = CommandGap::none;
    earlier = before;
    before = now;
  }
  return bits.is_finished();
}

bool CommandQueue::receive(StructDecoder& decoder, std::span<const std::byte> packet,
                           float fraction) {
  ++counters_.work;
  CommandBitsIn bits(packet);
  const std::optional<Header> header = read_header(bits);
  if (!header) return false;
  const bool is_paced = pacing_ == CommandPacing::by_client;
  if (!is_paced && !is_plausible(decoder, *header, fraction)) return false;
  if (!decode(bits, *header)) {
    ++counters_.malformed;
    return true;
  }
  if (is_paced && !is_plausible(decoder, *header, fraction)) return true;
  note_packet(header->newest, fraction);
  for (std::uint32_t i = 0; i < header->count; ++i) {
    store(decoder, header->newest - (header->count - 1 - i),
          std::span(decoded_).subspan(i * lanes_.size(), lanes_.size()));
  }
  return true;
}

/// Returns whether the packet's newest command is near the last run command. After a client has
/// begun a new sequence of command numbers, the newest commands of several packets in a row are
/// near each other, but not near the last run command.
bool CommandQueue::is_plausible(StructDecoder& decoder, const Header& header, float fraction) {
  const bool is_paced = pacing_ == CommandPacing::by_client;
  if (!has_begun_) {
    if (!is_paced) {
      ++counters_.stale;
      return false;
    }
    has_begun_ = true;
    last_run_ = header.newest.previous();
    return true;
  }
  const std::int32_t ahead = command_steps(last_run_, header.newest);
  if (ahead >= -static_cast<std::int32_t>(kLateMax) &&
      ahead <= static_cast<std::int32_t>(kAheadMax)) {
    suspected_.reset();
    return true;
  }
  ++(ahead > 0 ? counters_.ahead : counters_.stale);
  // The client's clock needs the earliness.
  if (!is_paced) note_earliness(header.newest, fraction);
  const bool follows = suspected_ && command_steps(*suspected_, header.newest) > 0 &&
                       command_steps(*suspected_, header.newest) <= kSuspectedMax;
  suspected_ = header.newest;
  if (!follows) return false;
  suspected_.reset();
  ++counters_.jumps;
  // With `by_server`, the client must adjust its command numbers.
  if (!is_paced) return false;
  if (ahead > 0) {
    keep_skipped(decoder, last_run_ + kAheadMax + 1);
  } else {
    clear();
  }
  last_run_ = header.newest.previous();
  return true;
}

/// Drops all commands, because the commands of a new sequence can have the same numbers.
void CommandQueue::clear() {
  counters_.work += slots_.size();
  for (Slot& one : slots_) one.number = {};
  newest_ = {};
  newest_packet_ = {};
  history_.clear();
}

/// Skips the waiting commands before `end`, and keeps their sums.
void CommandQueue::keep_skipped(StructDecoder& decoder, CommandNumber end) {
  for (CommandNumber number = last_run_.next(); command_steps(number, end) > 0;
       number = number.next()) {
    ++counters_.work;
    if (!has(number)) continue;
    keep_late(decoder, number);
    ++counters_.skipped;
  }
}

void CommandQueue::store(StructDecoder& decoder, CommandNumber number,
                         std::span<const std::int64_t> values) {
  ++counters_.work;
  const std::int32_t ahead = command_steps(last_run_, number);
  if (ahead > static_cast<std::int32_t>(kAheadMax)) {
    ++counters_.ahead;
    return;
  }
  if (has(number)) {
    ++counters_.duplicates;
    return;
  }
  // The client may already have added the sums of a settled command to a later command.
  const bool is_settled =
      !newest_.is_none() &&
      command_steps(number, newest_) > static_cast<std::int32_t>(CommandReport::kSettledTicks);
  if (is_settled || ahead < -static_cast<std::int32_t>(kLateMax)) {
    ++counters_.stale;
    return;
  }
  Slot& into = slot(number);
  into.number = number;
  history_.note(number);
  std::ranges::copy(values, into.values.begin());
  if (newest_.is_none() || command_steps(newest_, number) > 0) newest_ = number;
  if (ahead > 0) {
    ++counters_.received;
  } else {
    ++counters_.late;
    keep_late(decoder, number);
  }
}

void CommandQueue::note_packet(CommandNumber newest, float fraction) {
  const std::int32_t step = newest_packet_.is_none() ? 1 : command_steps(newest_packet_, newest);
  if (step <= 0) {
    if (step > -64) packets_ |= std::uint64_t{1} << static_cast<unsigned>(-step);
    if (step < 0) return;
  } else {
    for (std::int32_t i = 0; i < std::min(step, 64); ++i) {
      packets_ <<= 1U;
      ++counters_.work;
      // Packets before the first packet do not count as lost.
      if (newest_packet_.is_none()) packets_ = ~std::uint64_t{1};
      const bool is_lost = ((packets_ >> kReorderedMax) & 1U) == 0;
      loss_ += kLossShare * ((is_lost ? 1.0F : 0.0F) - loss_);
    }
    packets_ |= 1U;
    newest_packet_ = newest;
  }
  // A duplicate does not measure the delay.
  if (!has(newest)) note_earliness(newest, fraction);
}

void CommandQueue::note_earliness(CommandNumber newest, float fraction) {
  earliness_last_ = static_cast<float>(command_steps(last_run_.next(), newest)) + 1 - fraction;
  if (has_earliness_ && earliness_last_ >= earliness_min_) return;
  earliness_min_ = earliness_last_;
  measured_ = newest;
  has_earliness_ = true;
}

void CommandQueue::convert(StructDecoder& decoder, std::span<const std::int64_t> values,
                           CommandSet& set) {
  for (std::uint16_t i = 0; decoder.is_command(PeerStructType{i}); ++i) {
    const PeerStructType type{i};
    const std::size_t count = decoder.value_count(type);
    const std::optional<StructType> local = decoder.local_type(type);
    const std::size_t index = local ? struct_index(*local) : set.size();
    if (index < set.size()) decoder.convert(type, values.first(count), set[index]);
    values = values.subspan(count);
  }
}

void CommandQueue::keep_late(StructDecoder& decoder, CommandNumber number) {
  for (std::size_t i = 0; i < types_.size(); ++i) {
    std::ranges::copy(types_[i].default_value, scratch_[i].begin());
  }
  convert(decoder, slot(number).values, scratch_);
  late_.add(scratch_);
}

void CommandQueue::run(StructDecoder& decoder, CommandNumber number) {
  ++counters_.work;
  if (has(number)) {
    convert(decoder, slot(number).values, raw_);
    // While the connection was lost, offsets were computed relative to the default command.
    if (paused_since_) forces_.renew(*paused_since_, number);
    paused_since_.reset();
  } else {
    repeat_commands(types_, raw_);
    ++counters_.missing;
  }
  last_run_ = number;
  finish_tick(number);
}

void CommandQueue::finish_tick(CommandNumber number) {
  late_.release(raw_);
  copy_commands(raw_, current_);
  forces_.apply(number, current_);
}

void CommandQueue::begin_tick(StructDecoder& decoder, CommandNumber number) {
  assert(!number.is_none() && pacing_ == CommandPacing::by_server);
  if (slots_.empty()) return;
  const std::int32_t step = command_steps(last_run_, number);
  if (!has_begun_ || step <= 0) {
    clear();
    has_begun_ = true;
  } else {
    // The server may have left out ticks.
    keep_skipped(decoder, last_run_ + std::min(static_cast<std::uint32_t>(step), kAheadMax + 1));
  }
  run(decoder, number);
}

void CommandQueue::begin_tick(StructDecoder& decoder) {
  assert(pacing_ == CommandPacing::by_client);
  if (!has_begun_ || slots_.empty()) return;
  const std::int32_t waiting = newest_.is_none() ? 0 : command_steps(last_run_, newest_);
  if (waiting <= 0) {
    // No newer command has arrived. The next command may still arrive.
    repeat_commands(types_, raw_);
    ++counters_.missing;
    return finish_tick(last_run_);
  }
  CommandNumber next = last_run_.next();
  if (waiting > static_cast<std::int32_t>(kWaitingMax)) {
    next = newest_.next() - kWaitingAfterSkip;
    keep_skipped(decoder, next);
  }
  run(decoder, next);
}

void CommandQueue::pause() {
  if (!paused_since_) paused_since_ = number();
  for (std::size_t i = 0; i < types_.size(); ++i) {
    std::ranges::copy(types_[i].default_value, raw_[i].begin());
  }
}

bool CommandQueue::force(StructType type, std::string_view field, Bytes value) {
  return forces_.force(number().next(), type, field, value);
}

std::uint32_t CommandQueue::waiting() const {
  if (!has_begun_ || newest_.is_none()) return 0;
  std::uint32_t count = 0;
  for (std::uint32_t i = 1; i <= kAheadMax; ++i) count += has(last_run_ + i) ? 1U : 0U;
  return count;
}

CommandReport CommandQueue::report() {
  CommandReport report;
  report.newest = newest_;
  report.run = number();
  if (!newest_.is_none()) {
    report.received = history_.before(newest_);
    report.gaps = history_.gaps();
  }
  if (report.gaps != 0) {
    while (((report.gaps >> next_block_) & 1U) == 0) {
      next_block_ = (next_block_ + 1) % ReceivedHistory::kBlocks;
    }
    report.block = static_cast<std::uint8_t>(next_block_);
    report.block_received = history_.block(next_block_);
    next_block_ = (next_block_ + 1) % ReceivedHistory::kBlocks;
  }
  report.measured = has_earliness_ ? measured_ : CommandNumber{};
  report.earliness_last = earliness_last_;
  report.earliness_min = has_earliness_ ? earliness_min_ : earliness_last_;
  has_earliness_ = false;
  report.waiting = static_cast<std::uint8_t>(waiting());
  report.loss = loss_;
  report.starved = static_cast<std::uint32_t>(counters_.missing);
  return report;
}

}  // namespace muster
