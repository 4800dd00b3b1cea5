// Finds a list in the text of its file, including comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/project/source_file.h"

namespace muster {

/// A text as lines without line ends. If the text mixes line ends, only line feeds separate lines.
/// A line that ends in CRLF then keeps its carriage return, so that unchanged lines stay byte for
/// byte.
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

/// A list with its key, as lines that can be written back in whole or in part.
struct ListText {
  std::size_t begin_line = 0;  ///< The line of the key.
  std::size_t end_line = 0;    ///< One past the last line of the list.
  std::string head;            ///< The key's line up to the colon.
  std::string behind;          ///< The text after the colon of a block list: at most a comment.
  std::size_t dash_indent = 0;
  bool is_flow = false;
  std::vector<ListItemText> items;
  std::vector<std::string> tail;  ///< Comment lines after the last item, inside the list.
};

/// Finds the list at `node`. The items of a bracketed list are returned as block items with their
/// own text. Fails with `malformed`, naming the line, for a list whose items cannot be separated by
/// lines; the remedy is to write it as a block.
Result<ListText> read_list_text(const SourceFile& source, yaml::NodeIndex node,
                                const TextLines& lines);

/// The offset after the token of flow text at `at`. A quoted scalar is one token, and so are a
/// comment and any other byte.
std::size_t flow_token_end(std::string_view text, std::size_t at);
/// The offset after the bracket that closes the bracket at `begin`; `npos` if it is not closed.
std::size_t flow_end(std::string_view text, std::size_t begin);

}  // namespace muster
