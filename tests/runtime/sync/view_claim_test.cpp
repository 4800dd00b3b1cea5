// Claims of honest clients on many kinds of links, and forged claims.
#include "runtime/sync/view_claim.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <catch2/catch.hpp>

#include "tests/support/simulated_viewer.h"

namespace muster {
namespace {

using samples::SimulatedViewer;
using samples::ViewedCommand;
using samples::ViewerOptions;
using samples::ViewRule;

/// The number of a client's first commands that do not count, because the client still adapts its
/// delay.
constexpr std::uint64_t kSettled = 300;

struct Outcome {
  std::uint64_t commands = 0;
  std::uint64_t limited = 0;
  /// The maximum time by which the server's view is older than the drawn view, in ticks.
  double older_max = 0;
  double newer_max = 0;
  /// The maximum difference between the server's view and the drawn view, in ticks, soon after the
  /// drawn view has waited for a snapshot.
  double gain_after_wait_max = 0;
  ViewClaims claims;

  double limited_share() const {
    return static_cast<double>(limited) / static_cast<double>(commands);
  }
};

/// Returns a claim about a drawn view. `index` counts the commands.
using Forge = std::function<ViewClaim(const ViewedCommand&, std::uint64_t index)>;

ViewClaim shifted(const ViewedCommand& command, double ticks) {
  const double wanted = std::max(command.shown + ticks, 1.0);
  const auto whole = static_cast<std::uint32_t>(wanted);
  return make_claim(std::max(command.claim.newest, Tick(whole + 1)), Tick(whole), Tick(whole + 1),
                    wanted);
}

Outcome play(const ViewerOptions& options, std::uint64_t commands, const Forge& forge = {}) {
  SimulatedViewer viewer(options);
  Outcome outcome;
  std::vector<ViewedCommand> made;
  std::uint64_t waited = 0;
  for (std::uint64_t index = 0; index < commands;) {
    viewer.frame(made);
    for (const ViewedCommand& command : made) {
      const ViewClaim claim = forge ? forge(command, index) : command.claim;
      const CheckedView checked = outcome.claims.check(&claim, command.context);
      if (++index <= kSettled) continue;
      ++outcome.commands;
      if (checked.verdict != ClaimVerdict::accepted) ++outcome.limited;
      const double gain = checked.view.ticks() - command.shown;
      if (command.shown >= in_ticks(command.claim.newest)) waited = index;
      if (index - waited < 8) {
        outcome.gain_after_wait_max = std::max(outcome.gain_after_wait_max, std::abs(gain));
        continue;
      }
      outcome.older_max = std::max(outcome.older_max, -gain);
      outcome.newer_max = std::max(outcome.newer_max, gain);
    }
  }
  return outcome;
}

ViewerOptions link(double jitter, std::uint64_t seed = 5) {
  return {.seed = seed,
          .delay_ticks = 1 + 2 * jitter,
          .jitter_ticks = jitter,
          .spikes = jitter * 0.01,
          .loss = jitter * 0.02};
}

TEST_CASE("Honest claims are accepted at every frame rate, delay, jitter, loss and drift",
          "[sync][lag][sys-83]") {
  const auto rule = GENERATE(ViewRule::peak, ViewRule::quantile, ViewRule::stopping);
  const double frames = GENERATE(15.0, 30.0, 59.94, 144.0, 1000.0, 0.0);
  std::uint64_t commands = 0;
  std::uint64_t limited = 0;
  std::uint64_t seed = 0;
  for (const double jitter : {0.0, 0.3, 1.5}) {
    for (const double loss : {0.0, 0.01, 0.05}) {
      for (const double drift : {-0.0002, 0.0002}) {
        ViewerOptions options = link(jitter, ++seed);
        options.rule = rule;
        options.frames_per_second = frames;
        options.loss = loss;
        options.drift = drift;
        options.changes_lead = (seed & 2U) != 0;
        const Outcome outcome = play(options, 3000);
        commands += outcome.commands;
        limited += outcome.limited;
        CAPTURE(frames, jitter, loss, drift, outcome.limited, outcome.commands);
        CHECK(outcome.older_max < 0.5);
        CHECK(outcome.newer_max < 1.5);
      }
    }
  }
  CAPTURE(frames, commands, limited);
  CHECK(commands > 40'000);
  CHECK(static_cast<double>(limited) < 0.001 * static_cast<double>(commands));
}

TEST_CASE("Half a second after an outage an honest client's view is accepted again",
          "[sync][lag][sys-83]") {
  for (const double outage : {30.0, 60.0, 180.0}) {
    ViewerOptions options = link(0.3);
    options.outage_ticks = outage;
    const Outcome outcome = play(options, 6000);
    CAPTURE(outage, outcome.limited);
    // During an outage, claims of a waiting view become `too_old`. After each of the ten outages, a
    // few claims are `wide`.
    const std::uint64_t too_old = outcome.claims.count(ClaimVerdict::too_old);
    CHECK(outcome.limited < too_old + 10 * 8);
    CHECK(outcome.commands > 5000);
  }
}

TEST_CASE("A forged claim gains at most a tick", "[sync][lag][sys-83]") {
  for (const double jitter : {0.0, 0.3, 1.5}) {
    const Outcome honest = play(link(jitter), 20'000);
    for (const double ticks : {-1e6, -60.0, -20.0, -3.0, -1.5, 1.5, 3.0, 20.0, 1e6}) {
      const Outcome forged =
          play(link(jitter), 20'000, [&](const ViewedCommand& command, std::uint64_t index) {
            return index % 97 == 0 ? shifted(command, ticks) : command.claim;
          });
      CAPTURE(jitter, ticks);
      CHECK(forged.limited > honest.limited + 100);  // Forged claims are detected.
      CHECK(forged.older_max <= honest.older_max + 1.06);
      CHECK(forged.newer_max <= honest.newer_max + 1.06);
      CHECK(forged.gain_after_wait_max <= honest.gain_after_wait_max + 3);
    }
  }
}

TEST_CASE("A client that always claims older views gains at most a tick on a clean link",
          "[sync][lag][sys-83]") {
  for (const double ticks : {-60.0, -20.0, -3.0}) {
    const auto always = [&](const ViewedCommand& command, std::uint64_t) {
      return shifted(command, ticks);
    };
    CHECK(play(link(0), 20'000, always).older_max <= 1);
    const auto ramp = [&](const ViewedCommand& command, std::uint64_t index) {
      return shifted(command, ticks * std::abs(std::sin(static_cast<double>(index) / 40)));
    };
    CHECK(play(link(0), 20'000, ramp).older_max <= 1);
    const auto older_snapshots = [&](const ViewedCommand& command, std::uint64_t) {
      const Tick newest(command.claim.newest.value() - 60);
      return make_claim(newest, Tick(newest.value() - 3), newest, command.shown - 60);
    };
    const Outcome outcome = play(link(0), 20'000, older_snapshots);
    CHECK(outcome.older_max <= 1);
    CHECK(outcome.claims.count(ClaimVerdict::unreceived) > 19'000);
  }
}

TEST_CASE("Random claims never exceed what the client's link explains", "[sync][lag][sys-83]") {
  Random random(3);
  SimulatedViewer viewer(link(1.5));
  ViewClaims claims;
  std::vector<ViewedCommand> made;
  std::uint64_t checked_count = 0;
  while (checked_count < 50'000) {
    viewer.frame(made);
    for (const ViewedCommand& command : made) {
      const ViewClaim claim{.newest = Tick(static_cast<std::uint32_t>(random.next())),
                            .to = Tick(static_cast<std::uint32_t>(random.below(2000))),
                            .from = Tick(static_cast<std::uint32_t>(random.below(1000))),
                            .fraction = static_cast<std::uint16_t>(random.next())};
      const bool has_claim = random.below(8) != 0;
      const CheckedView checked = claims.check(has_claim ? &claim : nullptr, command.context);
      const double ticks = checked.view.ticks();
      REQUIRE(ticks >= claims.oldest_ticks() - 0.01);
      REQUIRE(ticks <= claims.newest_ticks() + 0.01);
      REQUIRE(claims.newest_ticks() <= in_ticks(command.context.received_max));
      REQUIRE(checked.view.fraction >= 0);
      REQUIRE(checked.view.fraction <= 1);
      ++checked_count;
    }
  }
}

TEST_CASE("Each refusal of a claim has its label and its counter", "[sync][lag][sys-83]") {
  const auto verdict_of = [](const ViewClaim* last, std::uint32_t received_max = 1000) {
    ViewClaims claims;
    ClaimContext context{
        .command = CommandNumber(0), .now = Tick(1010), .received_min = {}, .received_max = {}};
    for (std::uint32_t i = 0; i < 60; ++i) {
      const std::uint32_t newest = 940 + i / 3 * 3;
      context = {.command = CommandNumber(i),
                 .now = Tick(950 + i),
                 .received_min = Tick(newest),
                 .received_max = Tick(newest)};
      const ViewClaim honest = make_claim(Tick(newest), Tick(936 + i), Tick(937 + i), 936.5 + i);
      REQUIRE(claims.check(&honest, context).verdict == ClaimVerdict::accepted);
    }
    context = {.command = CommandNumber(60),
               .now = Tick(1010),
               .received_min = Tick(1000),
               .received_max = Tick(received_max)};
    const CheckedView checked = claims.check(last, context);
    CHECK(claims.count(checked.verdict) == (checked.verdict == ClaimVerdict::accepted ? 61 : 1));
    return checked.verdict;
  };
  const auto claim = [](std::uint32_t newest, std::uint32_t from, std::uint32_t to) {
    return ViewClaim{
        .newest = Tick(newest), .to = Tick(to), .from = Tick(from), .fraction = 0x8000};
  };
  const ViewClaim good = claim(1000, 996, 997);
  CHECK(verdict_of(&good) == ClaimVerdict::accepted);
  CHECK(verdict_of(nullptr) == ClaimVerdict::missing);
  const ViewClaim never_sent = claim(1003, 996, 997);
  CHECK(verdict_of(&never_sent) == ClaimVerdict::unreceived);
  const ViewClaim ahead = claim(1000, 1000, 1001);
  CHECK(verdict_of(&ahead) == ClaimVerdict::ahead);
  const ViewClaim behind = claim(1000, 990, 991);
  CHECK(verdict_of(&behind) == ClaimVerdict::behind);
  const ViewClaim too_old = claim(1000, 900, 901);
  CHECK(verdict_of(&too_old) == ClaimVerdict::too_old);
  const ViewClaim off_course = claim(1000, 998, 999);
  CHECK(verdict_of(&off_course) == ClaimVerdict::off_course);
  const ViewClaim wide = {
      .newest = Tick(1000), .to = Tick(1000), .from = Tick(980), .fraction = 54067};
  CHECK(verdict_of(&wide) == ClaimVerdict::wide);
  CHECK(to_string(ClaimVerdict::off_course) == "off course");
}

TEST_CASE("A claim's time is exact to 1/8192 of the interval between its two ticks [P35]",
          "[sync][lag][sys-83]") {
  Random random(11);
  for (int i = 0; i < 20'000; ++i) {
    const auto newest = static_cast<std::uint32_t>(700 + random.below(1U << 31U));
    const auto to = newest - static_cast<std::uint32_t>(random.below(50));
    const auto from = to - static_cast<std::uint32_t>(random.below(10));
    const double span = in_ticks(Tick(to)) - in_ticks(Tick(from));
    const double shown =
        in_ticks(Tick(from)) + span * 0.001 * static_cast<double>(random.below(999));
    const ViewClaim claim = make_claim(Tick(newest), Tick(from), Tick(to), shown);
    CHECK(std::abs(claim.ticks() - shown) <= span / 8192 + 1e-6);
  }
}

}  // namespace
}  // namespace muster
