#include "bundler/report/reporter.h"

#include <chrono>

#include <fmt/format.h>

namespace muster {

void LineReporter::begin(std::string_view phase, std::size_t total) {
  const std::lock_guard lock(mutex_);
  out_ << (total > 0 ? fmt::format("{} ({})\n", phase, total) : fmt::format("{}\n", phase))
       << std::flush;
}

void LineReporter::advance(std::size_t /*steps*/, std::string_view /*what*/) {}
void LineReporter::finish() {}

void TerminalReporter::begin(std::string_view phase, std::size_t total) {
  const std::lock_guard lock(mutex_);
  phase_ = phase;
  done_ = 0;
  total_ = total;
  drawn_ = clock_.now();
  draw({});
}

void TerminalReporter::advance(std::size_t steps, std::string_view what) {
  const std::lock_guard lock(mutex_);
  done_ += steps;
  const Time now = clock_.now();
  if (now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  draw(what);
}

void TerminalReporter::draw(std::string_view what) {
  constexpr std::size_t kWidth = 78;
  std::string line = total_ > 0 ? fmt::format("{} {}/{} {}", phase_, done_, total_, what)
                                : fmt::format("{} {}", phase_, what);
  if (line.size() > kWidth) line.resize(kWidth);
  out_ << "\r\x1b[2K" << line << std::flush;
}

void TerminalReporter::finish() {
  const std::lock_guard lock(mutex_);
  out_ << "\r\x1b[2K" << std::flush;
}

}  // namespace muster
