// A simulated client that receives snapshots over a link with jitter, draws a delayed view, and
// makes commands with correct claims about this view.
#pragma once

#include <cstdint>
#include <vector>

#include "registry/base/seed.h"
#include "runtime/sync/view_claim.h"

namespace muster::samples {

/// How a viewer chooses the delay of its view.
enum class ViewRule : std::uint8_t {
  peak,      ///< The delay of the latest recent snapshot. Time continues without snapshots.
  quantile,  ///< The delay that most snapshots do not exceed. Time continues without snapshots.
  stopping,  ///< Like `quantile`, but time stops at the newest snapshot.
};

struct ViewerOptions {
  std::uint64_t seed = 1;
  ViewRule rule = ViewRule::peak;
  double frames_per_second = 60;  ///< The frame rate; 0 for irregular frames.
  double delay_ticks = 3;         ///< The delay in one direction.
  double jitter_ticks = 0.5;      ///< The mean of an exponential distribution.
  double spikes = 0.005;          ///< The fraction of snapshots that arrive six ticks later.
  double loss = 0.01;             ///< The fraction of lost snapshots.
  /// The fraction by which the client's clock is faster. For example, 0.0002 is 200 ppm.
  double drift = 0;
  /// True if the client runs 10 % faster for one second in every ten, as after a change of its
  /// lead.
  bool changes_lead = false;
  double outage_ticks = 0;  ///< Once in ten seconds, no snapshot arrives for this time.
  std::uint32_t snapshot_ticks = 3;
  std::uint32_t first_tick = 600;
};

/// A command and the view of its player.
struct ViewedCommand {
  ViewClaim claim;
  double shown = 0;  ///< The time of the drawn view, in ticks.
  ClaimContext context;
};

/// The viewer. Time is counted in ticks of 60 Hz. Equal seeds give equal results.
class SimulatedViewer {
 public:
  explicit SimulatedViewer(const ViewerOptions& options)
      : options_(options), random_(options.seed), time_(options.first_tick) {
    next_send_ = options.first_tick / options.snapshot_ticks * options.snapshot_ticks;
  }

  /// Draws the next frame, and stores the commands of this frame in `out`.
  void frame(std::vector<ViewedCommand>& out);
  double time() const { return time_; }
  /// The ticks of all received snapshots, in increasing order.
  const std::vector<std::uint32_t>& received() const { return received_; }

 private:
  struct Arrival {
    double time = 0;
    std::uint32_t tick = 0;
  };
  double unit() { return static_cast<double>(random_.next() >> 11U) * 0x1p-53; }
  void send_until(double time);
  void receive(double time);
  void note(const Arrival& arrival);
  void draw(double passed);
  ViewedCommand command_at(double shown);

  ViewerOptions options_;
  Random random_;
  double time_;
  std::uint32_t next_send_;
  std::vector<Arrival> in_flight_;
  std::vector<std::uint32_t> received_;
  // Clock of the view.
  bool has_offset_ = false;
  double offset_ = 0;
  double last_arrival_ = 0;
  double lateness_ = 0;
  std::vector<double> residuals_;
  double delay_ = 0;
  double shown_ = 0;
  std::uint32_t drawn_newest_ = 0;
  // Commands.
  double due_ = 0;
  std::uint32_t number_ = 0xFFFFFF00;  ///< The command number, which wraps soon.
  std::uint32_t server_tick_ = 0;
};

}  // namespace muster::samples
