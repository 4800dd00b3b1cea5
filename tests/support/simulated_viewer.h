// A client that receives snapshots over a link with jitter, draws a delayed view of them, and makes
// commands with honest claims about that view.
#pragma once

#include <cstdint>
#include <vector>

#include "registry/base/seed.h"
#include "runtime/sync/view_claim.h"

namespace muster::samples {

/// How a viewer chooses its delay.
enum class ViewRule : std::uint8_t {
  peak,      ///< As late as the latest recent snapshot; time continues without snapshots.
  quantile,  ///< As late as most snapshots; time continues without snapshots.
  stopping,  ///< Like quantile, but time stops at the newest snapshot.
};

struct ViewerOptions {
  std::uint64_t seed = 1;
  ViewRule rule = ViewRule::peak;
  double frames_per_second = 60;  ///< 0: irregular.
  double delay_ticks = 3;         ///< One way.
  double jitter_ticks = 0.5;      ///< Mean of an exponential distribution.
  double spikes = 0.005;          ///< Fraction of snapshots, 0 to 1, that arrive six ticks later.
  double loss = 0.01;             ///< Fraction of snapshots, 0 to 1.
  double drift = 0;  ///< The client's clock is faster by this fraction: 0.0002 is 200 ppm.
  /// The client runs a tenth faster for one of ten seconds, as if it changed its lead.
  bool changes_lead = false;
  double outage_ticks = 0;  ///< Once in ten seconds no snapshot arrives for this long.
  std::uint32_t snapshot_ticks = 3;
  std::uint32_t first_tick = 600;
};

/// A command and the view of its player.
struct ViewedCommand {
  ViewClaim claim;
  double shown = 0;  ///< The drawn time, in ticks.
  ClaimContext context;
};

/// Seeded; time is counted in ticks of 60 Hz.
class SimulatedViewer {
 public:
  explicit SimulatedViewer(const ViewerOptions& options)
      : options_(options), random_(options.seed), time_(options.first_tick) {
    next_send_ = options.first_tick / options.snapshot_ticks * options.snapshot_ticks;
  }

  /// Draws the next frame, and puts the commands made in it into `out`.
  void frame(std::vector<ViewedCommand>& out);
  double time() const { return time_; }
  /// Ticks of all received snapshots, increasing.
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
  std::uint32_t number_ = 0xFFFFFF00;  ///< Soon wraps.
  std::uint32_t server_tick_ = 0;
};

}  // namespace muster::samples
