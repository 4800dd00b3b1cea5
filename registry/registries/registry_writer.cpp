// The file is edited as lines, not printed from a tree: what Unity or a person wrote around the
// list must survive to the byte, or every prepare would be a diff of the whole file.
#include "registry/registries/registry_writer.h"

#include <algorithm>

#include "registry/registries/path_query.h"

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;

struct Lines {
  std::vector<std::string> text;  // without line ends
  std::string line_end = "\n";
  bool final_end = true;
};

Lines split_lines(std::string_view text) {
  Lines lines;
  lines.line_end = text.find("\r\n") == std::string_view::npos ? "\n" : "\r\n";
  lines.final_end = text.empty() || text.ends_with('\n');
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.text.emplace_back(line);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return lines;
}

std::size_t indentation(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string_view::npos ? line.size() : first;
}

enum class Spelling : std::uint8_t { words, text, strong, number };

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

  std::string run(const std::vector<SlotText>& slots, const std::vector<TypeId>& retired) {
    locate_list();
    learn_form();
    std::vector<std::string> block;
    for (const SlotText& slot : slots) {
      std::vector<std::string> entry = slot.kept_slot ? kept_lines(slot) : fresh_lines(slot);
      std::ranges::move(entry, std::back_inserter(block));
    }
    std::vector<std::string> result(lines_.text.begin(),
                                    lines_.text.begin() + static_cast<std::ptrdiff_t>(key_line_));
    const std::string head = std::string(key_indent_, ' ') + list_key_ + ":";
    result.push_back(block.empty() ? head + " []" : head);
    std::ranges::move(block, std::back_inserter(result));
    result.insert(result.end(), lines_.text.begin() + static_cast<std::ptrdiff_t>(end_line_),
                  lines_.text.end());
    if (plain_) put_retired(result, retired);
    std::string text;
    for (std::size_t i = 0; i < result.size(); ++i) {
      text += result[i];
      if (i + 1 < result.size() || lines_.final_end) text += lines_.line_end;
    }
    return text;
  }

 private:
  // Finds the lines of the list: from its key to the first line that is no longer inside it.
  void locate_list() {
    list_key_ = registry_.declaration->lists.front();
    key_line_ = end_line_ = lines_.text.size();
    key_indent_ = plain_ ? 0 : 2;
    if (registry_.list != kNoNode) {
      list_key_ = tree_.at(registry_.list).key;
      const yaml::Node& list = tree_.at(registry_.list);
      key_line_ = list.position.line - 1;
      // The list's position may be that of its first item; the key is at or above it.
      while (key_line_ > 0 && !is_key_line(lines_.text[key_line_])) --key_line_;
      key_indent_ = indentation(lines_.text[key_line_]);
      end_line_ = key_line_ + 1;
      while (end_line_ < lines_.text.size() && is_inside(lines_.text[end_line_])) ++end_line_;
    }
    dash_indent_ = key_indent_;
    for (const NodeIndex item : Children(tree_, registry_.list)) {
      item_lines_.push_back(tree_.at(item).position.line - 1);
    }
    if (!item_lines_.empty()) dash_indent_ = indentation(lines_.text[item_lines_.front()]);
  }

  bool is_key_line(std::string_view line) const {
    line.remove_prefix(indentation(line));
    return line.starts_with(list_key_) && line.substr(list_key_.size()).starts_with(":");
  }

  bool is_inside(std::string_view line) const {
    const std::size_t indent = indentation(line);
    if (indent == line.size()) return true;  // blank
    if (indent > key_indent_) return true;
    return indent == key_indent_ && line.substr(indent).starts_with("-") &&
           !line.starts_with("---");
  }

  // Imitates the first entry that is not empty; else the class's own template.
  void learn_form() {
    for (const RegistryEntry& entry : registry_.entries) {
      if (entry.is_free) continue;
      const auto whole = any_reference_at({&source_, entry.node});
      if (whole && whole.value().is_strong) {
        reference_list_ = true;
        return;
      }
      for (const NodeIndex child : Children(tree_, entry.node)) {
        if (tree_.at(child).key == "type_id") continue;
        form_.push_back({std::string(tree_.at(child).key), spelling_of(child)});
      }
      return;
    }
    if (registry_.declaration->entry_template.empty() || (empty_form_.reference_list && !plain_)) {
      reference_list_ = !plain_;
      if (plain_) form_.push_back({"definition", Spelling::strong});
      return;
    }
    for (const EntryField& field : registry_.declaration->entry_template) {
      const bool as_text = plain_ || empty_form_.text_references;
      if (as_text && field.kind == EntryField::Kind::own_guid) continue;
      Spelling spelling = as_text ? Spelling::text : Spelling::words;
      if (field.kind == EntryField::Kind::strong) spelling = Spelling::strong;
      if (field.kind == EntryField::Kind::copied_number) spelling = Spelling::number;
      form_.push_back({field.key, spelling});
    }
  }

  Spelling spelling_of(NodeIndex node) const {
    if (tree_.at(node).kind != yaml::NodeKind::mapping) return Spelling::number;
    if (tree_.find(node, "fileID") != kNoNode) return Spelling::strong;
    return tree_.find(node, "val0") != kNoNode ? Spelling::words : Spelling::text;
  }

  std::vector<std::string> kept_lines(const SlotText& slot) const {
    const std::size_t index = *slot.kept_slot;
    const std::size_t begin = item_lines_[index];
    const std::size_t end = index + 1 < item_lines_.size() ? item_lines_[index + 1] : end_line_;
    std::vector<std::string> kept(lines_.text.begin() + static_cast<std::ptrdiff_t>(begin),
                                  lines_.text.begin() + static_cast<std::ptrdiff_t>(end));
    const bool states_id = registry_.entries[index].explicit_id.has_value();
    if (plain_ && slot.type_id && !states_id && !kept.empty()) state_id(kept, *slot.type_id);
    return kept;
  }

  // Freezes the id of a hand-written entry that relied on its place.
  void state_id(std::vector<std::string>& entry, TypeId id) const {
    std::string& first = entry.front();
    const std::size_t content = first.find_first_not_of(' ', dash_indent_ + 1);
    if (content == std::string::npos) return;
    const std::string number = std::to_string(id.value());
    if (first[content] == '{') {
      const bool is_reference = any_reference_is_whole(first);
      if (!is_reference) first.insert(content + 1, "type_id: " + number + ", ");
      return;
    }
    const std::string rest = first.substr(content);
    first = first.substr(0, content) + "type_id: " + number;
    entry.insert(entry.begin() + 1, std::string(content, ' ') + rest);
  }

  static bool any_reference_is_whole(std::string_view line) {
    return line.find("{fileID:") != std::string_view::npos;
  }

  std::string reference_text(Spelling spelling, const Guid& guid) const {
    if (spelling == Spelling::text) {
      return plain_ ? "{guid: " + guid.to_string() + "}" : guid.to_string();
    }
    if (guid.is_null()) return "{fileID: 0}";
    return plain_ ? "{fileID: 1, guid: " + guid.to_string() + "}"
                  : "{fileID: 11400000, guid: " + guid.to_string() + ", type: 2}";
  }

  // What a field of a new entry refers to; null for fields that another rule fills.
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

  std::vector<std::string> fresh_lines(const SlotText& slot) const {
    const std::string dash = std::string(dash_indent_, ' ') + "- ";
    if (reference_list_) {
      const Guid guid = slot.values ? slot.values->asset : Guid();
      return {dash + reference_text(Spelling::strong, guid)};
    }
    return plain_ ? fresh_plain(dash, slot) : fresh_unity(dash, slot);
  }

  std::vector<std::string> fresh_plain(const std::string& dash, const SlotText& slot) const {
    std::string line = dash + "{type_id: " + std::to_string(slot.type_id->value());
    for (const FieldForm& field : form_) {
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
      const Spelling spelling = field.spelling == Spelling::words ? Spelling::text : field.spelling;
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
        case Spelling::words: {
          lines.push_back(lead + field.key + ":");
          const WeakReferenceWords words = words_from_guid(guid);
          for (std::size_t i = 0; i < words.size(); ++i) {
            lines.push_back(pad + "  val" + std::to_string(i) + ": " + std::to_string(words[i]));
          }
          break;
        }
      }
    }
    return lines;
  }

  static void put_retired(std::vector<std::string>& lines, const std::vector<TypeId>& retired) {
    auto at = std::ranges::find_if(
        lines, [](const std::string& line) { return line.starts_with("retired:"); });
    if (at != lines.end()) {
      auto end = at + 1;
      while (end != lines.end() && (end->starts_with(" ") || end->starts_with("-"))) ++end;
      at = lines.erase(at, end);
    }
    if (retired.empty()) return;
    std::string text = "retired: [";
    for (std::size_t i = 0; i < retired.size(); ++i) {
      text += (i == 0 ? "" : ", ") + std::to_string(retired[i].value());
    }
    lines.insert(at, text + "]");
  }

  const SourceFile& source_;
  const Registry& registry_;
  EntryForm empty_form_;
  const yaml::Tree& tree_;
  bool plain_;
  Lines lines_;
  std::string list_key_;
  std::size_t key_line_ = 0;
  std::size_t end_line_ = 0;
  std::size_t key_indent_ = 0;
  std::size_t dash_indent_ = 0;
  std::vector<std::size_t> item_lines_;
  std::vector<FieldForm> form_;
  bool reference_list_ = false;
};

}  // namespace

std::string rewrite_registry(const SourceFile& source, const Registry& registry,
                             const std::vector<SlotText>& slots, const std::vector<TypeId>& retired,
                             const EntryForm& form) {
  return Writer(source, registry, form).run(slots, retired);
}

}  // namespace muster
