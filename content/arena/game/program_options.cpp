#include "content/arena/game/program_options.h"

#include <muster/address.h>
#include <muster/session_options.h>

#include <charconv>
#include <string_view>
#include <vector>

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game uses most of muster

namespace {

constexpr std::string_view kServerUsage =
    "usage: arena_server BUILD [ADDRESS] [--seconds N] [--still-seconds N] [--seed N]\n"
    "                    [--loss PERCENT] [--delay MS] [--admit-other-content] [--world] [--json]\n"
    "                    [--record FILE] [--capture FILE] [--workers N]\n"
    "                    [--clients-per-address N]\n"
    "'muster build' writes BUILD; the default ADDRESS is 127.0.0.1:0, a free port;\n"
    "'muster-net dump FILE' shows what --capture has written\n"
    "Example: arena_server build/demo 127.0.0.1:7000 --seconds 60 --record match.mrec";
constexpr std::string_view kClientUsage =
    "usage: arena_client BUILD ADDRESS KEY [--seconds N] [--seed N] [--loss PERCENT] [--delay MS]\n"
    "                    [--world] [--json] [--capture FILE]\n"
    "       arena_client BUILD --play FILE [--from SECONDS] [--speed X|max] [--seconds N]\n"
    "                    [--world] [--json]\n"
    "the server prints ADDRESS and KEY; 'arena_server --record FILE' records a match;\n"
    "'muster-net dump FILE' shows what --capture has written\n"
    "Example: arena_client build/demo --play match.mrec --from 30 --speed max";

/// The maximum of `--workers`.
constexpr std::uint16_t kWorkersMax = 256;

template <typename T>
bool read(std::string_view text, T& value) {
  T read_value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, read_value);
  if (error != std::errc() || stopped != end || !(read_value >= T{})) return false;
  value = read_value;
  return true;
}

bool read_duration(std::string_view text, double unit_seconds, Duration& value) {
  double number = 0;
  if (!read(text, number) || number > 1e6) return false;
  value =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(number * unit_seconds));
  return true;
}

bool read_percent(std::string_view text, double& share) {
  double percent = 0;
  if (!read(text, percent) || percent > 100) return false;
  share = percent / 100;
  return true;
}

bool read_speed(std::string_view text, double& speed) {
  if (text == "max") {
    speed = 0;
    return true;
  }
  return read(text, speed) && speed > 0 && speed < 1e6;
}

bool parse_replay_value(std::string_view name, std::string_view value, ProgramOptions& options) {
  if (name == "--play") {
    options.play = value;
    return !value.empty();
  }
  if (name == "--from") return read(value, options.from_seconds);
  return name == "--speed" && read_speed(value, options.speed);
}

// Parses an option with a value. Returns false if the name is unknown or the value is invalid.
bool parse_value(Program program, std::string_view name, std::string_view value,
                 ProgramOptions& options) {
  if (name == "--record" && program == Program::server) {
    options.record = value;
    return !value.empty();
  }
  if (name == "--capture") {
    options.capture = value;
    return !value.empty();
  }
  if (name == "--workers" && program == Program::server) {
    return read(value, options.workers) && options.workers > 0 && options.workers <= kWorkersMax;
  }
  if (name == "--clients-per-address" && program == Program::server) {
    return read(value, options.clients_per_address.emplace());
  }
  if (name == "--play" || name == "--from" || name == "--speed") {
    return program == Program::client && parse_replay_value(name, value, options);
  }
  if (name == "--seconds") return read(value, options.seconds) && options.seconds < 1e6;
  if (name == "--still-seconds") return read(value, options.still_seconds);
  if (name == "--seed") return read(value, options.seed);
  if (name == "--loss") return read_percent(value, options.loss.loss);
  if (name != "--delay" || !read_duration(value, 1e-3, options.loss.delay)) return false;
  options.loss.jitter = options.loss.delay / 4;
  return true;
}

bool parse_flag(Program program, std::string_view name, ProgramOptions& options) {
  bool* flag = nullptr;
  if (name == "--help") flag = &options.wants_help;
  if (name == "--json") flag = &options.is_json;
  if (name == "--world") flag = &options.shows_world;
  if (name == "--admit-other-content" && program == Program::server) {
    flag = &options.admits_other_content;
  }
  if (flag != nullptr) *flag = true;
  return flag != nullptr;
}

bool parse_positional(Program program, const std::vector<std::string_view>& positional,
                      ProgramOptions& options) {
  const bool is_client = program == Program::client;
  const bool is_replay = !options.play.empty();
  // A start time and a speed are only for recordings.
  if (!is_replay && (options.from_seconds > 0 || options.speed != 1)) return false;
  if (is_replay && !options.capture.empty()) return false;  // A replay has no datagrams.
  const std::size_t count_max = is_replay ? 1 : is_client ? 3 : 2;
  if (positional.empty() || positional.size() > count_max) return false;
  options.build = positional[0];
  if (is_replay) return true;
  if (is_client && positional.size() != 3) return false;
  options.address = positional.size() > 1 ? positional[1] : "127.0.0.1:0";
  if (is_client) options.key = positional[2];
  return Address::parse(options.address).has_value();
}

/// Returns true when only programs on this machine can reach the address.
bool is_loopback(const Address& address) {
  const Address six({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, address.port());
  return address == six || (address.is_ipv4() && address.ip()[12] == 127);
}

}  // namespace

std::uint16_t ProgramOptions::players_per_address() const {
  const GameServerOptions defaults;
  if (clients_per_address) return *clients_per_address;
  const std::optional<Address> parsed = Address::parse(address);
  return parsed && is_loopback(*parsed) ? defaults.players_max : defaults.players_per_address;
}

std::string usage_of(Program program) {
  return std::string(program == Program::server ? kServerUsage : kClientUsage);
}

Result<ProgramOptions> parse_options(Program program, int argc, char** argv) {
  const auto refuse = [&] { return fail(ErrorCode::invalid_argument, usage_of(program)); };
  ProgramOptions options;
  std::vector<std::string_view> positional;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with("--")) {
      positional.push_back(word);
    } else if (!parse_flag(program, word, options)) {
      if (i + 1 == argc || !parse_value(program, word, argv[i + 1], options)) return refuse();
      ++i;
    }
  }
  if (options.wants_help) return options;
  if (!parse_positional(program, positional, options)) return refuse();
  options.loss.seed = options.seed;
  return options;
}

}  // namespace arena
