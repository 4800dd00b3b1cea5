// Tests of small units of `registry/base`.
#include <random>
#include <regex>
#include <set>
#include <type_traits>

#include <catch2/catch.hpp>

#include "registry/base/clock.h"
#include "registry/base/counted.h"
#include "registry/base/escaped_text.h"
#include "registry/base/near_name.h"
#include "registry/base/result.h"
#include "registry/base/seed.h"
#include "registry/base/type_id.h"

using namespace muster;

TEST_CASE("A manual clock moves only when it is advanced", "[registry][clock]") {
  ManualClock clock;
  const Time start = clock.now();
  CHECK(clock.now() == start);
  clock.advance(std::chrono::milliseconds(5));
  CHECK(clock.now() - start == std::chrono::milliseconds(5));
}

TEST_CASE("The system clock never goes backwards", "[registry][clock]") {
  const SteadyClock clock;
  Time before = clock.now();
  for (int i = 0; i < 1000; ++i) {
    const Time now = clock.now();
    CHECK(now >= before);
    before = now;
  }
}

TEST_CASE("A fixed seed source counts up", "[registry][seed]") {
  FixedSeedSource seeds(41);
  CHECK(seeds.next_seed() == 41);
  CHECK(seeds.next_seed() == 42);
}

TEST_CASE("The system's seeds differ from each other", "[registry][seed]") {
  SystemSeedSource seeds;
  std::set<std::uint64_t> drawn;
  for (int i = 0; i < 100; ++i) drawn.insert(seeds.next_seed());
  CHECK(drawn.size() == 100);
}

TEST_CASE("Random matches the published vector of SplitMix64", "[registry][seed]") {
  Random random(1234567);
  CHECK(random.next() == 6457827717110365317ULL);
  CHECK(random.next() == 3203168211198807973ULL);
  CHECK(random.next() == 9817491932198370423ULL);
  for (int i = 0; i < 1000; ++i) CHECK(random.below(7) < 7);
}

TEST_CASE("A result has a value or an error, and reading a missing value throws",
          "[registry][result]") {
  const Result<int> good = 5;
  const Result<int> bad = fail(ErrorCode::not_found, "no such thing");
  CHECK(good.value() == 5);
  REQUIRE_FALSE(bad.has_value());
  CHECK(bad.error().code == ErrorCode::not_found);
  CHECK(bad.error().message == "no such thing");
  CHECK_THROWS(bad.value());
  const Result<double> passed_on = fail(bad.error());
  CHECK(passed_on.error().code == ErrorCode::not_found);
}

TEST_CASE("Every error code has a unique name", "[registry][result]") {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::unsupported); ++code) {
    names.insert(to_string(static_cast<ErrorCode>(code)));
  }
  CHECK(names.size() == static_cast<std::size_t>(ErrorCode::unsupported) + 1);
}

TEST_CASE("A target set has the operations of a set", "[registry][type_id]") {
  const TargetSet both = TargetSet::both();
  CHECK(both.has(Target::client));
  CHECK(both.has(Target::server));
  CHECK((both & Target::client) == TargetSet(Target::client));
  CHECK_FALSE(TargetSet(Target::client).has(Target::server));
  CHECK(TargetSet().empty());
  CHECK((TargetSet(Target::client) & Target::server).empty());
  CHECK(TypeId(3) < TypeId(4));
}

TEST_CASE("Counts are written with the right plural", "[registry][counted]") {
  CHECK(counted(0, "change") == "0 changes");
  CHECK(counted(1, "change") == "1 change");
  CHECK(counted(2, "change") == "2 changes");
  CHECK(counted(1, "entry", "entries") == "1 entry");
  CHECK(counted(0, "entry", "entries") == "0 entries");
}

TEST_CASE("The article of a noun depends on its first sound", "[registry][counted]") {
  CHECK(with_article("ItemRegistry") == "an ItemRegistry");
  CHECK(with_article("asset") == "an asset");
  CHECK(with_article("HeroTypeAsset") == "a HeroTypeAsset");
  CHECK(with_article("UnitRegistry") == "a UnitRegistry");
  CHECK(with_article("Umbrella") == "an Umbrella");
  CHECK(with_article("") == "a ");
}

TEST_CASE("Escaped text cannot control a terminal or start a new line", "[registry]") {
  const auto [text, escaped] =
      GENERATE(table<std::string, std::string>({{"Assets/a b/ü ☃.prefab", "Assets/a b/ü ☃.prefab"},
                                                {"a\nb\tc", "a\\nb\\tc"},
                                                {"\x1b[31mred", "\\x1b[31mred"},
                                                {"\r\x07\x7f", "\\x0d\\x07\\x7f"},
                                                {"\xc2\x9b"
                                                 "31m",
                                                 "\\x9b"
                                                 "31m"},
                                                {"\xc2\xa0\xc2", "\xc2\xa0\\xc2"},
                                                {"bad\xff\xfename", "bad\\xff\\xfename"},
                                                {std::string("a\0b", 3), "a\\x00b"}}));
  CHECK(escaped_text(text) == escaped);
}

TEST_CASE("The pattern of a type name matches exactly the words to which this name is the nearest",
          "[registry][names]") {
  const auto name = GENERATE(as<std::string>(), "Health", "Transform", "Ab", "A", "GameMode2",
                             "my_Type", "enemy");
  const std::regex pattern(type_slip_pattern(name));
  const std::uint32_t seed = 32;
  CAPTURE(name, seed);
  std::mt19937 random(seed);
  std::size_t near = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string word = name;
    for (std::uint32_t slips = random() % 4; slips > 0; --slips) {
      const std::size_t at = random() % (word.size() + 1);
      const char letter = "aehHlTt_-2"[random() % 10];
      if (at < word.size() && random() % 3 == 0) {
        word.erase(at, 1);
      } else if (at < word.size() && random() % 2 == 0) {
        word[at] = letter;
      } else {
        word.insert(at, 1, letter);
      }
    }
    CAPTURE(word);
    const bool is_near = word == name || nearest_type_name(word, {name}) == name;
    near += is_near ? 1U : 0U;
    REQUIRE(std::regex_match(word, pattern) == is_near);
  }
  CHECK(near > 0);
  CHECK(near < 2000);
}

TEST_CASE("A mistyped type name is matched to the nearest known type name", "[registry][names]") {
  const std::set<std::string> known = {"Health", "HealthBar", "Team"};
  const auto [name, meant] = GENERATE(table<std::string, std::string>({
      {"Healht", "Health"},  // two letters swapped
      {"health", "Health"},
      {"haelth", "Health"},  // the same, and another case of the first letter
      {"HEALTH_BAR", "HealthBar"},
      {"Health", ""},      // known
      {"HEALHT", ""},      // case and two errors
      {"Wobbulator", ""},  // not similar to any
      {"", ""},
  }));
  CAPTURE(name);
  CHECK(nearest_type_name(name, known) == meant);
}

TEST_CASE("A mistyped name is matched to the nearest known name", "[registry][names]") {
  const std::set<std::string> known = {"type_id", "retired", "poolSize", "ab"};
  const auto [name, meant] = GENERATE(table<std::string, std::string>({
      {"typeId", "type_id"},   // case and underscores are ignored
      {"retird", "retired"},   // one letter missing
      {"retierd", "retired"},  // two letters swapped
      {"poolsize", "poolSize"},
      {"retired", ""},  // known
      {"colour", ""},   // not similar to any
      {"xy", ""},       // as many errors as letters
      {"", ""},
  }));
  CAPTURE(name);
  CHECK(nearest_name(name, known) == meant);
  CHECK(did_you_mean(name, known) == (meant.empty() ? "" : "; did you mean '" + meant + "'?"));
  CHECK(nearest_name("retierd", known, 1).empty());
  CHECK(did_you_mean("pool", known) == "; did you mean 'poolSize'?");  // Typed incompletely.
}
