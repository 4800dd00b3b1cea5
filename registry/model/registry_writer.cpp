// The file is edited as lines, not printed from a tree, because the text outside the list must not
// change.
#include "registry/model/registry_writer.h"

#include <algorithm>

#include "registry/model/list_text.h"
#include "registry/model/path_query.h"
#include "registry/model/written_check.h"

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;

enum class Spelling : std::uint8_t {
  words,   // Keys `val0` to `val3`.
  text,    // `guid: DIGITS`
  digits,  // The digits without a key.
  strong,
  number,
  empty,
  list,
};

struct FieldForm {
  std::string key;
  Spelling spelling = Spelling::words;
};

class Writer {
 public:
  Writer(const SourceFile& source, const Registry& registry, const EntryForm& empty_form)
      : source_(source),
        registry_(registry),
        empty_form_(empty_form),
        tree_(source.tree),
        plain_(source.dialect == yaml::Dialect::plain),
        lines_(split_lines(as_text(source.bytes))) {}

  Result<std::string> run(const std::vector<SlotText>& slots, const std::vector<TypeId>& retired) {
    auto list = locate_list();
    if (!list) return fail(list.error());
    list_ = std::move(list).value();
    learn_form();
    auto block = block_of(slots);
    if (!block) return fail(block.error());
    Edit entries{list_.begin_line, list_.end_line, {}};
    entries.lines.push_back(list_.head + (slots.empty() ? " []" : "") + list_.behind);
    std::ranges::move(block.value(), std::back_inserter(entries.lines));
    std::ranges::copy(list_.tail, std::back_inserter(entries.lines));
    std::vector<Edit> edits{std::move(entries)};
    if (plain_) {
      auto retirement = retire(retired);
      if (!retirement) return fail(retirement.error());
      if (retirement.value()) edits.push_back(std::move(*retirement.value()));
    }
    // The last edit in the file is applied first, so that the line numbers of the other edits stay
    // valid.
    std::ranges::stable_sort(edits, std::ranges::greater{}, &Edit::begin_line);
    for (const Edit& edit : edits) {
      const auto begin = lines_.text.begin() + static_cast<std::ptrdiff_t>(edit.begin_line);
      const auto end = lines_.text.begin() + static_cast<std::ptrdiff_t>(edit.end_line);
      lines_.text.insert(lines_.text.erase(begin, end), edit.lines.begin(), edit.lines.end());
    }
    return join_lines(lines_);
  }

 private:
  struct Edit {
    std::size_t begin_line = 0;
    std::size_t end_line = 0;
    std::vector<std::string> lines;
  };

  Result<ListText> locate_list() const {
    if (registry_.list != kNoNode) return read_list_text(source_, registry_.list, lines_);
    ListText list;
    list.begin_line = list.end_line = lines_.text.size();
    list.dash_indent = plain_ ? 0 : 2;
    list.head = std::string(list.dash_indent, ' ') + registry_.declaration->lists.front() + ":";
    return list;
  }

  // The lines of the new list. Keeps comments, also the comments above a removed entry.
  Result<std::vector<std::string>> block_of(const std::vector<SlotText>& slots) const {
    std::vector<std::string> block;
    std::size_t passed = 0;
    const auto pass = [&](std::size_t end) {
      for (; passed < end; ++passed) {
        std::ranges::copy(list_.items[passed].lead, std::back_inserter(block));
      }
    };
    for (const SlotText& slot : slots) {
      pass(slot.present_slot ? *slot.present_slot + 1 : list_.items.size());
      auto lines = slot.keeps_text ? kept_lines(slot) : fresh_lines(slot);
      if (!lines) return fail(lines.error());
      std::ranges::move(lines.value(), std::back_inserter(block));
    }
    pass(list_.items.size());
    return block;
  }

  // Determines the form of new entries from the first entry that is not empty, or else from the
  // class.
  void learn_form() {
    const auto first = std::ranges::find(registry_.entries, false, &RegistryEntry::is_free);
    if (first != registry_.entries.end() && learn_from(first->node)) return;
    const bool as_text = plain_ || empty_form_.text_references;
    const ClassDeclaration& declaration = *registry_.declaration;
    if (declaration.entry_template.empty() || (empty_form_.reference_list && !plain_)) {
      const bool is_weak = !declaration.prepare.empty() && !declaration.prepare.front().strong;
      if (plain_ && refers_to_definitions()) {
        form_.push_back({"definition", Spelling::strong});
      } else if (is_weak) {
        whole_ = as_text ? Spelling::text : Spelling::words;
      } else {
        whole_ = Spelling::strong;
      }
      return;
    }
    for (const EntryField& field : declaration.entry_template) {
      if (as_text && field.kind == EntryField::Kind::own_guid) continue;
      Spelling spelling = as_text ? Spelling::text : Spelling::words;
      if (field.kind == EntryField::Kind::strong) spelling = Spelling::strong;
      if (field.kind == EntryField::Kind::copied_number) spelling = Spelling::number;
      if (field.kind == EntryField::Kind::number) spelling = Spelling::number;
      form_.push_back({field.key, spelling});
    }
  }

  bool learn_from(NodeIndex entry) {
    const auto whole = any_reference_at({&source_, entry});
    const bool is_bare = std::ranges::any_of(registry_.declaration->references,
                                             [](const auto& rule) { return rule.path.empty(); });
    if (whole && (whole.value().is_strong || is_bare)) {
      // The entry must become a mapping, because it gets a `type_id`.
      if (plain_ && refers_to_definitions()) return false;
      whole_ = spelling_of(entry);
      return true;
    }
    for (const NodeIndex child : Children(tree_, entry)) {
      if (tree_.at(child).key == "type_id") continue;
      const auto spelling = spelling_of(child);
      if (spelling) form_.push_back({std::string(tree_.at(child).key), *spelling});
    }
    for (const PrepareRule& rule : registry_.declaration->prepare) {
      const auto known = std::ranges::find(form_, rule.field, &FieldForm::key);
      const bool is_unknown = known != form_.end() && (known->spelling == Spelling::number ||
                                                       known->spelling == Spelling::empty);
      if (is_unknown) known->spelling = rule.strong ? Spelling::strong : Spelling::digits;
    }
    return true;
  }

  // The spelling of a reference; nullopt if the node is not a reference.
  std::optional<Spelling> spelling_of(NodeIndex node) const {
    const yaml::Node& value = tree_.at(node);
    if (value.kind == yaml::NodeKind::sequence) return Spelling::list;
    if (value.kind == yaml::NodeKind::scalar) {
      if (Guid::parse_any_case(value.text)) return Spelling::digits;
      return tree_.integer(node) ||
                     value.text.find_first_not_of("+-.0123456789eE") == std::string_view::npos
                 ? Spelling::number
                 : Spelling::empty;
    }
    if (tree_.find(node, "fileID") != kNoNode) return Spelling::strong;
    if (tree_.find(node, "val0") != kNoNode) return Spelling::words;
    if (tree_.find(node, "guid") != kNoNode) return Spelling::text;
    return std::nullopt;
  }

  Result<std::vector<std::string>> kept_lines(const SlotText& slot) const {
    const std::size_t index = *slot.present_slot;
    std::vector<std::string> kept = list_.items[index].lines;
    const RegistryEntry& entry = registry_.entries[index];
    if (!plain_ || !slot.type_id || entry.explicit_id) return kept;
    const yaml::Node& node = tree_.at(entry.node);
    if (node.kind != yaml::NodeKind::mapping) {
      return fail(ErrorCode::malformed,
                  source_.path.text() + ":" + std::to_string(node.position.line) +
                      ": the entry is not a mapping, so its type id cannot be written into it");
    }
    const bool is_reference = tree_.find(entry.node, "fileID") != kNoNode;
    if (is_reference && !refers_to_definitions()) return kept;
    const std::string id = "type_id: " + std::to_string(slot.type_id->value());
    if (node.is_flow) return with_id_in_braces(kept, id, is_reference);
    return with_id_in_block(kept, id, is_reference);
  }

  bool refers_to_definitions() const {
    return std::ranges::any_of(registry_.declaration->references, [](const ReferenceRule& rule) {
      return rule.path.starts_with("definition.");
    });
  }

  std::vector<std::string> with_id_in_braces(const std::vector<std::string>& lines,
                                             const std::string& id, bool is_reference) const {
    std::string text = join_lines({lines, "\n", false});
    std::size_t at = list_.dash_indent + 1;
    while (at < text.size() && text[at] != '{') at = flow_token_end(text, at);
    const std::size_t end = flow_end(text, at);
    if (end == std::string::npos) return lines;
    if (is_reference) {
      text.insert(end, "}");
      text.insert(at, "{" + id + ", definition: ");
    } else {
      const bool is_spaced = text[at + 1] == ' ';
      text.insert(at + 1, is_spaced ? " " + id + "," : id + ", ");
    }
    std::vector<std::string> result(1);
    for (const char letter : text) {
      if (letter == '\n') {
        result.emplace_back();
      } else {
        result.back() += letter;
      }
    }
    return result;
  }

  std::vector<std::string> with_id_in_block(const std::vector<std::string>& lines,
                                            const std::string& id, bool is_reference) const {
    const std::string& first = lines.front();
    std::size_t column = first.find_first_not_of(" \r", list_.dash_indent + 1);
    const bool is_dash_alone = column == std::string::npos || first[column] == '#';
    std::vector<std::string> result;
    std::vector<std::string> body(lines.begin() + 1, lines.end());
    if (is_dash_alone) {
      const auto content = std::ranges::find_if(body, [](const std::string& line) {
        const std::size_t at = line.find_first_not_of(" \r");
        return at != std::string::npos && line[at] != '#';
      });
      if (content == body.end()) return lines;
      column = indentation(*content);
      result = {first, std::string(column, ' ') + id};
    } else {
      result = {first.substr(0, column) + id};
      body.insert(body.begin(), std::string(column, ' ') + first.substr(column));
    }
    if (is_reference) result.push_back(std::string(column, ' ') + "definition:");
    for (const std::string& line : body) {
      result.push_back((is_reference && !line.empty() ? "  " : "") + line);
    }
    return result;
  }

  std::string reference_text(Spelling spelling, const Guid& guid) const {
    if (spelling == Spelling::text) {
      return plain_ ? "{guid: " + guid.to_string() + "}" : guid.to_string();
    }
    if (spelling == Spelling::digits) return guid.to_string();
    if (guid.is_null()) return "{fileID: 0}";
    const StrongTarget target =
        empty_form_.target_of ? empty_form_.target_of(guid) : StrongTarget();
    const std::string type = plain_ ? "" : ", type: " + std::to_string(target.type);
    return "{fileID: " + std::to_string(target.file_id) + ", guid: " + guid.to_string() + type +
           "}";
  }

  // The guid for a field of a new entry; null for fields of other prepare rules.
  Guid guid_for(const std::string& key, const std::optional<EntryValues>& values) const {
    if (!values) return {};
    const ClassDeclaration& declaration = *registry_.declaration;
    if (std::ranges::find(declaration.own_guid_keys, key) != declaration.own_guid_keys.end()) {
      return values->asset;
    }
    if (key == declaration.owner_path) return values->owner;
    const std::string& field = values->rule->field;
    const bool is_definition = field.empty() && key == "definition";
    return key == field || is_definition ? values->asset : Guid();
  }

  static std::string number_for(const std::string& key, const std::optional<EntryValues>& values) {
    if (values) {
      for (const auto& [name, number] : values->numbers) {
        if (name == key) return number;
      }
    }
    return "0";
  }

  Result<std::vector<std::string>> fresh_lines(const SlotText& slot) const {
    const std::string dash = std::string(list_.dash_indent, ' ') + "- ";
    if (whole_) return fresh_whole(dash, slot);
    return plain_ ? fresh_plain(dash, slot) : fresh_unity(dash, slot);
  }

  std::vector<std::string> fresh_whole(const std::string& dash, const SlotText& slot) const {
    const Guid guid = slot.values ? slot.values->asset : Guid();
    if (plain_ && *whole_ != Spelling::strong) {
      return {dash + "{type_id: " + std::to_string(slot.type_id->value()) +
              ", guid: " + guid.to_string() + "}"};
    }
    if (*whole_ == Spelling::text) {
      return {dash + "guid: " + (guid.is_null() ? "" : guid.to_string())};
    }
    if (*whole_ != Spelling::words) return {dash + reference_text(*whole_, guid)};
    std::vector<std::string> lines = word_lines(guid, std::string(dash.size(), ' '));
    lines.front().replace(0, dash.size(), dash);
    return lines;
  }

  static std::vector<std::string> word_lines(const Guid& guid, const std::string& pad) {
    std::vector<std::string> lines;
    const WeakReferenceWords words = words_from_guid(guid);
    for (std::size_t i = 0; i < words.size(); ++i) {
      lines.push_back(pad + "val" + std::to_string(i) + ": " + std::to_string(words[i]));
    }
    return lines;
  }

  std::vector<std::string> fresh_plain(const std::string& dash, const SlotText& slot) const {
    std::string line = dash + "{type_id: " + std::to_string(slot.type_id->value());
    for (const FieldForm& field : form_) {
      if (field.spelling == Spelling::empty || field.spelling == Spelling::list) continue;
      if (field.spelling == Spelling::number) {
        if (slot.values && std::ranges::any_of(slot.values->numbers, [&](const auto& number) {
              return number.first == field.key;
            })) {
          line += ", " + field.key + ": " + number_for(field.key, slot.values);
        }
        continue;
      }
      const Guid guid = guid_for(field.key, slot.values);
      if (guid.is_null()) continue;
      const bool is_strong = field.spelling == Spelling::strong;
      const bool is_digits = field.spelling == Spelling::digits;
      const Spelling spelling = is_strong || is_digits ? field.spelling : Spelling::text;
      line += ", " + field.key + ": " + reference_text(spelling, guid);
    }
    if (slot.values && !has_field(slot.values->rule->field)) {
      line += ", " + slot.values->rule->field + ": " +
              reference_text(slot.values->rule->strong ? Spelling::strong : Spelling::text,
                             slot.values->asset);
    }
    return {line + "}"};
  }

  bool has_field(const std::string& key) const {
    return key.empty() || std::ranges::find(form_, key, &FieldForm::key) != form_.end();
  }

  std::vector<std::string> fresh_unity(const std::string& dash, const SlotText& slot) const {
    const std::string pad(dash.size(), ' ');
    std::vector<std::string> lines;
    for (const FieldForm& field : form_) {
      const std::string lead = lines.empty() ? dash : pad;
      const Guid guid = guid_for(field.key, slot.values);
      switch (field.spelling) {
        case Spelling::number:
          lines.push_back(lead + field.key + ": " + number_for(field.key, slot.values));
          break;
        case Spelling::strong:
          lines.push_back(lead + field.key + ": " + reference_text(Spelling::strong, guid));
          break;
        case Spelling::text:
          lines.push_back(lead + field.key + ":");
          lines.push_back(pad + "  guid: " + (guid.is_null() ? "" : guid.to_string()));
          break;
        case Spelling::digits:
          lines.push_back(lead + field.key + ": " + (guid.is_null() ? "" : guid.to_string()));
          break;
        case Spelling::empty:
          lines.push_back(lead + field.key + ": ");
          break;
        case Spelling::list:
          lines.push_back(lead + field.key + ": []");
          break;
        case Spelling::words:
          lines.push_back(lead + field.key + ":");
          std::ranges::copy(word_lines(guid, pad + "  "), std::back_inserter(lines));
          break;
      }
    }
    return lines;
  }

  // The change that adds missing ids to `retired` in a plain file; nullopt if no id is missing.
  Result<std::optional<Edit>> retire(const std::vector<TypeId>& retired) const {
    std::vector<TypeId> fresh;
    for (const TypeId id : retired) {
      const auto known =
          std::ranges::find(registry_.retired, id, &std::pair<TypeId, Location>::first);
      if (known == registry_.retired.end()) fresh.push_back(id);
    }
    if (fresh.empty()) return std::nullopt;
    const NodeIndex node = tree_.find(source_.fields_of(source_.document_of(0)), "retired");
    const std::size_t end = lines_.text.size();
    if (node == kNoNode) return Edit{end, end, {retired_line("retired:", retired, "")}};
    const auto read = read_list_text(source_, node, lines_);
    if (!read) return fail(read.error());
    const ListText& list = read.value();
    Edit edit{list.begin_line, list.end_line, {}};
    if (list.items.empty() || (list.is_flow && list.end_line == list.begin_line + 1)) {
      edit.lines = {retired_line(list.head, retired, list.behind)};
      std::ranges::copy(list.tail, std::back_inserter(edit.lines));
      return edit;
    }
    edit.lines = {list.head + list.behind};
    for (const ListItemText& item : list.items) {
      std::ranges::copy(item.lead, std::back_inserter(edit.lines));
      std::ranges::copy(item.lines, std::back_inserter(edit.lines));
    }
    for (const TypeId id : fresh) {
      edit.lines.push_back(std::string(list.dash_indent, ' ') + "- " + std::to_string(id.value()));
    }
    std::ranges::copy(list.tail, std::back_inserter(edit.lines));
    return edit;
  }

  static std::string retired_line(const std::string& head, const std::vector<TypeId>& retired,
                                  const std::string& behind) {
    std::string text = head + " [";
    for (std::size_t i = 0; i < retired.size(); ++i) {
      text += (i == 0 ? "" : ", ") + std::to_string(retired[i].value());
    }
    return text + "]" + behind;
  }

  const SourceFile& source_;
  const Registry& registry_;
  EntryForm empty_form_;
  const yaml::Tree& tree_;
  bool plain_;
  TextLines lines_;
  ListText list_;
  std::vector<FieldForm> form_;
  std::optional<Spelling> whole_;  // Nullopt if the entries are not references.
};

}  // namespace

Result<std::string> rewrite_registry(const SourceFile& source, const Registry& registry,
                                     const std::vector<SlotText>& slots,
                                     const std::vector<TypeId>& retired, const EntryForm& form) {
  auto text = Writer(source, registry, form).run(slots, retired);
  if (!text) return text;
  if (auto good = check_written(source, registry, slots, retired, text.value()); !good) {
    return fail(good.error());
  }
  return text;
}

}  // namespace muster
