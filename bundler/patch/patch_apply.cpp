// Makes the new build in one pass, in the order of the patch. Unchanged files are copied, and all
// other files are made. Each file is verified and staged before the next file is made, so that only
// one bundle and its sources are in memory. Publishing starts after the last file was verified. So
// if the process is killed, the base is unchanged and the command can be run again.
#include "bundler/patch/patch_apply.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "bundler/incremental/build_state.h"
#include "bundler/patch/build_side.h"
#include "bundler/patch/bundle_rebuild.h"
#include "bundler/patch/patch_reader.h"
#include "bundler/plan/output_names.h"

namespace muster {
namespace {

const PatchFile* find(const std::vector<PatchFile>& files, const AssetPath& path) {
  const auto found = std::ranges::find(files, path, &PatchFile::path);
  return found == files.end() ? nullptr : &*found;
}

// Describes the first loose file that differs from the list in the patch; empty if there is no
// difference.
std::string first_difference(const BuildSide& build, const std::vector<PatchFile>& files) {
  std::vector<AssetPath> paths = loose_file_paths();
  for (const LooseFile* file : build.dictionaries()) paths.push_back(file->path);
  for (const PatchFile& file : files) {
    if (is_dictionary_path(file.path.text())) paths.push_back(file.path);
  }
  for (const AssetPath& path : paths) {
    const LooseFile* const is = build.find(path);
    const PatchFile* const should_be = find(files, path);
    if (is == nullptr && should_be != nullptr) return path.text() + " is missing";
    if (is != nullptr && should_be == nullptr) return "it also has " + path.text();
    if (is != nullptr && is->hash != should_be->hash) {
      return path.text() + " differs (" + is->hash.to_string() + ", not " +
             should_be->hash.to_string() + ")";
    }
  }
  return {};
}

class Application {
 public:
  Application(const FileReader& base_files, BuildSide base, const Patch& patch, OutputFolder& out,
              const ApplyOptions& options)
      : base_files_(base_files),
        base_(std::move(base)),
        patch_(patch),
        out_(out),
        options_(options),
        pool_(base_files, base_,
              [this](const AssetPath& path, std::uint64_t max_bytes, ByteVector& buffer) {
                return out_.read_staged(path, 0, max_bytes, buffer);
              }),
        streams_{ByteReader(Bytes(patch_.program).subspan(patch_.bundles_at)),
                 ByteReader(patch_.data)} {}

  Result<AppliedPatch> run() {
    auto next = make_loose();
    if (!next) return fail(next.error());
    if (auto free = check_no_report(next.value()); !free) return fail(free.error());
    dictionaries_.emplace(base_, next.value());
    rebuild_.emplace(pool_, *dictionaries_, options_.max_file_bytes);
    for (const Target target : {Target::client, Target::server}) {
      if (auto free = check_absent(next.value(), target); !free) return fail(free.error());
      if (auto made = make_bundles(next.value(), target); !made) return fail(made.error());
    }
    if (streams_.program.remaining() > 0 || streams_.data.remaining() > 0) {
      return fail(ErrorCode::malformed, "the patch is invalid: it has unused bytes");
    }
    for (const LooseFile& file : next.value().loose()) {
      if (auto staged = out_.stage(file.path, file.bytes); !staged) return fail(staged.error());
    }
    if (auto forgotten = forget_state(); !forgotten) return fail(forgotten.error());
    if (auto forgotten = forget_times(); !forgotten) return fail(forgotten.error());
    if (auto published = out_.publish(); !published) return fail(published.error());
    return applied_;
  }

 private:
  Result<BuildSide> make_loose() {
    std::vector<LooseFile> files;
    DeltaDecoder decoder;
    for (const PatchFile& entry : patch_.files) {
      const LooseFile* const old = base_.find(entry.path);
      if ((entry.has_prefix && old == nullptr) || entry.frame_bytes > streams_.data.remaining()) {
        return fail(ErrorCode::malformed, "the patch is invalid: " + entry.path.text());
      }
      if (entry.bytes > options_.max_file_bytes) {
        return fail(ErrorCode::limit_exceeded, entry.path.text() + " would be too large");
      }
      LooseFile file{.path = entry.path, .bytes = {}, .hash = entry.hash};
      file.bytes.resize(static_cast<std::size_t>(entry.bytes));
      const Bytes frame = streams_.data.bytes(static_cast<std::size_t>(entry.frame_bytes));
      const Bytes prefix = entry.has_prefix ? Bytes(old->bytes) : Bytes();
      if (auto decoded = decoder.decode(frame, prefix, file.bytes); !decoded) {
        return fail(decoded.error());
      }
      if (hash_bytes(file.bytes) != entry.hash) return fail_made(file.path);
      ++applied_.files;
      if (old == nullptr || old->hash != entry.hash) ++applied_.made;
      files.push_back(std::move(file));
    }
    return BuildSide::of(std::move(files));
  }

  // Stages an empty file as the state, because the state of the last build in this folder does not
  // match the new files.
  Result<void> forget_state() const {
    const AssetPath path = AssetPath().child(kStateName);
    ByteVector buffer;
    const auto there = out_.read(path, kStateBytesMax, buffer);
    if (!there && there.error().code == ErrorCode::not_found) return {};
    return out_.stage(path, {});
  }

  // Stages `{}` as the times of the last build, for the same reason.
  Result<void> forget_times() const {
    const AssetPath path = AssetPath().child(OutputFolder::kTimesName);
    ByteVector buffer;
    const auto there = out_.read(path, OutputFolder::kReportBytesMax, buffer);
    if (!there && there.error().code == ErrorCode::not_found) return {};
    return out_.stage(path, as_bytes("{}\n"));
  }

  // Fails if the output has a target that the new build does not have. Publishing replaces only
  // parts of the new build, so such a target would remain.
  Result<void> check_absent(const BuildSide& next, Target target) const {
    if (next.catalog(target) != nullptr) return {};
    const std::string folder(folder_of(target));
    return check_free(AssetPath().child(folder).child(kCatalogName), folder);
  }

  Result<void> check_no_report(const BuildSide& next) const {
    const AssetPath path = AssetPath().child(OutputFolder::kReportName);
    if (next.find(path) != nullptr) return {};
    return check_free(path, path.text());
  }

  Result<void> check_free(const AssetPath& path, const std::string& name) const {
    ByteVector buffer;
    const auto there = out_.read(path, layout::catalog::kMaxFileBytes, buffer);
    if (!there && there.error().code == ErrorCode::not_found) return {};
    if (!there) return fail(there.error());
    return fail(ErrorCode::already_exists,
                "the output folder has a " + name +
                    ", which the new build does not have: give an empty folder");
  }

  Result<void> make_bundles(const BuildSide& next, Target target) {
    const CatalogReader* const catalog = next.catalog(target);
    for (std::uint32_t i = 0; catalog != nullptr && i < catalog->bundle_count(); ++i) {
      if (options_.stop.stop_requested()) {
        return fail(ErrorCode::cancelled, "stopped; the output is unchanged");
      }
      const CatalogBundle bundle = catalog->bundle(i);
      const auto old = base_.find(target, bundle.name);
      const AssetPath path = bundle_path(target, bundle.name);
      ++applied_.files;
      const bool stays = old && old->hash == bundle.hash;
      if (auto done = stays ? keep(path, bundle) : make(path, bundle); !done) return done;
    }
    return {};
  }

  Result<void> keep(const AssetPath& path, const CatalogBundle& bundle) {
    const auto bytes = read_bundle(base_files_, path, bundle, buffer_);
    if (!bytes) return fail(bytes.error());
    return out_.stage(path, bytes.value());
  }

  Result<void> make(const AssetPath& path, const CatalogBundle& bundle) {
    const auto made = rebuild_->run(streams_);
    if (!made) return fail(made.error());
    const Bytes bytes = made.value();
    const auto reader = BundleReader::open(bytes);
    const bool fits = bytes.size() == bundle.file_bytes && reader &&
                      reader.value().bundle_hash() == bundle.hash &&
                      reader.value().compute_hash() == bundle.hash;
    if (!fits) return fail_made(path);
    ++applied_.made;
    pool_.add(path, bundle);
    return out_.stage(path, bytes);
  }

  tl::unexpected<Error> fail_made(const AssetPath& path) const {
    if (rebuild_ && rebuild_->has_recompressed() && patch_.zstd_version != own_zstd_version()) {
      return fail(ErrorCode::hash_mismatch,
                  path.text() + ": the patch requires the compressed bytes of zstd " +
                      zstd_version_text(patch_.zstd_version) + ", but zstd " +
                      zstd_version_text(own_zstd_version()) +
                      " writes different bytes; use a patch of 'muster patch create --portable'");
    }
    return fail(
        ErrorCode::hash_mismatch,
        path.text() + ": the file that the patch makes differs from the file of the new build");
  }

  const FileReader& base_files_;
  BuildSide base_;
  const Patch& patch_;
  OutputFolder& out_;
  const ApplyOptions& options_;
  BundlePool pool_;
  std::optional<PatchDictionaries> dictionaries_;
  std::optional<BundleRebuild> rebuild_;
  PatchStreams streams_;
  ByteVector buffer_;
  AppliedPatch applied_;
};

}  // namespace

Result<bool> is_applied(const FileReader& base, const Patch& patch) {
  const auto build = BuildSide::read(base);
  if (!build) return fail(build.error());
  return first_difference(build.value(), patch.files).empty();
}

Result<AppliedPatch> apply_patch(const FileReader& base, const Patch& patch, OutputFolder& out,
                                 const ApplyOptions& options) {
  auto build = BuildSide::read(base);
  if (!build) return fail(build.error());
  const std::string other = first_difference(build.value(), patch.base);
  if (!other.empty()) {
    const bool is_new = first_difference(build.value(), patch.files).empty();
    return fail(ErrorCode::invalid_argument,
                is_new ? "the old build already equals the new build of the patch"
                       : "the old build is not the one that the patch was made for: " + other);
  }
  return Application(base, std::move(build).value(), patch, out, options).run();
}

}  // namespace muster
