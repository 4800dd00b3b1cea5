// The warning of an unprotected end.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "registry/base/clock.h"

namespace muster {

/// Receives one line of text, without a line break.
using DangerLog = std::function<void(std::string_view line)>;

/// Writes the same line at once and then every minute. Without a log the line goes to standard
/// error, so that the game cannot hide it by mistake.
class DangerNotice {
 public:
  explicit DangerNotice(DangerLog log) : log_(std::move(log)) {}

  void remind(Time now, std::string_view line);

 private:
  DangerLog log_;
  std::optional<Time> printed_at_;
};

}  // namespace muster
