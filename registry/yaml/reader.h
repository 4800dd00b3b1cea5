// Parses text into a tree, in any dialect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "registry/yaml/tree.h"

namespace muster::yaml {

/// The kind of a file's content.
enum class Dialect : std::uint8_t {
  unity,        ///< `%YAML` with Unity's tag, or a `--- !u!` header.
  plain,        ///< Any other text.
  lfs_pointer,  ///< A Git LFS pointer in place of the content.
  binary,       ///< Content that is not text, for example Unity's binary form of assets.
  /// Text in an unsupported encoding, with unsupported line ends, or with zero bytes.
  foreign_text,
  empty,  ///< No bytes, or only white space and a byte-order mark.
};

/// Git's limit for the size of an LFS pointer. A larger file, or a file of this size, is not a
/// pointer.
inline constexpr std::size_t kPointerBytesMax = 1024;

/// Detects the kind of a text from its first kilobytes. Searches all of `text` for zero bytes.
Dialect detect_dialect(std::string_view text);

/// A syntax error.
struct SyntaxError {
  Position position{};
  std::string message{};
};

/// The reason why a text is unsupported: the encoding is UTF-16 or UTF-32, lines end with CR alone,
/// or the text contains zero bytes. The result is nullopt for supported text and for binary files.
std::optional<SyntaxError> find_text_fault(std::string_view text);

/// Returns `error`, with one exception: if the line of the error contains a character that other
/// programs treat as a line end (CR alone, NEL, LS, PS), returns an error that names this
/// character. In that case the parser's message would be misleading.
SyntaxError with_odd_line_end(SyntaxError error, std::string_view text);

/// Limits that prevent a malicious file from exhausting memory. A file that exceeds a limit has a
/// syntax error.
struct Limits {
  /// The maximum depth of collections. Real prefabs need fewer than 20 levels.
  std::uint32_t depth_max = 200;
  /// The maximum number of nodes. The largest known scene has 3 million nodes. A tree with the
  /// maximum uses about 1 GB of memory.
  std::size_t node_count_max = 10'000'000;
};

/// The result of parsing: the tree, or the first error.
class [[nodiscard]] ReadResult {
 public:
  ReadResult(Tree tree) : tree_(std::move(tree)), good_(true) {}  // NOLINT: implicit on purpose
  ReadResult(SyntaxError error) : error_(std::move(error)) {}     // NOLINT: implicit on purpose
  bool good() const { return good_; }
  /// Requires: `good()`.
  Tree& tree() { return tree_; }
  const Tree& tree() const { return tree_; }
  /// Requires: `!good()`.
  const SyntaxError& error() const { return error_; }

 private:
  Tree tree_;
  SyntaxError error_;
  bool good_ = false;
};

/// Parses Unity's dialect. `text` must outlive the tree. Needs linear time for every input.
ReadResult read_unity(std::string_view text, const Limits& limits = {});

/// Parses plain YAML (one or more documents) with yaml-cpp. Aliases and repeated keys are errors.
/// `text` must outlive the tree.
ReadResult read_plain(std::string_view text, const Limits& limits = {});

/// Parses the dialect that `detect_dialect` detects. LFS pointers, binary files and empty files are
/// errors. A caller that must distinguish these kinds calls `detect_dialect` first.
ReadResult read(std::string_view text, const Limits& limits = {});

}  // namespace muster::yaml
