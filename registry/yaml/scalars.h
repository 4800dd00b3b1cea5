// Parses scalars of Unity's dialect: plain, single-quoted and double-quoted, on one or several
// lines.
#pragma once

#include <optional>
#include <string_view>

#include "registry/yaml/line_cursor.h"
#include "registry/yaml/reader.h"
#include "registry/yaml/tree.h"

namespace muster::yaml {

/// A parsed scalar: a view into the source, or into the tree if it was decoded.
struct Scalar {
  std::string_view text{};
  ScalarStyle style = ScalarStyle::plain;
  bool is_multi_line = false;
};

/// Parses the quoted scalar whose opening quote is at `cursor`, and moves the cursor after its
/// closing quote. It may continue on lines of any indentation: Unity closes quotes at column one.
/// Fails, filling `error`, if the quote is not closed or an escape is unknown.
std::optional<Scalar> read_quoted(LineCursor& cursor, Tree& tree, SyntaxError& error);

/// Parses a plain scalar of a block collection and the lines that continue it: those indented by
/// more than `parent_indent` columns. Moves the cursor to the end of its last line. Fails if the
/// text contains a `: `, which would make it a key.
std::optional<Scalar> read_block_plain(LineCursor& cursor, Tree& tree, std::size_t parent_indent,
                                       SyntaxError& error);

/// Parses a plain scalar inside braces or brackets, over any number of lines, up to the indicator
/// that ends it. The text is empty if none exists.
Scalar read_flow_plain(LineCursor& cursor, Tree& tree);

/// True if a plain scalar inside braces ends at the colon at the cursor.
bool at_flow_colon(const LineCursor& cursor);

}  // namespace muster::yaml
