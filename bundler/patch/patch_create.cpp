#include "bundler/patch/patch_create.h"

#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "bundler/pack/output_folder.h"
#include "bundler/patch/build_side.h"
#include "bundler/patch/patch_layout.h"
#include "bundler/patch/patch_reader.h"
#include "bundler/patch/recipe_writer.h"
#include "registry/base/stray_names.h"

namespace muster {
namespace {

tl::unexpected<Error> fail_in(const char* which, const Error& error) {
  return fail(error.code, std::string("the ") + which + " build: " + error.message);
}

// The level with which most blocks of a build were packed. A wrong level does no harm, because the
// result is verified.
int level_of(const BuildSide& build) {
  const LooseFile* const report = build.find(AssetPath().child(OutputFolder::kReportName));
  if (report == nullptr) return kDefaultLevel;
  const auto json = nlohmann::json::parse(as_text(report->bytes), nullptr, false);
  const auto at = nlohmann::json::json_pointer("/options/level");
  if (!json.is_object() || !json.contains(at) || !json[at].is_number_integer()) {
    return kDefaultLevel;
  }
  const auto level = json[at].get<std::int64_t>();
  return level >= kMinLevel && level <= kMaxLevel ? static_cast<int>(level) : kDefaultLevel;
}

// Fails if the folder has files that are not part of a build, because a patch cannot make such
// files.
Result<void> check_no_extra_files(const FileReader& files, const BuildSide& build) {
  std::set<std::string> known;
  for (const AssetPath& path : loose_file_paths()) known.insert(path.text());
  for (const LooseFile* file : build.dictionaries()) known.insert(file->path.text());
  for (const Target target : {Target::client, Target::server}) {
    const CatalogReader* const catalog = build.catalog(target);
    for (std::uint32_t i = 0; catalog != nullptr && i < catalog->bundle_count(); ++i) {
      known.insert(bundle_path(target, catalog->bundle(i).name).text());
    }
  }
  std::vector<AssetPath> folders{AssetPath().child("client"), AssetPath().child("server")};
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const AssetPath folder = folders[i];
    const auto entries = files.list(folder);
    if (!entries && entries.error().code == ErrorCode::not_found) continue;
    if (!entries) return fail(entries.error());
    for (const DirectoryEntry& entry : entries.value()) {
      const AssetPath path = folder.child(entry.name);
      if (is_stray_name(entry.name)) continue;
      if (entry.kind == FileKind::folder) {
        folders.push_back(path);
      } else if (!known.contains(path.text())) {
        return fail(ErrorCode::already_exists,
                    path.text() + ": not a file of a build, so a patch would not contain it");
      }
    }
  }
  return {};
}

class Creation {
 public:
  Creation(const FileReader& old_files, const FileReader& new_files, BuildSide before,
           BuildSide after, const PatchOptions& options)
      : new_files_(new_files),
        options_(options),
        before_(std::move(before)),
        after_(std::move(after)),
        pool_(old_files, before_,
              [&new_files](const AssetPath& path, std::uint64_t max_bytes, ByteVector& buffer) {
                return read_whole(new_files, path, max_bytes, buffer);
              }),
        dictionaries_(before_, after_),
        recipes_(pool_, dictionaries_,
                 {.level = level_of(after_), .is_portable = options.is_portable}) {}

  Result<MadePatch> run() {
    if (auto checked = check_no_extra_files(new_files_, after_); !checked) {
      return fail(checked.error());
    }
    if (auto learned = recipes_.learn_base(); !learned) return fail_in("old", learned.error());
    for (const LooseFile& file : before_.loose()) {
      patch_.base.push_back({file.path, file.bytes.size(), file.hash, false, 0});
    }
    for (const LooseFile& file : after_.loose()) add_loose(file);
    for (const Target target : {Target::client, Target::server}) {
      if (auto added = add_bundles(target); !added) return fail(added.error());
    }
    data_.insert(data_.end(), recipes_.data().begin(), recipes_.data().end());
    patch_.program.assign(recipes_.program().begin(), recipes_.program().end());
    patch_.data = data_;
    patch_.recompresses = recipes_.recompresses();
    patch_.zstd_version = own_zstd_version();
    made_.recompresses = patch_.recompresses;
    made_.bytes = write_patch(patch_);
    return std::move(made_);
  }

 private:
  void count_changed(std::uint64_t bytes) {
    ++made_.changed_files;
    made_.changed_bytes += bytes;
  }

  void add_loose(const LooseFile& file) {
    const LooseFile* const old = before_.find(file.path);
    if (old == nullptr || old->hash != file.hash) count_changed(file.bytes.size());
    const bool has_prefix =
        old != nullptr && old->bytes.size() + file.bytes.size() <= layout::patch::kMaxDeltaBytes;
    const ByteVector frame = deltas_.encode(file.bytes, has_prefix ? Bytes(old->bytes) : Bytes());
    patch_.files.push_back({file.path, file.bytes.size(), file.hash, has_prefix, frame.size()});
    data_.insert(data_.end(), frame.begin(), frame.end());
  }

  Result<void> add_bundles(Target target) {
    const CatalogReader* const catalog = after_.catalog(target);
    for (std::uint32_t i = 0; catalog != nullptr && i < catalog->bundle_count(); ++i) {
      if (options_.stop.stop_requested()) {
        return fail(ErrorCode::cancelled, "stopped while the patch was made");
      }
      const CatalogBundle bundle = catalog->bundle(i);
      const auto old = before_.find(target, bundle.name);
      if (old && old->hash == bundle.hash) continue;
      const AssetPath path = bundle_path(target, bundle.name);
      const auto bytes = read_bundle(new_files_, path, bundle, buffer_);
      if (!bytes) return fail_in("new", bytes.error());
      count_changed(bytes.value().size());
      if (auto added = recipes_.add(path, bundle, bytes.value()); !added) return added;
    }
    return {};
  }

  const FileReader& new_files_;
  const PatchOptions& options_;
  BuildSide before_;
  BuildSide after_;
  BundlePool pool_;
  PatchDictionaries dictionaries_;
  RecipeWriter recipes_;
  DeltaEncoder deltas_;
  Patch patch_;
  ByteVector data_;
  ByteVector buffer_;
  MadePatch made_;
};

}  // namespace

Result<MadePatch> create_patch(const FileReader& old_files, const FileReader& new_files,
                               const PatchOptions& options) {
  auto before = BuildSide::read(old_files);
  if (!before) return fail_in("old", before.error());
  auto after = BuildSide::read(new_files);
  if (!after) return fail_in("new", after.error());
  return Creation(old_files, new_files, std::move(before).value(), std::move(after).value(),
                  options)
      .run();
}

}  // namespace muster
