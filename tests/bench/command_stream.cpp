#include "tests/bench/command_stream.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>

#include "registry/base/seed.h"
#include "runtime/session/game.h"
#include "runtime/sync/command_queue.h"
#include "runtime/sync/command_sampler.h"
#include "runtime/sync/command_sender.h"
#include "runtime/sync/struct_codec.h"
#include "tests/bench/input_player.h"

namespace muster {
namespace {

/// The number of ticks at the end in which the player does nothing, so that all losses become
/// known.
constexpr std::uint64_t kPauseTicks = 120;
/// The peer sends each command in this number of packets, as FPSSample does.
constexpr std::size_t kPeerCopies = 3;

Bytes bytes_of(const Input& input) { return std::as_bytes(std::span<const Input, 1>(&input, 1)); }

struct Flying {
  std::uint64_t at_tick = 0;
  std::vector<std::byte> bytes;
  std::uint64_t number = 0;           ///< The number of the newest command.
  std::vector<std::uint32_t> held{};  ///< The peer's packet, newest first.
};

/// The bits of three commands that are coded without an earlier command, as FPSSample sends them.
/// Each command has a number of 16 bits and a flag.
double fixed_three(std::span<const CommandLane> lanes,
                   std::span<const std::vector<std::int64_t>> newest_first) {
  std::array<std::byte, 4096> buffer{};
  CommandBitsOut bits(buffer);
  std::vector<std::int64_t> zero;
  for (const CommandLane& lane : lanes) zero.push_back(lane.zero);
  std::span<const std::int64_t> before = zero;
  CommandGap gap = CommandGap::unknown;
  for (const std::vector<std::int64_t>& one : newest_first) {
    std::vector<std::int64_t> now = one;
    code_command(bits, lanes, {.gap = gap, .before = before, .earlier = before}, now);
    before = one;
    gap = CommandGap::none;
  }
  return bits.bit_count() + 16 + 4;
}

double packed(std::span<const CommandLane> lanes, std::size_t commands) {
  double bits = 0;
  for (const CommandLane& lane : lanes) {
    bits += static_cast<double>(std::bit_width(static_cast<std::uint64_t>(lane.high - lane.low)));
  }
  return 40 + static_cast<double>(commands) * std::ceil(bits / 8) * 8;
}

/// A server that receives which buttons are held at the end of each tick, in three packets. A tick
/// without a command repeats the previous command. A press is a button that becomes held.
class HeldServer {
 public:
  void receive(std::uint64_t newest, std::span<const std::uint32_t> newest_first) {
    for (std::size_t i = 0; i < newest_first.size(); ++i) {
      if (newest - i > last_run_)
        ticks_[(newest - i) % ticks_.size()] = {newest - i, newest_first[i]};
    }
  }
  /// Runs a tick, and returns the number of its presses.
  std::uint64_t run(std::uint64_t number) {
    last_run_ = number;
    const HeldButtons& tick = ticks_[number % ticks_.size()];
    if (tick.number != number) return 0;
    const std::uint32_t pressed = tick.buttons & ~held_;
    held_ = tick.buttons;
    return static_cast<std::uint64_t>(std::popcount(pressed));
  }

 private:
  struct HeldButtons {
    std::uint64_t number = 0;
    std::uint32_t buttons = 0;
  };
  std::array<HeldButtons, 256> ticks_{};
  std::uint64_t last_run_ = 0;
  std::uint32_t held_ = 0;
};

std::uint32_t held_buttons(const Input& input) {
  std::uint32_t held = 0;
  for (std::size_t i = 0; i < kButtons; ++i) held |= (input.buttons[i].is_held ? 1U : 0U) << i;
  return held;
}

/// Both ends and the link between them.
class Stream {
 public:
  Stream(const InputRecording& recording, const CommandStreamSettings& settings)
      : settings_(settings),
        random_(settings.seed),
        player_(recording, settings.step_deg),
        sender_(encoder_.command_lanes()),
        round_trip_ticks_(settings.rtt_ms / 1000 * recording.ticks_per_second) {
    queue_.accept(decoder_);
    one_way_ticks_ = static_cast<std::uint64_t>(std::ceil(round_trip_ticks_ / 2));
  }

  CommandStreamResult run() {
    result_.is_verified = true;
    const std::uint64_t end = player_.size() + kPauseTicks + 40;
    for (tick_ = 0; tick_ < end; ++tick_) {
      send();
      receive();
      run_tick();
      if (tick_ + 1 != player_.size() + one_way_ticks_) continue;
      // Packets that arrive in the pause at the end do not count.
      result_.delivered = queue_.counters().received + queue_.counters().late;
      result_.in_time = queue_.counters().received;
    }
    return result_;
  }

 private:
  bool is_lost() { return static_cast<double>(random_.below(1'000'000)) < settings_.loss * 1e6; }

  /// The number of presses in a command. Presses of a lost command count again if a later command
  /// contains them.
  std::uint64_t presses_of(std::span<const std::int64_t> values) const {
    std::uint64_t presses = 0;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (lanes_[i].kind == CommandLaneKind::press)
        presses += static_cast<std::uint64_t>(values[i]);
    }
    return presses;
  }

  void send() {
    if (tick_ >= player_.size() + kPauseTicks) return;
    Input input = player_.at(std::min<std::size_t>(tick_, player_.size() - 1));
    if (tick_ >= player_.size()) input.yaw_counts = input.pitch_counts = 0;
    sampler_.set(StructType{0}, bytes_of(input));
    sampler_.end_tick();
    const auto& sent = *reinterpret_cast<const Input*>(sampler_.last().front().data());
    sent_.push_back(sent);
    for (const Button& button : sent.buttons) result_.presses += button.press_count;
    sender_.push(CommandNumber(static_cast<std::uint32_t>(tick_ + 1)), sampler_.values());
    const auto packet = sender_.packet(round_trip_ticks_ + settings_.report_ticks);
    last_held_.insert(last_held_.begin(), held_buttons(input));
    if (last_held_.size() > kPeerCopies) last_held_.pop_back();
    if (!is_lost()) {
      up_.push_back({.at_tick = tick_ + one_way_ticks_,
                     .bytes = {packet.begin(), packet.end()},
                     .number = tick_ + 1,
                     .held = last_held_});
    }
    if (tick_ >= player_.size()) return;  // The pause at the end is not measured.
    ++result_.commands;
    result_.copies += sender_.packet_commands();
    result_.bits += sender_.packet_bits();
    result_.byte_bits += 8 * static_cast<double>(packet.size());
    last_three_.push_front({sampler_.values().begin(), sampler_.values().end()});
    if (last_three_.size() > 3) last_three_.pop_back();
    const std::vector<std::vector<std::int64_t>> three(last_three_.begin(), last_three_.end());
    result_.fixed_three_bits += fixed_three(lanes_, three);
    result_.packed_bits += packed(lanes_, three.size());
  }

  void receive() {
    for (; !up_.empty() && up_.front().at_tick <= tick_; up_.pop_front()) {
      queue_.receive(decoder_, up_.front().bytes, 0.5F);
      peer_.receive(up_.front().number, up_.front().held);
    }
    for (; !down_.empty() && down_.front().at_tick <= tick_; down_.pop_front()) {
      const std::uint32_t lost =
          sender_.receive(CommandReport::decode(down_.front().bytes).value());
      for (std::uint32_t i = 0; i < lost; ++i) {
        sampler_.add_lost(sender_.lost(i));
        const std::uint64_t repeated = presses_of(sender_.lost(i));
        result_.presses -= std::min(repeated, result_.presses);
      }
    }
  }

  void run_tick() {
    if (tick_ + 1 <= one_way_ticks_ + settings_.lead_ticks) {
      // The first command numbers are negative, because the server's ticks start before the
      // client's.
      const std::uint64_t tick = tick_ - one_way_ticks_ - settings_.lead_ticks;
      queue_.begin_tick(decoder_, CommandNumber(static_cast<std::uint32_t>(tick)));
      return;
    }
    const std::uint64_t command = tick_ + 1 - one_way_ticks_ - settings_.lead_ticks;
    const std::uint64_t missing = queue_.counters().missing;
    const std::uint64_t late = queue_.counters().late;
    queue_.begin_tick(decoder_, CommandNumber(static_cast<std::uint32_t>(command)));
    const auto& ran = *reinterpret_cast<const Input*>(queue_.current().front().data());
    for (const Button& button : ran.buttons) result_.presses_run += button.press_count;
    result_.held_presses_run += peer_.run(command);
    const bool is_plain = queue_.counters().missing == missing && late == late_before_;
    late_before_ = late;
    if (is_plain && command <= sent_.size() &&
        std::memcmp(&ran, &sent_[command - 1], sizeof ran) != 0) {
      result_.is_verified = false;
    }
    if (tick_ % settings_.report_ticks == 0 && !is_lost()) {
      const EncodedCommandReport encoded = queue_.report().encode();
      const std::span<const std::byte> report = encoded;
      down_.push_back({tick_ + one_way_ticks_, {report.begin(), report.end()}});
    }
  }

  CommandStreamSettings settings_;
  Random random_;
  InputPlayer player_;
  std::vector<ComponentDescription> types_ = {description_of<Input>()};
  StructEncoder encoder_{types_, {}};
  StructDecoder decoder_ = StructDecoder::make(types_, encoder_.schema()).value();
  std::vector<CommandLane> lanes_ = encoder_.command_lanes();
  CommandSampler sampler_{types_};
  CommandSender sender_;
  CommandQueue queue_{types_, CommandPacing::by_server};
  double round_trip_ticks_;
  std::uint64_t one_way_ticks_ = 0;
  std::uint64_t tick_ = 0;
  std::uint64_t late_before_ = 0;
  std::vector<Input> sent_;
  std::deque<std::vector<std::int64_t>> last_three_;
  HeldServer peer_;
  std::vector<std::uint32_t> last_held_;
  std::deque<Flying> up_;
  std::deque<Flying> down_;
  CommandStreamResult result_;
};

}  // namespace

CommandStreamResult stream_inputs(const InputRecording& recording,
                                  const CommandStreamSettings& settings) {
  return Stream(recording, settings).run();
}

void count_decisions(const InputRecording& recording, double step_deg, CommandBitCounts& counts) {
  const std::vector<ComponentDescription> types = {description_of<Input>()};
  const std::vector<CommandLane> lanes = StructEncoder(types, {}).command_lanes();
  CommandSampler sampler(types);
  InputPlayer player(recording, step_deg);
  std::vector<std::vector<std::int64_t>> values;
  for (std::size_t i = 0; i < player.size(); ++i) {
    sampler.set(StructType{0}, bytes_of(player.at(i)));
    sampler.end_tick();
    values.emplace_back(sampler.values().begin(), sampler.values().end());
  }
  std::vector<std::int64_t> zero;
  for (const CommandLane& lane : lanes) zero.push_back(lane.zero);
  for (std::size_t i = 40; i < values.size(); ++i) {
    const std::size_t distance = 5 + 4 * (i % 3);
    const std::vector<std::int64_t>& anchor = values[i - 2 - distance];
    code_command(counts, lanes, {CommandGap::anchored, anchor, anchor}, values[i - 2]);
    code_command(counts, lanes, {CommandGap::none, values[i - 2], anchor}, values[i - 1]);
    code_command(counts, lanes, {CommandGap::none, values[i - 1], values[i - 2]}, values[i]);
    if (i % 16 == 0) code_command(counts, lanes, {CommandGap::unknown, zero, zero}, values[i]);
  }
}

}  // namespace muster
