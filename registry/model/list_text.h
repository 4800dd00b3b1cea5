// Where a list stands in the text of its file, comments included.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/project/source_file.h"

namespace muster {

/// A text as lines without their ends. Where it mixes them, its lines are those between line feeds,
/// and one that ends in CRLF keeps its carriage return: nothing that is not changed changes.
struct TextLines {
  std::vector<std::string> text;
  std::string line_end = "\n";
  bool final_end = true;
};
TextLines split_lines(std::string_view text);
std::string join_lines(const TextLines& lines);

/// The number of spaces at the beginning of a line.
std::size_t indentation(std::string_view line);

/// One item as block text.
struct ListItemText {
  std::vector<std::string> lead;   ///< The comment and blank lines above it.
  std::vector<std::string> lines;  ///< The first begins with the dash.
};

/// A list with its key, as lines that can be put back in whole or in part.
struct ListText {
  std::size_t begin_line = 0;  ///< The line of the key.
  std::size_t end_line = 0;    ///< One past the last line of the list.
  std::string head;            ///< The key's line up to the colon.
  std::string behind;          ///< What follows the colon of a block list: at most a comment.
  std::size_t dash_indent = 0;
  bool is_flow = false;
  std::vector<ListItemText> items;
  std::vector<std::string> tail;  ///< Comment lines behind the last item, inside the list.
};

/// Finds the list at `node`. The items of a list in brackets are given as block items with their
/// own text. Fails with `malformed`, naming the line, for a list whose items are not told apart by
/// their lines; the remedy is to write it as a block.
Result<ListText> read_list_text(const SourceFile& source, yaml::NodeIndex node,
                                const TextLines& lines);

/// One past the token of flow text at `at`: a quoted scalar or a comment counts as one, everything
/// else is a token of one byte.
std::size_t flow_token_end(std::string_view text, std::size_t at);
/// One past the bracket that closes the one at `begin`; `npos` when none does.
std::size_t flow_end(std::string_view text, std::size_t begin);

}  // namespace muster
