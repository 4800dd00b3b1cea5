// Scalars of Unity's dialect: plain, single-quoted and double-quoted, on one line or on several.
#pragma once

#include <optional>
#include <string_view>

#include "registry/yaml/line_cursor.h"
#include "registry/yaml/reader.h"
#include "registry/yaml/tree.h"

namespace muster::yaml {

/// A scalar as read: a view into the source, or into the tree when it had to be decoded.
struct Scalar {
  std::string_view text{};
  ScalarStyle style = ScalarStyle::plain;
  bool is_multi_line = false;
};

/// Reads the quoted scalar whose opening quote `cursor` stands on and leaves the cursor behind its
/// closing quote. It may continue on lines of any indentation: Unity closes quotes at column one.
/// Fails, filling `error`, when the quote is never closed or an escape is unknown.
std::optional<Scalar> read_quoted(LineCursor& cursor, Tree& tree, SyntaxError& error);

/// Reads a plain scalar of a block collection and the lines that continue it, which are those
/// indented by more than `parent_indent` columns. Leaves the cursor at the end of its last line.
/// Fails when the text holds a `: `, which would make it a key.
std::optional<Scalar> read_block_plain(LineCursor& cursor, Tree& tree, std::size_t parent_indent,
                                       SyntaxError& error);

/// Reads a plain scalar inside braces or brackets, over any number of lines, up to the indicator
/// that ends it. The text is empty when there is none.
Scalar read_flow_plain(LineCursor& cursor, Tree& tree);

/// True when a plain scalar inside braces ends at the colon that the cursor stands on.
bool at_flow_colon(const LineCursor& cursor);

}  // namespace muster::yaml
