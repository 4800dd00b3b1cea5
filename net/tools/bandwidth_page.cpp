// The page contains the rows as JSON, and a script that builds the table from them.
#include "net/tools/bandwidth_page.h"

#include <string_view>

namespace muster {
namespace {

constexpr std::string_view kHead = R"html(<!doctype html>
<html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>)html";

constexpr std::string_view kBody = R"html(</title>
<style>
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .2rem .6rem; border-bottom: 1px solid #8884; }
th button { font: inherit; font-weight: 600; background: none; border: 0; padding: 0;
  color: inherit; cursor: pointer; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.bar { background: #4a90d9; height: .7rem; min-width: 1px; border-radius: 2px; }
input { font: inherit; padding: .2rem .5rem; margin: .5rem 0 1rem; }
</style>
<h1></h1><p id="sums"></p>
<label>Show only <input id="filter" placeholder="type, component or field"></label>
<table><thead><tr>
<th><button data-key="bytes_per_snapshot">bytes per snapshot</button></th>
<th><button data-key="share">share</button></th>
<th><button data-key="section">section</button></th>
<th><button data-key="type">type</button></th>
<th><button data-key="component">component</button></th>
<th><button data-key="field">field</button></th>
<th aria-label="share as a bar"></th>
</tr></thead><tbody></tbody></table>
<script type="application/json" id="data">)html";

constexpr std::string_view kScript = R"html(</script>
<script>
const data = JSON.parse(document.getElementById("data").textContent);
document.querySelector("h1").textContent = document.title;
document.getElementById("sums").textContent =
  `${data.snapshots} snapshots, ${data.bytes_per_snapshot.toFixed(1)} bytes each`;
let key = "bytes_per_snapshot", down = true;
function draw() {
  const wanted = document.getElementById("filter").value.toLowerCase();
  const rows = data.rows.filter(row =>
    [row.section, row.type, row.component, row.field].join(" ").toLowerCase().includes(wanted));
  rows.sort((a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0) * (down ? -1 : 1));
  const body = document.querySelector("tbody");
  body.replaceChildren(...rows.map(row => {
    const line = document.createElement("tr");
    const cell = (text, kind) => {
      const made = line.insertCell();
      made.textContent = text;
      if (kind) made.className = kind;
      return made;
    };
    cell(row.bytes_per_snapshot.toFixed(2), "number");
    cell((row.share * 100).toFixed(1) + " %", "number");
    for (const name of ["section", "type", "component", "field"]) cell(row[name]);
    const bar = document.createElement("div");
    bar.className = "bar";
    bar.style.width = (row.share * 100) + "%";
    const last = cell("");
    last.style.width = "25%";
    last.append(bar);
    return line;
  }));
}
for (const button of document.querySelectorAll("th button")) {
  button.onclick = () => {
    down = key === button.dataset.key ? !down : true;
    key = button.dataset.key;
    draw();
  };
}
document.getElementById("filter").oninput = draw;
draw();
</script>
</html>
)html";

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    switch (letter) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      default:
        safe.push_back(letter);
    }
  }
  return safe;
}

/// Escapes JSON for a script element, because a `<` in a string could end the element.
std::string embedded(const nlohmann::ordered_json& json) {
  std::string safe;
  for (const char letter :
       json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) {
    if (letter == '<') {
      safe += "\\u003c";
    } else {
      safe.push_back(letter);
    }
  }
  return safe;
}

}  // namespace

nlohmann::ordered_json json_of(const Bandwidth& bandwidth) {
  const double all = std::max(bandwidth.bits(), 1e-9);
  const double snapshots = std::max(static_cast<double>(bandwidth.snapshots), 1.0);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const BandwidthRow& row : bandwidth.rows) {
    rows.push_back({{"section", row.section},
                    {"type", row.type},
                    {"component", row.component},
                    {"field", row.field},
                    {"bits", row.bits},
                    {"bytes_per_snapshot", row.bits / 8 / snapshots},
                    {"share", row.bits / all}});
  }
  return {{"snapshots", bandwidth.snapshots},
          {"bytes", bandwidth.bytes},
          {"bytes_per_snapshot", static_cast<double>(bandwidth.bytes) / snapshots},
          {"rows", rows}};
}

std::string page_of(const Bandwidth& bandwidth, const std::string& title) {
  std::string page(kHead);
  page += escaped(title);
  page += kBody;
  page += embedded(json_of(bandwidth));
  page += kScript;
  return page;
}

}  // namespace muster
