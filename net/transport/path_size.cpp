#include "net/transport/path_size.h"

#include <array>

namespace muster {

namespace {

/// Sizes for Ethernet with IPv4, Ethernet with IPv6, common tunnels, and smaller paths.
constexpr std::array<std::size_t, 5> kProbedSizes = {1472, 1452, 1400, 1320, 1260};
constexpr unsigned kTries = 3;
/// The path has shrunk when this many consecutive large packets are lost. At 50 % loss, chance
/// causes this in 1 of 64 cases. The effect of a wrong decision is small.
constexpr unsigned kBlackHole = 6;
constexpr Duration kBetweenProbes = std::chrono::seconds(1);
/// A size that failed is probed again after this time (RFC 8899 recommends 10 minutes).
constexpr Duration kProbeAgain = std::chrono::minutes(10);

}  // namespace

/// Returns the index of the first size within the limit, at or after `from`. Returns the end of the
/// list if that size is not larger than the current size.
std::size_t PathSize::candidate_from(std::size_t from) const {
  while (from < kProbedSizes.size() && kProbedSizes[from] > limit_) ++from;
  return from < kProbedSizes.size() && kProbedSizes[from] > bytes_ ? from : kProbedSizes.size();
}

std::size_t PathSize::wanted_probe(Time now) const {
  if (is_in_flight_) return 0;
  std::size_t candidate = candidate_from(candidate_);
  const Duration pause = candidate < kProbedSizes.size() ? kBetweenProbes : kProbeAgain;
  if (has_begun_ && now - last_probe_ < pause) return 0;
  if (candidate == kProbedSizes.size()) candidate = candidate_from(0);
  return candidate < kProbedSizes.size() ? kProbedSizes[candidate] : 0;
}

void PathSize::probe_sent(Time now) {
  candidate_ = candidate_from(candidate_);
  if (candidate_ == kProbedSizes.size()) candidate_ = candidate_from(0);
  last_probe_ = now;
  has_begun_ = true;
  is_in_flight_ = true;
  ++tries_;
}

void PathSize::probe_delivered(std::size_t size) {
  is_in_flight_ = false;
  tries_ = 0;
  if (size > bytes_ && size <= limit_) bytes_ = size;
  // The remaining sizes in the list are smaller than the current size.
  candidate_ = kProbedSizes.size();
}

void PathSize::probe_lost() {
  is_in_flight_ = false;
  if (tries_ >= kTries) next_candidate();
}

void PathSize::next_candidate() {
  tries_ = 0;
  ++candidate_;
}

void PathSize::settled(Time now, std::size_t size, bool delivered) {
  if (size <= kDatagramBytesSafe) return;
  large_lost_ = delivered ? 0 : large_lost_ + 1;
  if (large_lost_ < kBlackHole) return;
  restart();
  last_probe_ = now;
  has_begun_ = true;
}

void PathSize::restart() { *this = PathSize(limit_); }

}  // namespace muster
