// What an end without protection says by itself, so that nobody forgets that it has none.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "registry/base/clock.h"

namespace muster {

/// Takes a line for the people who run a program, without a line break.
using DangerLog = std::function<void(std::string_view line)>;

/// Says the same line at once and then once a minute. Without a log it goes to standard error: who
/// wants it elsewhere has to say so, and whoever forgets hears it all the same.
class DangerNotice {
 public:
  explicit DangerNotice(DangerLog log) : log_(std::move(log)) {}

  void remind(Time now, std::string_view line);

 private:
  DangerLog log_;
  std::optional<Time> said_at_;
};

}  // namespace muster
