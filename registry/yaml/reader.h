// Text to tree, whatever the dialect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "registry/yaml/tree.h"

namespace muster::yaml {

/// What kind of bytes a file holds, told from its beginning.
enum class Dialect : std::uint8_t {
  unity,         ///< `%YAML` with Unity's tag, or a `--- !u!` header.
  plain,         ///< Any other text.
  lfs_pointer,   ///< A Git LFS pointer in place of the content.
  binary,        ///< Not text: a NUL byte, or Unity's native binary form.
  foreign_text,  ///< Text with line ends or zero bytes that are not read.
  empty,         ///< No bytes, or only white space and a byte-order mark.
};

/// Git's own bound on the size of an LFS pointer; a file of this size or more merely quotes one.
inline constexpr std::size_t kPointerBytesMax = 1024;

/// Looks at the first kilobytes of a file, and for zero bytes in all of `text`.
Dialect detect_dialect(std::string_view text);

/// Where and why a text is not YAML as we read it.
struct SyntaxError {
  Position position{};
  std::string message{};
};

/// Why a text is none that is read: another encoding (UTF-16, UTF-32), line ends of CR alone, zero
/// bytes. Nothing for text that is read, and for binary files.
std::optional<SyntaxError> find_text_fault(std::string_view text);

/// The same error, or another one where the line of the error has a character that other programs
/// take for a line end (CR alone, NEL, LS, PS): the parser's own message would mislead.
SyntaxError with_odd_line_end(SyntaxError error, std::string_view text);

/// Bounds that keep a hostile file from exhausting memory. Reaching one is a syntax error.
struct Limits {
  std::uint32_t depth_max = 200;  ///< Real prefabs nest below 20; a bomb, 100,000.
  /// The largest scene seen has 3 million; this many take about a gigabyte.
  std::size_t node_count_max = 10'000'000;
};

/// A result of reading: the tree, or the first error.
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

/// Reads Unity's dialect. `text` must outlive the tree. Linear in its length, whatever it holds.
ReadResult read_unity(std::string_view text, const Limits& limits = {});

/// Reads plain YAML (one or more documents) through yaml-cpp. Aliases are refused, not expanded,
/// and so is a key that appears twice. `text` must outlive the tree.
ReadResult read_plain(std::string_view text, const Limits& limits = {});

/// Reads either dialect by `detect_dialect`. LFS pointers, binary and empty files are errors here;
/// callers that want to tell them apart detect first.
ReadResult read(std::string_view text, const Limits& limits = {});

}  // namespace muster::yaml
