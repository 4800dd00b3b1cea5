// The report of a tour, for users and for programs.
#pragma once

#include <string>

#include "content/arena/game/tour.h"

namespace arena {

/// A table with one line per stop, then totals, then every failure.
std::string tour_table(const TourReport& report);

/// `{"stops":[{...}],"totals":{...}}`, in the order of the tour.
std::string tour_json(const TourReport& report);

}  // namespace arena
