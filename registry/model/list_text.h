// Finds the lines of a list in the text of its file, including comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/project/source_file.h"

namespace muster {

/// A text as lines without line ends. If the text has both LF and CR LF, LF separates the lines,
/// and a line that ends with CR LF keeps its CR. So unchanged lines keep all their bytes.
struct TextLines {
  std::vector<std::string> text;
  std::string line_end = "\n";
  bool final_end = true;
};
TextLines split_lines(std::string_view text);
std::string join_lines(const TextLines& lines);

/// The number of spaces at the beginning of a line.
std::size_t indentation(std::string_view line);

/// One list item in YAML's block style.
struct ListItemText {
  std::vector<std::string> lead;   ///< The comment lines and blank lines above the item.
  std::vector<std::string> lines;  ///< The lines of the item; the first line begins with the dash.
};

/// The lines of a list and its key.
struct ListText {
  std::size_t begin_line = 0;  ///< The line of the key.
  std::size_t end_line = 0;    ///< One past the last line of the list.
  std::string head;            ///< The key's line up to the colon.
  std::string behind;          ///< The text after the colon of a block list: empty, or a comment.
  std::size_t dash_indent = 0;
  bool is_flow = false;
  std::vector<ListItemText> items;
  std::vector<std::string> tail;  ///< Comment lines after the last item, inside the list.
};

/// Finds the list at `node`. Converts the items of a bracketed list to block items. Fails with
/// `malformed`, naming the line, if the key is not at the beginning of a line, or if the items
/// cannot be separated. The message asks the user to write the list as a block.
Result<ListText> read_list_text(const SourceFile& source, yaml::NodeIndex node,
                                const TextLines& lines);

/// The offset after the token that begins at `at` in YAML flow text. A token is a quoted scalar, a
/// comment, or a single other byte.
std::size_t flow_token_end(std::string_view text, std::size_t at);
/// The offset after the bracket that closes the bracket at `begin`; `npos` if it is not closed.
std::size_t flow_end(std::string_view text, std::size_t begin);

}  // namespace muster
