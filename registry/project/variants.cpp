#include "registry/project/variants.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "registry/project/prefab_flattener.h"
#include "registry/project/reference_graph.h"

namespace muster {
namespace {

// The parts of "crate@low.png": the base "crate.png", and the text between the last '@' and the
// extension.
struct SplitName {
  std::string base;
  std::string_view keys;
};

std::optional<SplitName> split(const AssetPath& path) {
  const std::string_view stem = path.stem();
  const std::size_t at = stem.rfind('@');
  if (at == std::string_view::npos || at == 0 || at + 1 == stem.size()) return std::nullopt;
  std::string base(stem.substr(0, at));
  if (!path.extension().empty()) base += "." + std::string(path.extension());
  return SplitName{std::move(base), stem.substr(at + 1)};
}

struct ReadKeys {
  VariantKeys keys;
  std::optional<VariantProblem::Kind> problem;
  std::string detail;

  void refuse(VariantProblem::Kind kind, std::string why) {
    if (!problem || *problem == VariantProblem::Kind::unknown_word) {
      problem = kind;
      detail = std::move(why);
    }
  }
};

std::string quoted_key(std::string_view text) { return "'" + std::string(text) + "'"; }

// Parses one key, such as `low` or `quality=low`.
std::optional<VariantKey> read_key(std::span<const VariantAxis> axes, std::string_view item,
                                   ReadKeys& read) {
  if (const std::size_t at = item.find('='); at != std::string_view::npos) {
    const auto axis = find_axis(axes, item.substr(0, at));
    if (!axis) {
      read.refuse(VariantProblem::Kind::unknown_key,
                  "there is no axis " + quoted_key(item.substr(0, at)));
      return std::nullopt;
    }
    const auto value = find_value(axes[*axis], item.substr(at + 1));
    if (!value) {
      read.refuse(
          VariantProblem::Kind::unknown_key,
          quoted_key(axes[*axis].name) + " has no value " + quoted_key(item.substr(at + 1)));
      return std::nullopt;
    }
    return VariantKey{*axis, *value};
  }
  std::optional<VariantKey> found;
  for (std::uint16_t axis = 0; axis < axes.size(); ++axis) {
    const auto value = find_value(axes[axis], item);
    if (!value) continue;
    if (found) {
      read.refuse(VariantProblem::Kind::unknown_key,
                  quoted_key(item) + " is a value of " + quoted_key(axes[found->axis].name) +
                      " and of " + quoted_key(axes[axis].name) + "; write " +
                      quoted_key(axes[axis].name + "=" + std::string(item)));
      return std::nullopt;
    }
    found = VariantKey{axis, *value};
  }
  if (!found)
    read.refuse(VariantProblem::Kind::unknown_word,
                quoted_key(item) + " is not a value of any axis");
  return found;
}

ReadKeys read_keys(std::span<const VariantAxis> axes, std::string_view text) {
  ReadKeys read;
  while (true) {
    const std::size_t comma = text.find(',');
    const auto key = read_key(axes, text.substr(0, comma), read);
    if (key && std::ranges::count(read.keys, key->axis, &VariantKey::axis) > 0) {
      read.refuse(VariantProblem::Kind::unknown_key,
                  "it has two values of " + quoted_key(axes[key->axis].name));
    } else if (key) {
      read.keys.push_back(*key);
    }
    if (comma == std::string_view::npos) break;
    text = text.substr(comma + 1);
  }
  std::ranges::sort(read.keys);
  return read;
}

// A file with the same name and another extension.
AssetNumber find_other_kind(const AssetIndex& index, const AssetPath& base) {
  const AssetPath stem = base.parent().child(base.stem());
  const auto assets = index.assets();
  auto at = std::ranges::lower_bound(assets, stem, {}, &Asset::path);
  for (; at != assets.end() && at->path.text().starts_with(stem.text()); ++at) {
    if (!at->is_folder && at->path.stem() == base.stem() && at->path.parent() == base.parent()) {
      return static_cast<AssetNumber>(at - assets.begin());
    }
  }
  return kNoAsset;
}

}  // namespace

Variants::Variants(std::span<const VariantAxis> axes, const AssetIndex& index) {
  using Kind = VariantProblem::Kind;
  if (axes.empty()) return;
  for (AssetNumber number = 0; number < index.assets().size(); ++number) {
    const Asset& asset = index.at(number);
    const auto name = split(asset.path);
    if (!name) continue;
    ReadKeys read = read_keys(axes, name->keys);
    const AssetPath base_path = asset.path.parent().child(name->base);
    const AssetNumber base = index.find(base_path);
    const auto note = [&](Kind kind, AssetNumber other, std::string detail) {
      problems_.push_back({kind, asset.path, other == kNoAsset ? AssetPath() : index.at(other).path,
                           std::move(detail)});
    };
    if (read.problem == Kind::unknown_word) {
      // Not every name with '@' is meant as a variant. For example, other tools use '@' for
      // animations of models.
      const bool may_be_meant = base != kNoAsset && !asset.is_folder && !is_model_path(asset.path);
      if (may_be_meant) note(Kind::unknown_word, base, read.detail);
    } else if (read.problem) {
      note(*read.problem, base, read.detail);
    } else if (asset.is_folder || is_script(asset.path) ||
               (base != kNoAsset && index.at(base).is_folder)) {
      note(Kind::cannot_vary, base, asset.is_folder ? "a folder" : "code");
    } else if (base == kNoAsset) {
      const AssetNumber other = find_other_kind(index, base_path);
      note(other == kNoAsset ? Kind::no_base : Kind::other_kind, other, base_path.text());
    } else {
      files_.push_back({base, number, std::move(read.keys)});
    }
  }
  refuse_chains(index);
  put_in_order();
  refuse_repeated(index);
  std::ranges::stable_sort(problems_, {}, &VariantProblem::path);
}

Variants::Variants(std::vector<VariantFile> files, std::vector<VariantProblem> problems,
                   std::vector<SettledFile> settled)
    : files_(std::move(files)), problems_(std::move(problems)), settled_(std::move(settled)) {
  put_in_order();
  std::ranges::sort(settled_);
}

void Variants::refuse_chains(const AssetIndex& index) {
  std::set<AssetNumber> known;
  for (const VariantFile& file : files_) known.insert(file.file);
  std::erase_if(files_, [&](const VariantFile& file) {
    if (!known.contains(file.base)) return false;
    problems_.push_back(
        {VariantProblem::Kind::unknown_key, index.at(file.file).path, index.at(file.base).path,
         "a variant cannot have variants; write all keys after one '@', with commas between them"});
    return true;
  });
}

void Variants::refuse_repeated(const AssetIndex& index) {
  const auto is_same = [](const VariantFile& a, const VariantFile& b) {
    return a.base == b.base && a.keys == b.keys;
  };
  for (std::size_t i = 1; i < files_.size(); ++i) {
    if (!is_same(files_[i - 1], files_[i])) continue;
    problems_.push_back({VariantProblem::Kind::repeated,
                         index.at(files_[i].file).path,
                         index.at(files_[i - 1].file).path,
                         {}});
  }
  files_.erase(std::unique(files_.begin(), files_.end(), is_same), files_.end());
  put_in_order();
}

void Variants::put_in_order() {
  std::ranges::sort(files_, [](const VariantFile& a, const VariantFile& b) {
    return std::tie(a.base, a.keys, a.file) < std::tie(b.base, b.keys, b.file);
  });
  by_file_.clear();
  for (std::size_t i = 0; i < files_.size(); ++i) by_file_.emplace_back(files_[i].file, i);
  std::ranges::sort(by_file_);
}

std::span<const VariantFile> Variants::of(AssetNumber base) const {
  const auto first = std::ranges::lower_bound(files_, base, {}, &VariantFile::base);
  const auto last = std::ranges::upper_bound(files_, base, {}, &VariantFile::base);
  return {first, last};
}

std::span<const SettledFile> Variants::settled_for(AssetNumber asset) const {
  const auto first = std::ranges::lower_bound(settled_, asset, {}, &SettledFile::instead);
  const auto last = std::ranges::upper_bound(settled_, asset, {}, &SettledFile::instead);
  return {first, last};
}

const VariantFile* Variants::find(AssetNumber file) const {
  const auto found =
      std::ranges::lower_bound(by_file_, file, {}, &std::pair<AssetNumber, std::size_t>::first);
  if (found == by_file_.end() || found->first != file) return nullptr;
  return &files_[found->second];
}

namespace {

/// The preferred one of the files that an asset has for the same open keys. A key of a file is open
/// if the choice has no value for the key's axis. `settled` contains the other keys of the file.
struct Best {
  AssetNumber file = kNoAsset;
  VariantKeys settled;
};
using BestFiles = std::map<std::pair<AssetNumber, VariantKeys>, Best>;

BestFiles find_best(const Variants& variants, const VariantKeys& choice) {
  const auto is_chosen = [&](const VariantKey& key) {
    return std::ranges::count(choice, key.axis, &VariantKey::axis) > 0;
  };
  BestFiles best;
  for (const VariantFile& file : variants.files()) {
    VariantKeys settled;
    VariantKeys open;
    for (const VariantKey& key : file.keys) (is_chosen(key) ? settled : open).push_back(key);
    if (!fits(settled, choice)) continue;
    const auto [it, fresh] = best.try_emplace({file.base, std::move(open)});
    if (fresh || is_preferred(settled, it->second.settled)) {
      it->second = {file.file, std::move(settled)};
    }
  }
  return best;
}

}  // namespace

void settle_variants(const VariantKeys& choice, AssetIndex& index, Variants& variants) {
  if (variants.files().empty()) return;
  const BestFiles best = find_best(variants, choice);
  std::map<AssetNumber, Guid> renamed;
  std::set<AssetNumber> gone;
  for (const VariantFile& file : variants.files()) gone.insert(file.file);
  for (const auto& [key, chosen] : best) {
    gone.erase(chosen.file);
    if (!key.second.empty()) continue;
    renamed.emplace(chosen.file, index.at(key.first).guid);
    gone.insert(key.first);
  }
  std::vector<Asset> assets;
  for (AssetNumber number = 0; number < index.assets().size(); ++number) {
    if (gone.contains(number)) continue;
    assets.push_back(index.at(number));
    const auto found = renamed.find(number);
    if (found != renamed.end()) assets.back().guid = found->second;
  }
  std::vector<IndexProblem> problems(index.problems().begin(), index.problems().end());
  // The constructor of the index finds duplicate guids again.
  std::erase_if(problems, [](const IndexProblem& problem) {
    return problem.kind == IndexProblem::Kind::duplicate_guid;
  });
  AssetIndex settled(std::move(assets), std::move(problems),
                     {index.lock_paths().begin(), index.lock_paths().end()},
                     {index.leftovers().begin(), index.leftovers().end()});
  std::vector<VariantFile> open;
  for (const auto& [key, chosen] : best) {
    if (key.second.empty()) continue;
    open.push_back({settled.find(index.at(key.first).guid),
                    settled.find(index.at(chosen.file).path), key.second});
  }
  std::vector<SettledFile> removed;
  for (const AssetNumber file : gone) {
    const VariantFile* const variant = variants.find(file);
    const Guid& guid = index.at(variant == nullptr ? file : variant->base).guid;
    removed.push_back({settled.find(guid), index.at(file).path});
  }
  index = std::move(settled);
  variants = Variants(std::move(open), {variants.problems().begin(), variants.problems().end()},
                      std::move(removed));
}

}  // namespace muster
