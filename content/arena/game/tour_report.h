// Converts the report of a tour to text and to JSON.
#pragma once

#include <string>

#include "content/arena/game/tour.h"

namespace arena {

/// Returns a table with one line per stop, followed by totals and all failures.
std::string tour_table(const TourReport& report);

/// Returns `{"stops":[{...}],"totals":{...}}`, with the stops in the order of the tour.
std::string tour_json(const TourReport& report);

}  // namespace arena
