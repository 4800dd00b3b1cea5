#include "tests/bench/delay_course.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace muster {

DelayCourse::DelayCourse(const DelayFile& file) : packets_(file.packets) {
  std::vector<double> arrived;
  for (const SentPacket& packet : packets_) {
    if (!packet.is_lost) arrived.push_back(packet.delay_ms);
  }
  assert(!arrived.empty());
  median_ms_ = median(std::move(arrived));
  const double first = packets_.front().sent_ms;
  for (SentPacket& packet : packets_) packet.sent_ms -= first;
  // The last row has the duration of the previous one.
  const double last = packets_.back().sent_ms;
  const double gap = packets_.size() > 1 ? last - packets_[packets_.size() - 2].sent_ms : 0;
  length_ms_ = last + std::max(gap, 1.0);
}

MetDelay DelayCourse::at(double now_ms) {
  const double at_ms = std::fmod(start_ms_ + now_ms, length_ms_);
  if (packets_[row_].sent_ms > at_ms) row_ = 0;
  while (row_ + 1 < packets_.size() && packets_[row_ + 1].sent_ms <= at_ms) ++row_;
  const SentPacket& before = packets_[row_];
  if (before.is_lost) return {.is_lost = true};
  const SentPacket& after = packets_[std::min(row_ + 1, packets_.size() - 1)];
  const double gap = after.sent_ms - before.sent_ms;
  if (after.is_lost || gap <= 0) return {.delay_ms = before.delay_ms};
  const double share = (at_ms - before.sent_ms) / gap;
  return {.delay_ms = before.delay_ms + (after.delay_ms - before.delay_ms) * share};
}

}  // namespace muster
