#include "registry/project/package_guids.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "registry/project/tables/tables.h"

namespace muster {
namespace {

// One row of the table. The row views the text of the table.
struct Row {
  Guid guid;
  std::string_view name;
  std::string_view package;
};

std::vector<Row> read_rows() {
  std::vector<Row> rows;
  std::string_view package;
  std::string_view rest = package_guids_table();
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("> ")) {
      package = line.substr(2);
      continue;
    }
    const auto guid = Guid::parse(line.substr(0, Guid::kTextLength));
    assert(guid.has_value() && line.size() > Guid::kTextLength + 1);
    rows.push_back({guid.value(), line.substr(Guid::kTextLength + 1), package});
  }
  std::ranges::sort(rows, {}, &Row::guid);
  return rows;
}

}  // namespace

std::optional<PackageAsset> find_package_asset(const Guid& guid) {
  static const std::vector<Row> kRows = read_rows();
  const auto found = std::ranges::lower_bound(kRows, guid, {}, &Row::guid);
  if (found == kRows.end() || found->guid != guid) return std::nullopt;
  return PackageAsset{.name = std::string(found->name),
                      .package = std::string(found->package),
                      .is_script = found->name.find('.') == std::string_view::npos};
}

}  // namespace muster
