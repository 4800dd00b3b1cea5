// Shows how the estimator of `net/transport/send_rate.h` adapts to the rate of a path: prints many
// kinds of bottlenecks over the simulated network as CSV, and a line of results for each; then
// prints the fairness of two flows.
//
//     muster_path_lab [--moments N] [COURSE.csv...] > paths.csv  # results go to standard error
//     plot_paths.py paths.csv paths.svg
//
// All time is simulated: the same program prints the same bytes. Courses have the format of
// `net/transport/link_course.h`.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "net/capture/appended_file.h"
#include "net/transport/link_course.h"
#include "tests/support/bottleneck.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

/// An event on the path: the rate changes (kbit/s). A rate of 0 means that a flow joins.
struct Turn {
  Duration at{};
  double rate = 0;
};

struct Scene {
  std::string name;
  LinkOptions link;
  Offer offer = Offer::messages;
  std::vector<Turn> turns{};
  Duration length = 30s;
};

LinkOptions path(double rate, Duration latency, Duration queue) {
  const double bytes = kilobits(rate) * std::chrono::duration<double>(queue).count();
  return {.latency = latency,
          .bytes_per_second = kilobits(rate),
          .queue_bytes = static_cast<std::size_t>(bytes)};
}

LinkOptions lossy(double rate, double loss) {
  LinkOptions link = path(rate, 25ms, 500ms);
  link.loss = loss;
  return link;
}

std::vector<Scene> scenes() {
  std::vector<Scene> all;
  for (const int rate : {128, 512, 2000, 10'000}) {
    for (const int latency : {10, 40}) {
      const std::string name = "rate_" + std::to_string(rate) + "_" + std::to_string(latency);
      all.push_back({name, path(rate, std::chrono::milliseconds(latency), 1s)});
    }
  }
  for (const int latency : {10, 40}) {
    const LinkOptions slow = path(128, std::chrono::milliseconds(latency), 1s);
    all.push_back({"slow_small_" + std::to_string(latency), slow, Offer::small_messages});
    all.push_back({"slow_block_" + std::to_string(latency), slow, Offer::block});
    all.push_back({"slow_60hz_" + std::to_string(latency), slow, Offer::payloads});
  }
  all.push_back({"rate_10000_100", path(10'000, 100ms, 1s)});
  all.push_back({"rate_2000_100", path(2000, 100ms, 1s)});
  const std::vector<Turn> steps = {{8s, 1000}, {16s, 6000}, {24s, 500}, {32s, 3000}};
  all.push_back({"steps", path(4000, 25ms, 1s), Offer::messages, steps, 42s});
  all.push_back({"steps_60hz", path(4000, 25ms, 1s), Offer::payloads, steps, 42s});
  const std::vector<Turn> fall = {{8s, 500}};
  for (const int latency : {10, 25, 60}) {
    const std::string far = "fall_" + std::to_string(latency);
    const LinkOptions fast = path(10'000, std::chrono::milliseconds(latency), 1s);
    all.push_back({far, fast, Offer::messages, fall, 24s});
    all.push_back({far + "_60hz", fast, Offer::payloads, fall, 24s});
  }
  all.push_back({"two_flows", path(2000, 25ms, 1s), Offer::messages, {{7s, 0}}});
  all.push_back({"two_flows_60hz", path(2000, 25ms, 1s), Offer::payloads, {{7s, 0}}});
  all.push_back({"bufferbloat", path(2000, 20ms, 5s)});
  all.push_back({"bursts_60hz", path(2000, 20ms, 1s), Offer::payloads});
  all.push_back({"short_queue", path(2000, 20ms, 10ms)});
  all.push_back({"loss_5", lossy(2000, 0.05)});
  all.push_back({"loss_25", lossy(2000, 0.25)});
  LinkOptions wild = path(2000, 25ms, 1s);
  for (const int jitter_ms : {20, 40, 60, 100}) {
    wild.jitter = std::chrono::milliseconds(jitter_ms);
    const std::string name = "jitter_" + std::to_string(jitter_ms);
    all.push_back({name, wild});
    all.push_back({name + "_60hz", wild, Offer::payloads});
  }
  return all;
}

/// Runs one scene and prints it. The results omit the first 5 s, in which the estimator finds the
/// rate.
class Play {
 public:
  explicit Play(const Scene& scene)
      : scene_(scene), path_(1, scene.link, scene.offer), began_(path_.now) {
    path_.add_flow();
  }

  void run() {
    std::size_t next_turn = 0;
    Time sample = began_ + kSample;
    while (path_.now < began_ + scene_.length) {
      if (next_turn < scene_.turns.size() && path_.now - began_ >= scene_.turns[next_turn].at) {
        const Turn& turn = scene_.turns[next_turn++];
        turn.rate > 0 ? path_.set_rate(kilobits(turn.rate)) : path_.add_flow();
      }
      step();
      if (path_.now < sample) continue;
      print_sample();
      sample += kSample;
    }
    print_figures();
  }

 private:
  static constexpr Duration kSample = 200ms;
  static constexpr Duration kWarming = 5s;

  static double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
  }
  static double to_kbps(double bytes_per_second) { return bytes_per_second * 8 / 1000; }

  void step() {
    const Time last = path_.now;
    path_.step();
    queue_max_ = std::max(queue_max_, path_.queue_delay());
    if (path_.now - began_ < kWarming) {
      for (std::size_t i = 0; i < path_.flow_count(); ++i) at_warm_[i] = path_.carried(i);
      return;
    }
    delays_.push_back(path_.queue_delay());
    could_carry_ += path_.rate() * seconds(path_.now - last);
  }

  void print_sample() {
    for (std::size_t i = 0; i < path_.flow_count(); ++i) {
      const double bytes = path_.carried(i) - std::exchange(before_[i], path_.carried(i));
      fmt::print("{},{:.3f},{:.0f},{:.1f},{},{:.1f},{:.1f}\n", scene_.name,
                 seconds(path_.now - began_), to_kbps(path_.rate()), seconds(queue_max_) * 1000, i,
                 to_kbps(bytes / seconds(kSample)), to_kbps(path_.estimate(i).bytes_per_second()));
    }
    queue_max_ = {};
  }

  void print_figures() {
    double carried = 0;
    for (std::size_t i = 0; i < path_.flow_count(); ++i) carried += path_.carried(i) - at_warm_[i];
    std::ranges::sort(delays_);
    fmt::print(stderr, "{:<16} used {:.3f}, queue p95 {:.1f} ms, a packet by itself {:.1f} ms\n",
               scene_.name, carried / could_carry_,
               seconds(delays_[delays_.size() * 95 / 100]) * 1000,
               seconds(path_.packet_time(0)) * 1000);
  }

  const Scene& scene_;
  Bottleneck path_;
  Time began_;
  std::vector<double> before_ = std::vector<double>(8);
  std::vector<double> at_warm_ = std::vector<double>(8);
  std::vector<Duration> delays_;
  double could_carry_ = 0;
  Duration queue_max_{};
};

/// The time at which the second flow joins: 7 s or more after the first flow. The fairness depends
/// on this time.
Duration moment_of(int number) { return 7s + number / 3 * 1090ms + number % 3 * 370ms; }

/// Prints Jain's index of a flow and a later flow: the minimum and the mean over several moments of
/// joining. A measurement starts 10 s after the second flow joined and lasts 20 s. Also prints the
/// worst link use and the worst queue.
void print_fairness(double rate, Duration round_trip, Offer offer, int moments) {
  double fairness_min = 1;
  double mean = 0;
  double used = 1;
  Duration queue{};
  for (int i = 0; i < moments; ++i) {
    Bottleneck both(1, path(rate, round_trip / 2, 1s), offer);
    both.add_flow();
    both.run(moment_of(i));
    both.add_flow();
    both.run(10s);
    const Bottleneck::Report report = both.measure(20s);
    fairness_min = std::min(fairness_min, report.fairness);
    mean += report.fairness / moments;
    used = std::min(used, report.used);
    queue = std::max(queue, report.delay_p95);
  }
  fmt::print(stderr,
             "two on {:.0f} kbit/s, RTT {} ms, {}: {:.2f}/{:.2f}, used {:.3f}, queue {} ms\n", rate,
             round_trip / 1ms, offer == Offer::payloads ? "60 Hz" : "messages", fairness_min, mean,
             used, queue / 1ms);
}

/// Returns the scene in a file, or nothing if the file is not a course.
std::optional<Scene> read_scene(const std::string& file) {
  std::string problem;
  const auto bytes = read_capture_file(file, 1 << 20, problem);
  if (!bytes.has_value()) {
    fmt::print(stderr, "{}: {}\n", file, problem);
    return std::nullopt;
  }
  const std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  const auto course = read_link_course(text);
  if (!course.has_value()) {
    fmt::print(stderr, "{}: not a course of `seconds,latency_ms,loss,kbit_per_s`\n", file);
    return std::nullopt;
  }
  const std::string name = file.substr(file.find_last_of('/') + 1);
  LinkOptions link = path(1000, 30ms, 1s);
  link.course = *course;
  return Scene{name.substr(0, name.find('.')), link, Offer::payloads, {}, 2 * course->back().at};
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  std::vector<muster::Scene> scenes = muster::scenes();
  int moments = 3;
  for (int i = 1; i < argc; ++i) {
    if (argv[i] == std::string("--moments") && i + 1 < argc) {
      moments = std::clamp(std::atoi(argv[++i]), 1, 1000);
      continue;
    }
    std::optional<muster::Scene> scene = muster::read_scene(argv[i]);
    if (!scene.has_value()) return 2;
    scenes.push_back(std::move(*scene));
  }
  fmt::print("scene,seconds,path_kbps,queue_ms,flow,received_kbps,estimate_kbps\n");
  for (const muster::Scene& scene : scenes) muster::Play(scene).run();
  for (const double rate : {500.0, 1000.0, 2000.0, 6000.0, 10'000.0}) {
    for (const int round_trip : {20, 50, 120, 200}) {
      for (const muster::Offer offer : {muster::Offer::messages, muster::Offer::payloads}) {
        muster::print_fairness(rate, std::chrono::milliseconds(round_trip), offer, moments);
      }
    }
  }
  return 0;
}
