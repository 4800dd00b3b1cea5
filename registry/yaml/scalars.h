// Parses scalars of Unity's dialect: plain, single-quoted and double-quoted, on one or several
// lines.
#pragma once

#include <optional>
#include <string_view>

#include "registry/yaml/line_cursor.h"
#include "registry/yaml/reader.h"
#include "registry/yaml/tree.h"

namespace muster::yaml {

/// A parsed scalar. `text` views the source, or the tree's storage if the scalar was decoded.
struct Scalar {
  std::string_view text{};
  ScalarStyle style = ScalarStyle::plain;
  bool is_multi_line = false;
};

/// Parses the quoted scalar whose opening quote is at `cursor`, and moves the cursor after the
/// closing quote. The scalar may continue on lines of any indentation, because Unity writes closing
/// quotes at column 1. If the quote is not closed or an escape is unknown, sets `error` and returns
/// nullopt.
std::optional<Scalar> read_quoted(LineCursor& cursor, Tree& tree, SyntaxError& error);

/// Parses a plain scalar of a block collection. The scalar continues on lines that are indented by
/// more than `parent_indent` columns. Moves the cursor to the end of the last line. Fails like
/// `read_quoted` if the text contains `: `, because only a key may be followed by `: `.
std::optional<Scalar> read_block_plain(LineCursor& cursor, Tree& tree, std::size_t parent_indent,
                                       SyntaxError& error);

/// Parses a plain scalar inside braces or brackets, over any number of lines. The scalar ends
/// before the next flow indicator. The text is empty if the cursor is at a flow indicator.
Scalar read_flow_plain(LineCursor& cursor, Tree& tree);

/// True if a plain scalar inside braces ends at the colon at the cursor.
bool at_flow_colon(const LineCursor& cursor);

}  // namespace muster::yaml
