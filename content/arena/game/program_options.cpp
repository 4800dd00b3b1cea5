#include "content/arena/game/program_options.h"

#include <charconv>
#include <string_view>
#include <vector>

#include "content/arena/game/session.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

namespace {

constexpr std::string_view kServerUsage =
    "usage: arena_server BUILD [ADDRESS] [--seconds N] [--still-seconds N] [--seed N]\n"
    "                    [--loss PERCENT] [--delay MS] [--admit-other-content] [--world] [--json]\n"
    "                    [--record FILE] [--clients-per-address N]\n"
    "'muster build' writes BUILD; ADDRESS is 127.0.0.1:0 when it is not said";
constexpr std::string_view kClientUsage =
    "usage: arena_client BUILD ADDRESS KEY [--seconds N] [--seed N] [--loss PERCENT] [--delay MS]\n"
    "                    [--world] [--json]\n"
    "the server prints ADDRESS and KEY";

template <typename T>
bool read(std::string_view text, T& value) {
  T read_value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, read_value);
  if (error != std::errc() || stopped != end || read_value < T{}) return false;
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

// An option with a value; false when there is none of that name, or its value makes no sense.
bool take_value(Program program, std::string_view name, std::string_view value,
                ProgramOptions& options) {
  if (name == "--record" && program == Program::server) {
    options.record = value;
    return !value.empty();
  }
  if (name == "--clients-per-address" && program == Program::server) {
    return read(value, options.clients_per_address.emplace());
  }
  if (name == "--seconds") return read(value, options.seconds) && options.seconds < 1e6;
  if (name == "--still-seconds") return read(value, options.still_seconds);
  if (name == "--seed") return read(value, options.seed);
  if (name == "--loss") return read_percent(value, options.loss.loss);
  if (name != "--delay" || !read_duration(value, 1e-3, options.loss.delay)) return false;
  options.loss.jitter = options.loss.delay / 4;
  return true;
}

bool take_flag(Program program, std::string_view name, ProgramOptions& options) {
  bool* flag = nullptr;
  if (name == "--json") flag = &options.is_json;
  if (name == "--world") flag = &options.shows_world;
  if (name == "--admit-other-content" && program == Program::server) {
    flag = &options.admits_other_content;
  }
  if (flag != nullptr) *flag = true;
  return flag != nullptr;
}

bool take_places(Program program, const std::vector<std::string_view>& places,
                 ProgramOptions& options) {
  const bool is_client = program == Program::client;
  if (places.empty() || (is_client ? places.size() != 3 : places.size() > 2)) return false;
  options.build = places[0];
  const auto address = Address::parse(places.size() > 1 ? places[1] : "127.0.0.1:0");
  const auto key = is_client ? parse_key(places[2]) : PublicKey{};
  if (!address || !key) return false;
  options.address = *address;
  options.key = *key;
  return true;
}

}  // namespace

Result<ProgramOptions> parse_options(Program program, int argc, char** argv) {
  const auto refuse = [&] {
    return fail(ErrorCode::invalid_argument,
                std::string(program == Program::server ? kServerUsage : kClientUsage));
  };
  ProgramOptions options;
  std::vector<std::string_view> places;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with("--")) {
      places.push_back(word);
    } else if (!take_flag(program, word, options)) {
      if (i + 1 == argc || !take_value(program, word, argv[i + 1], options)) return refuse();
      ++i;
    }
  }
  if (!take_places(program, places, options)) return refuse();
  options.loss.seed = options.seed;
  return options;
}

}  // namespace arena
