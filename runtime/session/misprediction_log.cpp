#include "runtime/session/misprediction_log.h"

#include <cstdio>

namespace muster {
namespace {

std::string number(double value) {
  char text[32];
  const int length = std::snprintf(text, sizeof text, "%.6g", value);
  return std::string(text, static_cast<std::size_t>(length));
}

}  // namespace

void MispredictionLog::add(const Misprediction& one) {
  ++total_;
  if (kept_.size() < kKept) {
    kept_.reserve(kKept);
    kept_.push_back(one);
    return;
  }
  kept_[first_] = one;
  first_ = (first_ + 1) % kKept;
}

std::string to_line(const Misprediction& one) {
  std::string line = "tick " + std::to_string(one.tick.value()) + ", entity " +
                     std::to_string(one.entity.slot()) + ": " + std::string(one.component) + "." +
                     std::string(one.field) + " differs by " + number(one.difference) +
                     " (tolerance " + number(one.tolerance) + "), ";
  line += one.system.empty() ? "written by no shared system in that tick"
                             : "last written by " + std::string(one.system);
  return line;
}

std::string to_csv(const Misprediction& one) {
  return std::to_string(one.tick.value()) + "," + std::to_string(one.command_tick.value()) + "," +
         std::to_string(one.entity.slot()) + "," + std::string(one.component) + "," +
         std::string(one.field) + "," + number(one.difference) + "," + number(one.tolerance) + "," +
         std::string(one.system) + "," + std::to_string(one.replayed_ticks);
}

}  // namespace muster
