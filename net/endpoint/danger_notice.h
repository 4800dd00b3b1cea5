// The warning of an endpoint in mode `unprotected`.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "registry/base/clock.h"

namespace muster {

/// Receives one line of text, without a line break.
using DangerLog = std::function<void(std::string_view line)>;

/// Writes the same line at once and then every minute. If there is no log, the line is written to
/// standard error, so that a game does not hide the warning by mistake.
class DangerNotice {
 public:
  explicit DangerNotice(DangerLog log) : log_(std::move(log)) {}

  void remind(Time now, std::string_view line);

 private:
  DangerLog log_;
  std::optional<Time> printed_at_;
};

}  // namespace muster
