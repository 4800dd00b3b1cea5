// Time advances in steps of a 240th of a second. In each step, the server runs a frame, and so does
// each client whose frame is due. A datagram gets the delay that its client's recording has at that
// moment, in both directions.
#include "tests/bench/sync_play.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "runtime/session/edges.h"
#include "runtime/session/session_access.h"
#include "runtime/sync/milliseconds.h"
#include "runtime/world/math.h"
#include "tests/bench/delay_course.h"
#include "tests/bench/rule_clock.h"
#include "tests/bench/sync_game.h"
#include "tests/bench/sync_record.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

constexpr double kTickMs = 1000.0 / 60;
constexpr double kStepMs = kTickMs / 4;
constexpr std::uint32_t kTargetCount = 16;
constexpr std::uint32_t kSnapshotTicks = 3;
/// After the end, players do nothing until all of their presses were processed.
constexpr double kSettleMs = 2000;
constexpr double kSettleMaxMs = 30'000;
constexpr double kSettleDelayMs = 50;
constexpr double kReconnectMs = 1000;
constexpr double kBeginMaxMs = 3000;
/// The distance in time between the starts of two clients in the same recording.
constexpr double kApartMs = 7300;

/// A client and its connection, which is opened again after a loss.
struct Seat {
  Seat(const DelayFile& delays, const InputRecording& inputs)
      : delay_course(delays), input(inputs, 0), rows_per_ms(inputs.ticks_per_second / 1000) {}
  std::string host;
  std::unique_ptr<GameClient> client;
  DelayCourse delay_course;
  InputPlayer input;
  double rows_per_ms;
  std::uint64_t first_row = 0;
  std::uint64_t rows = 0;
  double next_frame_ms = 0;
  double reconnect_ms = 0;
  double delay_ms = 0;
  bool has_joined_late = false;
  std::uint64_t resumes = 0;  ///< The number of connections that were lost and made again.
  bool has_step = false;      ///< True if the server knows the resolution of the input device.
  // The members below belong to the current connection.
  std::uint32_t held = 0;
  std::array<std::uint32_t, kButtons> pressed{};
  std::array<std::uint32_t, kButtons> run{};
  std::uint64_t corrections = 0;
  std::uint64_t predicted = 0;
  std::uint64_t replayed = 0;
  double bits = 0;
  double claim_bits = 0;
  double last_shown = 0;
  Tick confirmed;
  SeenTicks seen;
  ShotCounts effects;  ///< The number of effects that were played, by the shooter's network id.
  ShotCounts undone;
  /// The network id of the client's character; 0 before the character exists.
  std::int32_t own_id = 0;
  std::vector<ShownOwn> own;  ///< Shown states that wait until the server has reached their tick.
};

class Match {
 public:
  explicit Match(const SyncPlayOptions& options)
      : options_(options), game_(sync_game()), edges_(options.seed) {
    shot_log() = {};
    shot_counts() = {};
    build_sync_game(folder_.path());
    Result<std::unique_ptr<GameServer>> opened =
        GameServer::open(Build::open(folder_.path(), Target::server, game_), edges_.host("server"),
                         {.listen = "server:7000", .players_max = 256, .seed = options.seed});
    if (!opened) throw std::runtime_error(opened.error().message);
    server_ = std::move(opened.value());
    server_->on_join([this](PlayerId player) {
      const auto number = static_cast<float>(static_cast<int>(player) % 16);
      const Transform at{.position = {2 * number - 16, 0, static_cast<float>(joined_++ % 8) - 4}};
      server_->spawn("character", {.owner = player}, at);
    });
    server_->on_problem([](const Problem&) {});
    for (std::uint32_t i = 0; i < kTargetCount; ++i) server_->spawn("target", {}, Transform{});
    for (std::uint32_t i = 0; i < options.clients; ++i) add_seat(i);
  }

  SyncResult run() {
    const double end_ms = options_.seconds * 1000;
    while (now_ms() < end_ms) step();
    is_settling_ = true;
    end_ms_ = now_ms();
    while (now_ms() < end_ms_ + kSettleMaxMs && !is_settled()) step();
    for (const auto& seat : seats_) end_life(*seat, false);
    return finish();
  }

 private:
  double now_ms() const { return static_cast<double>(steps_) * kStepMs; }
  Time now() const { return edges_.now(); }
  bool is_measured() const { return !is_settling_ && now_ms() >= options_.skip_seconds * 1000; }

  void add_seat(std::uint32_t index) {
    auto seat = std::make_unique<Seat>(options_.delays[index % options_.delays.size()],
                                       options_.inputs[index % options_.inputs.size()]);
    seat->host = "client" + std::to_string(index);
    const auto round = [&](std::size_t count) { return static_cast<double>(index / count); };
    seat->delay_course.start_at(round(options_.delays.size()) * kApartMs);
    seat->first_row =
        static_cast<std::uint64_t>(round(options_.inputs.size()) * kApartMs * seat->rows_per_ms);
    // Frames of several clients are not synchronised.
    seat->next_frame_ms = std::fmod(index * 7.7, 1000 / options_.frames_per_second);
    edges_.host(seat->host);
    seats_.push_back(std::move(seat));
    connect(*seats_.back());
  }

  void connect(Seat& seat) {
    Result<std::unique_ptr<GameClient>> client = GameClient::connect(
        Build::open(folder_.path(), Target::client, game_), edges_.host(seat.host),
        {.server = "server:7000", .key = server_->public_key()});
    if (!client) throw std::runtime_error(client.error().message);
    seat.client = std::move(client.value());
    seat.client->on_problem([](const Problem&) {});
    seat.client->on_effect([&seat](const PlayedEffect& effect) {
      ++seat.effects[seat.client->reference(effect.cause).network_id];
    });
    seat.client->on_undone(
        [&seat](EntityId cause) { ++seat.undone[seat.client->reference(cause).network_id]; });
    if (options_.rules == SyncRules::fpssample) {
      ClientRules& rules = SessionAccess::members(*seat.client).rules;
      rules.jitter = JitterPolicy::newest;
      rules.commands_per_packet = 3;
      rules.replays_all = true;
      rules.clock = [](std::uint32_t) { return std::make_unique<RuleClock>("fpssample"); };
    }
  }

  void step() {
    ++steps_;
    edges_.advance(from_milliseconds(now_ms()) - (now() - Time()));
    for (const auto& seat : seats_) update_link(*seat);
    server_->frame(now());
    if (server_->tick() != tick_) note_tick();
    for (const auto& seat : seats_) {
      if (now_ms() + 1e-6 < seat->next_frame_ms) continue;
      seat->next_frame_ms += 1000 / options_.frames_per_second;
      frame(*seat);
    }
  }

  void update_link(Seat& seat) {
    const MetDelay met = seat.delay_course.at(now_ms());
    seat.delay_ms = is_settling_ ? kSettleDelayMs : met.delay_ms;
    Link link{.delay = from_milliseconds(seat.delay_ms), .loss = options_.loss};
    if (is_settling_) link.loss = 0;
    link.is_down = met.is_lost && !is_settling_;
    edges_.set_link(seat.host, link);
  }

  void note_tick() {
    tick_ = server_->tick();
    tick_ms_ = now_ms();
    ServerMembers& members = SessionAccess::members(*server_);
    record_.note(members, tick_);
    hash_ = (hash_ ^ server_->world().checksum()) * 0x100'0000'01B3U;
    if (is_measured()) result_.starved_ticks += record_.starved();
    if (is_measured()) result_.ticks += record_.playing();
    for (const auto& seat : seats_) {
      if (seat->client == nullptr || seat->client->player() == PlayerId::none) continue;
      const EntityId own = server_->owned(seat->client->player(), "character");
      seat->own_id = server_->reference(own).network_id;
      if (const Tally* const tally = server_->get<Tally>(own)) seat->run = tally->presses;
      if (Character* const self = server_->edit<Character>(own); self && !seat->has_step) {
        self->degrees_per_count = static_cast<float>(seat->input.step_deg());
        seat->has_step = true;
      }
    }
  }

  /// The server's time in ticks.
  double server_time() const { return tick_.value() + (now_ms() - tick_ms_) / kTickMs; }

  void frame(Seat& seat) {
    if (seat.client == nullptr) {
      if (now_ms() < seat.reconnect_ms || is_settling_) return skip_rows(seat);
      connect(seat);
    }
    feed(seat);
    seat.client->frame(now());
    measure(seat);
    if (!seat.client->is_over()) return;
    end_life(seat, true);
    seat.client.reset();
    seat.reconnect_ms = now_ms() + kReconnectMs;
  }

  std::uint64_t rows_until_now(const Seat& seat) const {
    return static_cast<std::uint64_t>(now_ms() * seat.rows_per_ms);
  }
  void skip_rows(Seat& seat) const { seat.rows = rows_until_now(seat); }

  /// Passes the client the inputs since its last frame.
  void feed(Seat& seat) {
    if (is_settling_ || !can_play(seat) || !has_begun()) {
      skip_rows(seat);
      if (is_settling_) seat.client->set_command(Input{});
      return;
    }
    for (; seat.rows < rows_until_now(seat); ++seat.rows) {
      const Input input = seat.input.at((seat.first_row + seat.rows) % seat.input.size());
      std::uint32_t held = 0;
      for (std::size_t i = 0; i < kButtons; ++i) {
        if (!input.buttons[i].is_held) continue;
        held |= 1U << i;
        if (((seat.held >> i) & 1U) == 0) ++seat.pressed[i];
      }
      seat.held = held;
      seat.client->set_command(input);
    }
  }

  /// Play begins when all clients are connected, so that each sees every shot. A client that cannot
  /// connect delays the others for a limited time only.
  bool has_begun() {
    has_begun_ =
        has_begun_ || now_ms() >= kBeginMaxMs || std::ranges::all_of(seats_, [&](const auto& seat) {
          return seat->client != nullptr && can_play(*seat);
        });
    return has_begun_;
  }

  bool can_play(const Seat& seat) const {
    const GameClientState state = seat.client->state();
    return seat.has_step && SessionAccess::members(*seat.client).servo != nullptr &&
           (state == GameClientState::playing || state == GameClientState::interrupted);
  }

  void measure(Seat& seat) {
    ClientMembers& members = SessionAccess::members(*seat.client);
    const GameClientMetrics metrics = seat.client->metrics();
    if (metrics.confirmed_tick != seat.confirmed) {
      record_.compare(members, metrics.confirmed_tick, seat.seen, result_);
      if (is_measured()) count_snapshots(seat, metrics.confirmed_tick);
      seat.confirmed = metrics.confirmed_tick;
    }
    const double shown = members.shown_tick;
    const double before = std::exchange(seat.last_shown, shown);
    const auto since = [&](std::uint64_t now_count, std::uint64_t& last) {
      const std::uint64_t count = now_count - std::min(last, now_count);
      last = now_count;
      return is_measured() ? count : 0;
    };
    const std::uint64_t corrections = since(metrics.corrections, seat.corrections);
    result_.corrections += corrections;
    result_.predicted_ticks += since(metrics.predicted_ticks, seat.predicted);
    result_.replayed_ticks += since(metrics.replayed_ticks, seat.replayed);
    seat.bits = members.sender.sent_bits();
    seat.claim_bits = static_cast<double>(members.claim_bits);
    result_.reconnects += metrics.resumes - seat.resumes;
    seat.resumes = metrics.resumes;
    if (!is_measured() || !can_play(seat) || shown <= 0) return;
    ++result_.frames;
    const double behind_ms = (server_time() - shown) * kTickMs;
    behind_ms_ += behind_ms - seat.delay_course.median_ms();
    if (shown <= before) ++stopped_;
    const double predicted = metrics.predicted_tick.value() + double{members.servo->fraction()};
    leads_.push_back(static_cast<float>(predicted - server_time()));
    const float error = measure_shown(seat, members, predicted - 1);
    if (&seat != seats_.front().get()) return;
    result_.course.push_back({.seconds = now_ms() / 1000,
                              .delay_ms = seat.delay_ms,
                              .lead_ticks = predicted - server_time(),
                              .shown_behind_ms = behind_ms,
                              .shown_error_mm = static_cast<double>(error),
                              .corrections = corrections});
  }

  void count_snapshots(const Seat& seat, Tick newest) {
    if (seat.confirmed == Tick()) return;
    for (std::uint32_t one = seat.confirmed.value() + 1; one <= newest.value(); ++one) {
      if (one % kSnapshotTicks != 0) continue;
      ++result_.snapshots;
      if (seat.last_shown >= one) ++result_.late_snapshots;
    }
  }

  /// Returns the largest position error of the other characters in mm.
  float measure_shown(Seat& seat, const ClientMembers& members, double own_time) {
    float worst = 0;
    seat.client->each<const Character, const Transform>(
        [&](EntityId entity, const Character&, const Transform& at) {
          const std::int32_t id = seat.client->reference(entity).network_id;
          if (seat.client->is_mine(entity)) {
            if (seat.client->is_predicted(entity)) seat.own.push_back({own_time, id, at.position});
            return;
          }
          if (const auto truth = record_.position(id, members.shown_tick)) {
            const float error = 1000 * length(*truth - at.position);
            others_.push_back(error);
            worst = std::max(worst, error);
          }
        });
    std::erase_if(seat.own, [&](const ShownOwn& one) {
      if (one.tick > tick_.value()) return false;
      if (const auto truth = record_.position(one.id, one.tick)) {
        owns_.push_back(1000 * length(*truth - one.position));
      }
      return true;
    });
    return worst;
  }

  /// `is_lost` is true if the connection timed out with presses in flight.
  void end_life(Seat& seat, bool is_lost) {
    if (seat.client == nullptr) return;
    for (std::size_t i = 0; i < kButtons; ++i) {
      const std::uint32_t pressed = seat.pressed[i];
      const std::uint32_t run = seat.run[i];
      result_.presses += pressed;
      result_.presses_doubled += run > pressed ? run - pressed : 0;
      std::uint64_t& missing = is_lost ? result_.presses_disconnected : result_.presses_lost;
      missing += pressed > run ? pressed - run : 0;
    }
    count_effects(seat, is_lost || seat.resumes > 0);
    bits_ += seat.bits;
    claim_bits_ += seat.claim_bits;
    result_.clock_jumps += seat.client->metrics().clock_jumps;
    if (is_lost) ++result_.reconnects;
    seat.resumes = 0;
    seat.has_step = false;
    seat.held = 0;
    seat.pressed = {};
    seat.run = {};
    seat.corrections = seat.predicted = seat.replayed = 0;
    seat.bits = 0;
    seat.claim_bits = 0;
    seat.last_shown = 0;
    seat.confirmed = Tick();
    seat.seen.clear();
    seat.own.clear();
    seat.effects.clear();
    seat.undone.clear();
    seat.own_id = 0;
    seat.has_joined_late = true;
  }

  /// Compares a client's played effects with the server's shots. A client that joined late sees
  /// only some of the others' shots. A client that lost its connection misses some shots.
  void count_effects(const Seat& seat, bool is_lost) {
    for (const auto& [shooter, shots] : shot_counts()) {
      if (seat.has_joined_late && shooter != seat.own_id) continue;
      const auto count_in = [&, id = shooter](const ShotCounts& counts) {
        const auto found = counts.find(id);
        return found == counts.end() ? 0 : found->second;
      };
      const std::uint64_t undone = count_in(seat.undone);
      const std::uint64_t played = count_in(seat.effects) - undone;
      result_.effects += shots;
      result_.effects_undone += undone;
      if (played > shots && !is_lost) result_.effects_doubled += played - shots;
      if (played < shots && !is_lost) result_.effects_lost += shots - played;
    }
  }

  bool is_settled() const {
    if (now_ms() < end_ms_ + kSettleMs) return false;
    return std::ranges::all_of(seats_, [](const auto& seat) {
      return seat->client == nullptr || seat->pressed == seat->run;
    });
  }

  SyncResult finish() {
    const auto percentile = [](std::vector<float>& values, double share) {
      if (values.empty()) return 0.0;
      const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
      std::ranges::nth_element(values, values.begin() + at);
      return static_cast<double>(values[static_cast<std::size_t>(at)]);
    };
    const double frames = std::max(static_cast<double>(result_.frames), 1.0);
    result_.client_minutes = frames / options_.frames_per_second / 60;
    result_.interpolation_delay_ms_mean = behind_ms_ / frames;
    result_.stopped_share = static_cast<double>(stopped_) / frames;
    result_.lead_ticks_p50 = percentile(leads_, 0.5);
    result_.lead_ticks_p99 = percentile(leads_, 0.99);
    result_.shown_error_mm_p50 = percentile(owns_, 0.5);
    result_.shown_error_mm_p99 = percentile(owns_, 0.99);
    result_.others_error_mm_p50 = percentile(others_, 0.5);
    result_.others_error_mm_p99 = percentile(others_, 0.99);
    result_.commands = record_.commands();
    result_.command_bits = bits_;
    result_.claim_bits = claim_bits_;
    result_.is_verified = result_.difference.empty() && result_.states_compared > 0;
    result_.world_hash = hash_;
    count_shots();
    return std::move(result_);
  }

  void count_shots() {
    const ShotLog& log = shot_log();
    for (const auto& [shot, verdict] : log.client) {
      const auto found = log.server.find(shot);
      if (found == log.server.end()) continue;
      ++result_.shots;
      const bool is_displaced =
          found->second.from != verdict.from || found->second.direction != verdict.direction;
      if (is_displaced) ++result_.shots_displaced;
      if (found->second.target == verdict.target) {
        ++result_.shots_agreed;
      } else if (is_displaced) {
        ++result_.displaced_disagreed;
      }
      if (found->second.target >= 0) ++result_.hits;
    }
    result_.shots_moved = log.server.size() - result_.shots;
  }

  SyncPlayOptions options_;
  Game game_;
  TemporaryFolder folder_;
  SimulatedEdges edges_;
  std::unique_ptr<GameServer> server_;
  std::vector<std::unique_ptr<Seat>> seats_;
  SyncRecord record_;
  SyncResult result_;
  std::uint64_t steps_ = 0;
  std::uint32_t joined_ = 0;
  Tick tick_;
  double tick_ms_ = 0;
  double end_ms_ = 0;
  bool is_settling_ = false;
  bool has_begun_ = false;
  std::uint64_t hash_ = 0xCBF2'9CE4'8422'2325U;
  std::uint64_t stopped_ = 0;
  double behind_ms_ = 0;
  double bits_ = 0;
  double claim_bits_ = 0;
  std::vector<float> leads_;
  std::vector<float> owns_;
  std::vector<float> others_;
};

}  // namespace

SyncResult play_sync(const SyncPlayOptions& options) { return Match(options).run(); }

}  // namespace muster
