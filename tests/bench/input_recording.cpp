#include "tests/bench/input_recording.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "registry/base/seed.h"
#include "tests/bench/packed_file.h"

namespace muster {
namespace {

constexpr std::string_view kHeader = "tick,buttons,move_x,move_y,yaw_deg,pitch_deg";
constexpr std::string_view kFightHeader = "frame,player,buttons,stick_x,stick_y";
constexpr double kStickEnd = 80;
constexpr double kButtonsEnd = 262'144;
/// Two hours at 60 frames per second. A larger frame number is an error.
constexpr double kFramesMax = 432'000;
constexpr std::size_t kPlayersMax = 16;
constexpr unsigned kForward = 1, kBack = 2, kLeft = 4, kRight = 8, kJump = 16, kAttack = 128;

/// Parses the number before the next comma or the end.
bool parse_next_number(std::string_view& line, double& out) {
  const std::size_t comma = line.find(',');
  const std::string_view word = line.substr(0, comma);
  const auto read = std::from_chars(word.data(), word.data() + word.size(), out);
  line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
  return read.ec == std::errc() && read.ptr == word.data() + word.size();
}

double rate_of(const std::string& path) {
  const std::size_t at = path.find("hz_");
  if (at == std::string::npos) return 60;
  std::size_t begin = at;
  while (begin > 0 && path[begin - 1] >= '0' && path[begin - 1] <= '9') --begin;
  double rate = 0;
  std::from_chars(path.data() + begin, path.data() + at, rate);
  if (rate == 66) return 200.0 / 3;
  return rate > 0 ? rate : 60;
}

double turn_between(double from, double to) { return std::remainder(to - from, 360.0); }

/// A generated player's intentions. Each intention lasts for some ticks.
struct Walker {
  Random random;
  unsigned keys = 0;
  std::uint32_t keys_until = 0;
  double speed = 0;
  std::uint32_t aim_until = 0;
  std::uint32_t jump_until = 0;
  std::uint32_t attack_until = 0;

  double real() { return static_cast<double>(random.below(1'000'000)) / 1e6; }
  void decide(std::uint32_t tick) {
    if (tick >= keys_until) {
      const std::array<unsigned, 8> kinds = {
          0, kForward, kForward, kForward | kLeft, kForward | kRight, kLeft, kRight, kBack};
      keys = kinds[random.below(kinds.size())];
      keys_until = tick + 6 + static_cast<std::uint32_t>(random.below(90));
    }
    if (tick >= aim_until) {
      // The player turns for half of the time. The speed of a turn rises and falls.
      speed = random.below(2) == 0 ? 0 : (real() - 0.5) * (random.below(6) == 0 ? 14 : 3);
      aim_until = tick + 4 + static_cast<std::uint32_t>(random.below(40));
    }
    if (tick > jump_until + 20 && random.below(90) == 0) jump_until = tick + 1;
    if (tick > attack_until + 8 && random.below(70) == 0) {
      attack_until = tick + 1 + static_cast<std::uint32_t>(random.below(25));
    }
  }
};

}  // namespace

namespace {

std::string_view cut_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

bool parse_row(std::string_view line, InputRow& row) {
  double tick = 0;
  double buttons = 0;
  if (!parse_next_number(line, tick) || !parse_next_number(line, buttons) ||
      !parse_next_number(line, row.move_x) || !parse_next_number(line, row.move_y) ||
      !parse_next_number(line, row.yaw_deg) || !parse_next_number(line, row.pitch_deg)) {
    return false;
  }
  row.buttons = static_cast<std::uint32_t>(std::clamp(buttons, 0.0, kButtonsEnd));
  return buttons >= 0 && buttons < kButtonsEnd && std::abs(row.move_x) <= 1 &&
         std::abs(row.move_y) <= 1 && std::abs(row.yaw_deg) <= 360 &&
         std::abs(row.pitch_deg) <= 360;
}

/// Parses a row of one player. A player without a row in a frame presses nothing.
bool parse_fight_row(std::string_view line, std::vector<std::vector<InputRow>>& players) {
  double frame = 0;
  double player = 0;
  double buttons = 0;
  InputRow row;
  if (!parse_next_number(line, frame) || !parse_next_number(line, player) ||
      !parse_next_number(line, buttons) || !parse_next_number(line, row.move_x) ||
      !parse_next_number(line, row.move_y)) {
    return false;
  }
  const bool is_sound = frame >= 0 && frame <= kFramesMax && player >= 0 &&
                        player < static_cast<double>(kPlayersMax) && buttons >= 0 &&
                        buttons < kButtonsEnd && std::abs(row.move_x) <= kStickEnd &&
                        std::abs(row.move_y) <= kStickEnd;
  if (!is_sound) return false;
  row.buttons = static_cast<std::uint32_t>(buttons);
  row.move_x /= kStickEnd;
  row.move_y /= kStickEnd;
  const auto seat = static_cast<std::size_t>(player);
  if (players.size() <= seat) players.resize(seat + 1);
  std::vector<InputRow>& rows = players[seat];
  rows.resize(std::max(rows.size(), static_cast<std::size_t>(frame) + 1));
  rows[static_cast<std::size_t>(frame)] = row;
  return true;
}

}  // namespace

Result<std::vector<InputRecording>> load_players(const std::string& path) {
  const Result<ByteVector> bytes = read_unpacked(path);
  if (!bytes) return fail(bytes.error());
  std::string_view text(reinterpret_cast<const char*>(bytes.value().data()), bytes.value().size());
  std::size_t number = 1;
  const auto complain = [&](std::string_view what) {
    return fail(ErrorCode::malformed, fmt::format("{}:{}: {}", path, number, what));
  };
  const std::string_view header = cut_line(text);
  const bool is_fight = header == kFightHeader;
  if (!is_fight && header != kHeader) {
    return complain(fmt::format("the first line must be '{}' or '{}'", kHeader, kFightHeader));
  }
  std::vector<std::vector<InputRow>> players(is_fight ? 0 : 1);
  while (!text.empty()) {
    ++number;
    const std::string_view line = cut_line(text);
    InputRow row;
    if (is_fight ? !parse_fight_row(line, players) : !parse_row(line, row)) {
      return complain("a line must have the numbers of the header");
    }
    if (!is_fight) players.front().push_back(row);
  }
  std::vector<InputRecording> recordings;
  for (std::vector<InputRow>& rows : players) {
    if (rows.empty()) continue;
    recordings.push_back({.ticks_per_second = rate_of(path), .rows = std::move(rows)});
  }
  if (recordings.empty()) return complain("the file ends without a row");
  return recordings;
}

Result<InputRecording> load_inputs(const std::string& path) {
  Result<std::vector<InputRecording>> players = load_players(path);
  if (!players) return fail(players.error());
  return std::move(players.value().front());
}

double turning_step(const InputRecording& recording, double fallback) {
  std::vector<double> turns;
  for (std::size_t i = 1; i < recording.rows.size(); ++i) {
    const double turn =
        std::abs(turn_between(recording.rows[i - 1].yaw_deg, recording.rows[i].yaw_deg));
    if (turn > 0.005 && turn < 3) turns.push_back(turn);
  }
  if (turns.size() < 50) return fallback;
  constexpr double kRounding = 0.0016;  // The file rounds both angles.
  double best = fallback;
  for (int i = 150; i < 1300; ++i) {
    const double step = i * 1e-4;
    const auto fits = std::ranges::count_if(turns, [&](double turn) {
      return std::abs(turn - std::round(turn / step) * step) < kRounding;
    });
    const bool is_good = static_cast<double>(fits) > 0.8 * static_cast<double>(turns.size());
    if (is_good && (best == fallback || step > 1.5 * best)) best = step;
  }
  return best;
}

std::string make_inputs(std::uint64_t seed, std::uint32_t ticks) {
  constexpr double kCount = 0.0615;  // Degrees per count of the mouse.
  std::string text(kHeader);
  text += '\n';
  Walker walker{.random = Random(seed)};
  std::int64_t yaw = 0;
  std::int64_t pitch = 0;
  double wanted_yaw = 0;
  double wanted_pitch = 0;
  double speed = 0;
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    walker.decide(tick);
    speed += (walker.speed - speed) * 0.3;
    if (std::abs(speed) < 0.02) speed = 0;
    wanted_yaw += speed / kCount * (0.8 + 0.4 * walker.real());
    wanted_pitch = std::clamp(wanted_pitch + speed / kCount * 0.5 * (walker.real() - 0.5),
                              -80 / kCount, 80 / kCount);
    yaw = std::llround(wanted_yaw);
    pitch = std::llround(wanted_pitch);
    const unsigned keys = walker.keys | (tick < walker.jump_until ? kJump : 0U) |
                          (tick < walker.attack_until ? kAttack : 0U);
    const int x = ((keys & kRight) != 0 ? 1 : 0) - ((keys & kLeft) != 0 ? 1 : 0);
    const int y = ((keys & kForward) != 0 ? 1 : 0) - ((keys & kBack) != 0 ? 1 : 0);
    text += fmt::format("{},{},{},{},{:.3f},{:.3f}\n", tick, keys, x, y,
                        std::remainder(static_cast<double>(yaw) * kCount, 360.0),
                        static_cast<double>(pitch) * kCount);
  }
  return text;
}

}  // namespace muster
