// Shows the progress of long work.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <ostream>
#include <string>
#include <string_view>

#include "registry/base/clock.h"
#include "registry/base/progress.h"

namespace muster {

/// Receives the phases of long work. Several threads may call its functions.
class Reporter {
 public:
  virtual ~Reporter() = default;
  /// A phase of `total` steps starts, and the previous phase ends. `total` is 0 if the number is
  /// unknown.
  virtual void begin(std::string_view phase, std::size_t total) = 0;
  /// `steps` more steps are done. `what` is the current item.
  virtual void advance(std::size_t steps, std::string_view what) = 0;
  /// All phases have ended.
  virtual void finish() = 0;
};

/// Prints one line per phase, for logs and pipes.
class LineReporter final : public Reporter {
 public:
  explicit LineReporter(std::ostream& out) : out_(out) {}
  void begin(std::string_view phase, std::size_t total) override;
  void advance(std::size_t steps, std::string_view what) override;
  void finish() override;

 private:
  std::ostream& out_;
  std::mutex mutex_;
};

/// Prints one line and updates it at most ten times a second, for terminals.
class TerminalReporter final : public Reporter {
 public:
  TerminalReporter(std::ostream& out, const Clock& clock) : out_(out), clock_(clock) {}
  void begin(std::string_view phase, std::size_t total) override;
  void advance(std::size_t steps, std::string_view what) override;
  void finish() override;

 private:
  void draw(std::string_view what);
  std::ostream& out_;
  const Clock& clock_;
  std::mutex mutex_;
  std::string phase_;
  std::size_t done_ = 0;
  std::size_t total_ = 0;
  Time drawn_{};
};

/// Forwards events to another reporter after the work has lasted `kPatience`, so that shorter work
/// shows no progress. Use it for commands that only print information.
class PatientReporter final : public Reporter {
 public:
  static constexpr Duration kPatience = std::chrono::milliseconds(1500);

  PatientReporter(Reporter& inner, const Clock& clock)
      : inner_(inner), clock_(clock), start_(clock.now()) {}
  void begin(std::string_view phase, std::size_t total) override;
  void advance(std::size_t steps, std::string_view what) override;
  void finish() override;

 private:
  bool is_time();
  Reporter& inner_;
  const Clock& clock_;
  Time start_;
  std::mutex mutex_;
  bool is_reporting_ = false;
  std::string phase_;
  std::size_t done_ = 0;
  std::size_t total_ = 0;
};

/// Forwards events until `switch_off` is called.
class SwitchedReporter final : public Reporter {
 public:
  explicit SwitchedReporter(Reporter& inner) : inner_(inner) {}
  /// Requires: no phase has begun.
  void switch_off() { is_on_ = false; }
  void begin(std::string_view phase, std::size_t total) override {
    if (is_on_) inner_.begin(phase, total);
  }
  void advance(std::size_t steps, std::string_view what) override {
    if (is_on_) inner_.advance(steps, what);
  }
  void finish() override {
    if (is_on_) inner_.finish();
  }

 private:
  Reporter& inner_;
  bool is_on_ = true;
};

/// Adapts a reporter to the `Progress` of `registry/`. The reporter must outlive the result.
Progress progress_of(Reporter& reporter);

/// Prints nothing.
class SilentReporter final : public Reporter {
 public:
  void begin(std::string_view /*phase*/, std::size_t /*total*/) override {}
  void advance(std::size_t /*steps*/, std::string_view /*what*/) override {}
  void finish() override {}
};

}  // namespace muster
