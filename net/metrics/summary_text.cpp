#include "net/metrics/summary_text.h"

#include <array>
#include <charconv>

#include "registry/base/escaped_text.h"

namespace muster {

namespace {

void append_fixed(std::string& text, double value, int decimals) {
  std::array<char, 64> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                          std::chars_format::fixed, decimals);
  text.append(digits.data(), error == std::errc() ? end : digits.data());
}

void append_direction(std::string& text, double bytes, double packets, double loss) {
  append_fixed(text, bytes / 1000, 1);
  text.append(" kB/s ");
  append_fixed(text, packets, 0);
  text.append("/s loss ");
  append_fixed(text, loss * 100, 1);
  text.append(" %, ");
}

}  // namespace

void append_summary(std::string& text, std::string_view name, const TrafficRates& rates) {
  for (const char character : name) text.push_back(printable(character));
  text.append(": in ");
  append_direction(text, rates.bytes_in_per_second, rates.packets_in_per_second, rates.loss_in);
  text.append("out ");
  append_direction(text, rates.bytes_out_per_second, rates.packets_out_per_second, rates.loss_out);
  text.append("rtt ");
  append_fixed(text, std::chrono::duration<double, std::milli>(rates.round_trip_mean).count(), 1);
  text.append(" ms\n");
}

}  // namespace muster
