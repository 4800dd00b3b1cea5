// Converts the report of a tour to text and to JSON.
#pragma once

#include <muster/build.h>

#include <string>

namespace arena {

/// Returns a table with one line per stop, followed by totals and all failures.
std::string tour_table(const muster::TourReport& report);

/// Returns `{"stops":[{...}],"totals":{...}}`, with the stops in the order of the tour.
std::string tour_json(const muster::TourReport& report);

}  // namespace arena
