#include "tests/bench/delay_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "tests/bench/packed_file.h"

namespace muster {
namespace {

/// A day in milliseconds. A larger number is refused, because it may be an absolute time.
constexpr double kNumberMax = 86'400'000;

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(value >= 0 && value <= kNumberMax)) return std::nullopt;
  return value;
}

std::string bare_name(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  for (const std::string_view ending : {".zst", ".csv"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
}

std::string_view cut_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

}  // namespace

Result<DelayFile> parse_delays(Bytes csv, const std::string& path, const DelayNeeds& needs) {
  DelayFile file{.name = bare_name(path), .packets = {}};
  std::string_view text = as_text(csv);
  std::size_t number = 1;
  const auto complain = [&](const std::string& what) {
    return fail(ErrorCode::malformed, fmt::format("{}:{}: {}", path, number, what));
  };
  const std::string_view header = cut_line(text);
  if (header != "send_ms,rtt_ms" && header != "send_ms,delay_ms") {
    return complain("the first line must be 'send_ms,rtt_ms' or 'send_ms,delay_ms'");
  }
  while (!text.empty()) {
    ++number;
    const std::string_view line = cut_line(text);
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) return complain("a line must be two numbers");
    const std::optional<double> sent = parse_number(line.substr(0, comma));
    const std::string_view delay_text = line.substr(comma + 1);
    const bool is_lost = delay_text.empty();
    const std::optional<double> delay = is_lost ? 0.0 : parse_number(delay_text);
    if (!sent || !delay) return complain("a line must be two numbers from 0 to 86,400,000 ms");
    if (!file.packets.empty() && *sent < file.packets.back().sent_ms) {
      return complain("packets must be in the order of sending");
    }
    file.packets.push_back({.sent_ms = *sent, .delay_ms = *delay, .is_lost = is_lost});
  }
  const auto arrived =
      static_cast<std::size_t>(std::ranges::count(file.packets, false, &SentPacket::is_lost));
  if (file.packets.size() < needs.packets || arrived < needs.arrived) {
    return complain(fmt::format("the file ends after {} packets; {} and {} arrivals are needed",
                                file.packets.size(), needs.packets, needs.arrived));
  }
  return file;
}

Result<DelayFile> load_delays(const std::string& path, const DelayNeeds& needs) {
  const Result<ByteVector> bytes = read_unpacked(path);
  if (!bytes) return fail(bytes.error());
  return parse_delays(bytes.value(), path, needs);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

SnapshotSeries choose_snapshots(const DelayFile& file, double rate_hz) {
  const auto gaps = [](const std::vector<SentPacket>& packets) {
    std::vector<double> all;
    for (std::size_t i = 1; i < packets.size(); ++i) {
      all.push_back(packets[i].sent_ms - packets[i - 1].sent_ms);
    }
    return median(std::move(all));
  };
  const double gap = std::max(gaps(file.packets), 0.001);
  const auto error = [&](std::size_t n) {
    return std::abs(1000 / (gap * static_cast<double>(n)) - rate_hz);
  };
  std::size_t step = 1;
  while (step < file.packets.size() / 50 && error(step + 1) < error(step)) ++step;
  SnapshotSeries series;
  for (std::size_t i = 0; i < file.packets.size(); i += step) {
    series.snapshots.push_back(file.packets[i]);
  }
  series.interval_ms = std::max(gaps(series.snapshots), 0.001);
  std::vector<double> delays;
  for (const SentPacket& packet : file.packets) {
    if (!packet.is_lost) delays.push_back(packet.delay_ms);
  }
  series.median_delay_ms = median(std::move(delays));
  return series;
}

}  // namespace muster
