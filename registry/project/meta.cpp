// Checks only the first byte of most lines. Examines a line further if this byte can begin `guid`,
// `folderAsset`, a conflict marker, or the start or end of a document.
#include "registry/project/meta.h"

#include <algorithm>

#include "registry/yaml/line_cursor.h"
#include "registry/yaml/reader.h"

namespace muster {
namespace {

using yaml::LineCursor;

// Sets `value` to the text after `key:`. Returns false if the line does not begin with this key.
bool value_of(LineCursor cursor, std::string_view key, std::string_view& value) {
  const std::string_view line(cursor.at, static_cast<std::size_t>(cursor.line_end - cursor.at));
  if (!line.starts_with(key)) return false;
  cursor.at += key.size();
  cursor.skip_blanks();
  if (!cursor.at_indicator(':')) return false;
  ++cursor.at;
  cursor.skip_blanks();
  const char* const begin = cursor.at;
  const char* end = begin;
  for (; !cursor.at_line_end() && !cursor.at_comment(); ++cursor.at) {
    if (!yaml::is_blank(*cursor.at)) end = cursor.at + 1;
  }
  value = {begin, static_cast<std::size_t>(end - begin)};
  return true;
}

bool is_conflict_marker(const LineCursor& cursor) {
  const std::string_view line(cursor.at, static_cast<std::size_t>(cursor.line_end - cursor.at));
  return line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") ||
         line.starts_with("||||||| ") || line == "=======";
}

std::string_view unquoted(std::string_view value) {
  const bool is_quoted = value.size() >= 2 && (value.front() == '\'' || value.front() == '"') &&
                         value.back() == value.front();
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

class MetaReader {
 public:
  explicit MetaReader(std::string_view text) : cursor_(text) {}

  MetaResult read() {
    do {
      read_line();
    } while (cursor_.next());
    if (result_.problem == MetaProblem::none && !has_guid_) result_.problem = MetaProblem::no_guid;
    return result_;
  }

 private:
  void read_line() {
    if (cursor_.at_line_end()) return;
    if (cursor_.at_marker("---") || cursor_.at_marker("...")) return read_marker();
    if (*cursor_.at == '#' || *cursor_.at == '%') return;
    // The rest of the file is searched only for a conflict marker.
    if (is_ended_ && !is_conflict_marker(cursor_)) {
      return add_problem(MetaProblem::second_document, cursor_.position());
    }
    has_content_ = true;
    std::string_view value;
    switch (*cursor_.at) {
      case 'g':
        if (value_of(cursor_, "guid", value)) read_guid(unquoted(value));
        return;
      case 'f':
        if (value_of(cursor_, "folderAsset", value)) {
          result_.meta.is_folder = value == "yes" || value == "true" || value == "1";
        }
        return;
      case '<':
      case '=':
      case '>':
      case '|':
        // A conflict replaces other problems, because it usually is their cause.
        if (is_conflict_marker(cursor_) && result_.problem != MetaProblem::merge_conflict) {
          set_problem(MetaProblem::merge_conflict, cursor_.position());
        }
        return;
      default:
        break;
    }
  }

  void read_marker() {
    const bool begins = cursor_.at_marker("---");
    if (begins && has_content_) add_problem(MetaProblem::second_document, cursor_.position());
    is_ended_ = has_content_;
  }

  void read_guid(std::string_view digits) {
    const yaml::Position position = cursor_.position_of(digits.data());
    const auto guid = Guid::parse_any_case(digits);
    if (!guid || guid.value().is_null()) {
      add_problem(MetaProblem::malformed_guid, position);
      has_guid_ = true;
      return;
    }
    if (!result_.meta.guid.is_null()) {
      add_problem(guid.value() == result_.meta.guid ? MetaProblem::repeated_guid
                                                    : MetaProblem::several_guids,
                  position);
      return;
    }
    has_guid_ = true;
    result_.meta.guid = guid.value();
    result_.meta.guid_position = position;
    result_.meta.is_upper_case =
        std::ranges::any_of(digits, [](char c) { return c >= 'A' && c <= 'F'; });
  }

  void add_problem(MetaProblem problem, const yaml::Position& position) {
    if (result_.problem == MetaProblem::none) set_problem(problem, position);
  }
  void set_problem(MetaProblem problem, const yaml::Position& position) {
    result_.problem = problem;
    result_.problem_position = position;
  }

  LineCursor cursor_;
  MetaResult result_;
  bool has_guid_ = false;
  bool has_content_ = false;  // Whether the first document has content.
  bool is_ended_ = false;     // Whether the first document has ended.
};

}  // namespace

MetaResult read_meta(std::string_view text) {
  constexpr yaml::Position kBeginning{1, 1};
  switch (yaml::detect_dialect(text)) {
    case yaml::Dialect::binary:
    case yaml::Dialect::foreign_text: {
      const auto fault = yaml::find_text_fault(text);
      return {.problem = MetaProblem::not_text,
              .problem_position = fault ? fault->position : kBeginning,
              .problem_text = fault ? fault->message : "it is not text"};
    }
    case yaml::Dialect::lfs_pointer:
      return {.problem = MetaProblem::lfs_pointer, .problem_position = kBeginning};
    default:
      return MetaReader(text).read();
  }
}

}  // namespace muster
