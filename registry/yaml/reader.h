// Parses text into a tree, in any dialect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "registry/yaml/tree.h"

namespace muster::yaml {

/// The kind of a file's content, detected from its beginning.
enum class Dialect : std::uint8_t {
  unity,         ///< `%YAML` with Unity's tag, or a `--- !u!` header.
  plain,         ///< Any other text.
  lfs_pointer,   ///< A Git LFS pointer in place of the content.
  binary,        ///< Not text: a NUL byte, or Unity's native binary form.
  foreign_text,  ///< Text with unsupported line ends or zero bytes.
  empty,         ///< No bytes, or only white space and a byte-order mark.
};

/// Git's limit for the size of an LFS pointer. A file of this size or more that begins like a
/// pointer is not a pointer.
inline constexpr std::size_t kPointerBytesMax = 1024;

/// Examines the first kilobytes of a file, and searches all of `text` for zero bytes.
Dialect detect_dialect(std::string_view text);

/// A syntax error: its position and reason.
struct SyntaxError {
  Position position{};
  std::string message{};
};

/// The reason why a text is unsupported: another encoding (UTF-16, UTF-32), line ends of CR alone,
/// zero bytes. Nothing for supported text and for binary files.
std::optional<SyntaxError> find_text_fault(std::string_view text);

/// Returns the same error, unless the line of the error has a character that other programs treat
/// as a line end (CR alone, NEL, LS, PS). Then the parser's message would be misleading, and the
/// result is an error that names the character.
SyntaxError with_odd_line_end(SyntaxError error, std::string_view text);

/// Limits that prevent a malicious file from exhausting memory. Reaching one is a syntax error.
struct Limits {
  std::uint32_t depth_max = 200;  ///< Real prefabs need below 20, malicious files 100,000.
  /// The largest scene seen has 3 million nodes; the limit needs about a gigabyte.
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

/// Parses plain YAML (one or more documents) with yaml-cpp. Aliases and repeated keys are refused.
/// `text` must outlive the tree.
ReadResult read_plain(std::string_view text, const Limits& limits = {});

/// Parses either dialect, chosen by `detect_dialect`. LFS pointers, binary and empty files are
/// errors; callers that need to distinguish them call `detect_dialect` first.
ReadResult read(std::string_view text, const Limits& limits = {});

}  // namespace muster::yaml
