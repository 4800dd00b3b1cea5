// Every decision has a slot, and every slot belongs to one lane, to one type or to the snapshot
// itself. So bits are counted by slot, and the code that makes a decision does not have to name the
// decision's purpose.
#include "net/replication/bandwidth.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <numeric>
#include <tuple>

#include "net/snapshot/slots.h"

namespace muster {
namespace {

struct HeadPart {
  std::uint32_t first;
  const char* section;
  const char* field;
};

/// The parts of a snapshot's head, in the order of their slots.
constexpr std::array kHeadParts = {
    HeadPart{slots::kHasReference, "head", "number and references"},
    HeadPart{slots::kOddTick, "head", "tick"},
    HeadPart{slots::kDefers, "head", "deferring"},
    HeadPart{slots::kDeferred, "which", "deferred"},
    HeadPart{slots::kIsPart, "head", "part"},
    HeadPart{slots::kEnds, "which", "end of a part"},
    HeadPart{slots::kGone, "which", "gone"},
    HeadPart{slots::kAnotherNew, "which", "new"},
    HeadPart{slots::kBlockChanges, "which", "unchanged blocks"},
    HeadPart{slots::kIdGap, "which", "new"},
    HeadPart{slots::kReferenceAfterGap, "head", "number and references"},
};

/// Splits `Component.field[i]` and drops the index.
std::pair<std::string, std::string> split(const std::string& lane) {
  const std::size_t dot = lane.find('.');
  std::string field = dot == std::string::npos ? std::string() : lane.substr(dot + 1);
  const std::size_t bracket = field.rfind('[');  // A name in a file can be any text.
  if (bracket != std::string::npos && field.back() == ']') field.resize(bracket);
  return {lane.substr(0, dot), field};
}

double sum(const std::vector<double>& bits, std::uint32_t first, std::uint32_t count) {
  const auto begin = bits.begin() + first;
  return std::accumulate(begin, begin + count, 0.0);
}

void append_number(std::string& text, double value, int decimals, std::size_t width) {
  std::array<char, 64> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                          std::chars_format::fixed, decimals);
  const auto length =
      static_cast<std::size_t>((error == std::errc() ? end : digits.data()) - digits.data());
  text.append(length < width ? width - length : 0, ' ');
  text.append(digits.data(), length);
}

}  // namespace

double Bandwidth::bits() const {
  return std::accumulate(rows.begin(), rows.end(), 0.0,
                         [](double total, const BandwidthRow& row) { return total + row.bits; });
}

Bandwidth bandwidth_of(const BitMeter& meter, const SnapshotModel& model, const TypeViews& views) {
  const std::vector<double>& bits = meter.bits();
  // One row for each section, type, component and field.
  std::map<std::array<std::string, 4>, double> rows;
  for (std::size_t i = 0; i < kHeadParts.size(); ++i) {
    const std::uint32_t end =
        i + 1 < kHeadParts.size() ? kHeadParts[i + 1].first : slots::kPerSnapshot;
    const HeadPart& part = kHeadParts[i];
    rows[{part.section, "", "", part.field}] += sum(bits, part.first, end - part.first);
  }
  for (std::size_t i = 0; i < model.types.size(); ++i) {
    const TypeModel& type = model.types[i];
    const std::string name = type.schema.name.substr(0, type.schema.name.find('/'));
    rows[{"which", name, "", "changed or not"}] += sum(bits, type.first_slot, slots::kPerEntity);
    for (std::size_t k = 0; k < type.lanes.size(); ++k) {
      const auto [component, field] = split(views.lane_name(static_cast<CodecType>(i), k));
      rows[{"fields", name, component, field}] +=
          sum(bits, type.lanes[k].first_slot, slot_count(type.schema.lanes[k]));
    }
  }
  Bandwidth bandwidth{.snapshots = meter.snapshots(), .bytes = meter.bytes(), .rows = {}};
  for (const auto& [key, value] : rows) {
    if (value > 0) bandwidth.rows.push_back({key[0], key[1], key[2], key[3], value});
  }
  std::ranges::stable_sort(bandwidth.rows, std::ranges::greater(), &BandwidthRow::bits);
  return bandwidth;
}

std::string table_of(const Bandwidth& bandwidth) {
  std::string text = "  bytes/snapshot   share  what\n";
  const double all = std::max(bandwidth.bits(), 1e-9);
  const double snapshots = std::max(static_cast<double>(bandwidth.snapshots), 1.0);
  for (const BandwidthRow& row : bandwidth.rows) {
    append_number(text, row.bits / 8 / snapshots, 2, 16);
    append_number(text, row.bits / all * 100, 1, 6);
    text += " %  " + row.section;
    if (!row.type.empty()) text += ", type " + row.type;
    text += ": ";
    if (!row.component.empty()) text += row.component + ".";
    text += row.field + "\n";
  }
  append_number(text, static_cast<double>(bandwidth.bytes) / snapshots, 2, 16);
  text += " bytes per snapshot as sent, ";
  append_number(text, snapshots, 0, 0);
  text += " snapshots\n";
  return text;
}

}  // namespace muster
