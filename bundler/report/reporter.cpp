#include "bundler/report/reporter.h"

#include <fmt/format.h>

#include "registry/base/escaped_text.h"

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
  const std::string escaped = escaped_text(what);
  std::string line = total_ > 0 ? fmt::format("{} {}/{} {}", phase_, done_, total_, escaped)
                                : fmt::format("{} {}", phase_, escaped);
  if (line.size() > kWidth) line.resize(kWidth);
  out_ << "\r\x1b[2K" << line << std::flush;
}

void TerminalReporter::finish() {
  const std::lock_guard lock(mutex_);
  out_ << "\r\x1b[2K" << std::flush;
}

// Whether `inner_` receives events now. When the result becomes true, this function also reports
// the current phase to `inner_`.
bool PatientReporter::is_time() {
  if (is_reporting_ || clock_.now() - start_ < kPatience) return is_reporting_;
  is_reporting_ = true;
  if (phase_.empty()) return true;
  inner_.begin(phase_, total_);
  if (done_ > 0) inner_.advance(done_, {});
  return true;
}

void PatientReporter::begin(std::string_view phase, std::size_t total) {
  const std::lock_guard lock(mutex_);
  phase_.clear();  // The previous phase has ended and is not reported any more.
  if (is_time()) return inner_.begin(phase, total);
  phase_ = phase;
  done_ = 0;
  total_ = total;
}

void PatientReporter::advance(std::size_t steps, std::string_view what) {
  const std::lock_guard lock(mutex_);
  if (is_time()) return inner_.advance(steps, what);
  done_ += steps;
}

void PatientReporter::finish() {
  const std::lock_guard lock(mutex_);
  if (is_reporting_) inner_.finish();
}

Progress progress_of(Reporter& reporter) {
  return {
      .on_begin = [&](std::string_view phase, std::size_t total) { reporter.begin(phase, total); },
      .on_advance = [&](std::size_t steps,
                        std::string_view what) { reporter.advance(steps, what); }};
}

}  // namespace muster
