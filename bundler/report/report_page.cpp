// `page/embed.cmake` embeds the files of the page in the program.
#include "bundler/report/report_page.h"

#include <string_view>

#include "bundler/report/page_files.h"

namespace muster {
namespace {

// Escapes `<`, because inside a script element only `<` can end the element or begin a comment.
std::string for_script(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char letter : json) {
    if (letter == '<') {
      text += "\\u003c";
    } else {
      text += letter;
    }
  }
  return text;
}

void replace_once(std::string& text, std::string_view mark, std::string_view by) {
  const std::size_t at = text.find(mark);
  if (at != std::string::npos) text.replace(at, mark.size(), by);
}

}  // namespace

std::string report_page(const Overview& overview) {
  std::string page(page_files::report_html());
  replace_once(page, "/* report.css */", page_files::report_css());
  // The data is inserted last, because a name in the data may contain the text of a placeholder.
  replace_once(page, "/* report.js */", page_files::report_js());
  const std::size_t at = page.find("/* data */");
  replace_once(page, "/* data */", for_script(overview_json(overview)));
  return at == std::string::npos ? std::string() : page;
}

}  // namespace muster
