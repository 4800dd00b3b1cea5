#include "bundler/report/output_check.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <nlohmann/json.hpp>

#include "bundler/pack/output_folder.h"
#include "registry/base/parallel.h"
#include "registry/base/stray_names.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/catalog_reader.h"
#include "runtime/bundle/dictionary.h"
#include "runtime/bundle/object_reader.h"
#include "runtime/bundle/prefab_reader.h"

namespace muster {
namespace {

constexpr std::uint64_t kCheckedFileBytesMax = 8ULL * 1024 * 1024 * 1024;

struct TargetCheck {
  std::string folder;
  std::optional<ContentHash> agreement;
  std::optional<ContentHash> fingerprint;
};

class OutputChecker {
 public:
  OutputChecker(const FileReader& files, unsigned jobs, const std::stop_token& stop,
                const std::optional<VerifyKey>& key)
      : files_(files), jobs_(std::max(jobs, 1U)), stop_(stop), key_(key) {}

  Result<OutputCheck> run() {
    if (const auto report = files_.stat(AssetPath().child("build.json")); !report) {
      if (report.error().code != ErrorCode::not_found) return fail(report.error());
      return fail(ErrorCode::not_found,
                  "there is no build.json: this is not the output of a build");
    }
    std::vector<TargetCheck> targets;
    for (const std::string folder : {"client", "server"}) {
      const auto found = files_.stat(AssetPath().child(folder));
      if (!found && found.error().code == ErrorCode::not_found) continue;
      if (!found) return fail(found.error());
      TargetCheck target{.folder = folder, .agreement = {}, .fingerprint = {}};
      if (auto checked = check_target(target); !checked) return fail(checked.error());
      targets.push_back(std::move(target));
    }
    if (targets.empty())
      note("client", ErrorCode::not_found, "there is neither a client folder nor a server folder");
    if (targets.size() == 2 && targets[0].agreement && targets[1].agreement &&
        *targets[0].agreement != *targets[1].agreement) {
      note("server/catalog.mcat", ErrorCode::hash_mismatch,
           "client and server do not belong together (their agreement hashes differ)");
    }
    check_report(targets);
    note_extra_entries();
    std::ranges::sort(result_.problems, [](const OutputProblem& a, const OutputProblem& b) {
      return std::tie(a.path, a.message) < std::tie(b.path, b.message);
    });
    return std::move(result_);
  }

 private:
  /// The guid and local id of each entry of a bundle, in the order of the bundle.
  using Names = std::vector<std::pair<Guid, std::int64_t>>;

  void note(std::string path, ErrorCode code, std::string message) {
    result_.problems.push_back({std::move(path), code, std::move(message)});
  }

  Result<void> check_target(TargetCheck& target) {
    const AssetPath path = AssetPath().child(target.folder).child("catalog.mcat");
    ByteVector buffer;
    const auto bytes = read_whole(files_, path, kCheckedFileBytesMax, buffer);
    if (!bytes) {
      note(path.text(), bytes.error().code, bytes.error().message);
      return {};
    }
    check_signature(path, bytes.value());
    const auto catalog = CatalogReader::open(bytes.value());
    if (!catalog) {
      note(path.text(), catalog.error().code, catalog.error().message);
      return {};
    }
    target.agreement = catalog.value().agreement();
    target.fingerprint = catalog.value().fingerprint();
    const bool is_client = catalog.value().target() == Target::client;
    if (is_client != (target.folder == "client")) {
      note(path.text(), ErrorCode::malformed, "this is the catalog of the other target");
    }
    return check_bundles(target.folder, catalog.value());
  }

  void check_signature(const AssetPath& catalog, Bytes bytes) {
    if (!key_) return;
    const AssetPath path = catalog.parent().child(kCatalogSignatureFile);
    ByteVector buffer;
    BuildSignature signature{};
    const auto read = read_whole(files_, path, signature.size(), buffer);
    if (!read) {
      const bool is_unsigned = read.error().code == ErrorCode::not_found;
      return note(path.text(), read.error().code,
                  is_unsigned ? "the catalog is not signed" : read.error().message);
    }
    const bool fits = read.value().size() == signature.size();
    if (fits) std::ranges::copy(read.value(), signature.begin());
    if (fits && is_signed_by(*key_, catalog.text(), bytes, signature)) return;
    note(catalog.text(), ErrorCode::hash_mismatch,
         "it was not signed with this key, or was changed later");
  }

  Result<void> check_bundles(const std::string& folder, const CatalogReader& catalog) {
    std::vector<std::vector<OutputProblem>> problems(catalog.bundle_count());
    std::vector<Names> entries(catalog.bundle_count());
    std::vector<Worker> workers(jobs_);
    std::set<std::string> known;
    const auto dictionaries = check_dictionaries(folder, catalog, known);
    for (Worker& worker : workers) worker.decompressor.use(dictionaries);
    for (std::uint32_t i = 0; i < catalog.bundle_count(); ++i) {
      known.insert(folder + "/" + catalog.bundle(i).name.path());
      result_.bytes += catalog.bundle(i).file_bytes;
    }
    const bool finished =
        parallel_for(catalog.bundle_count(), jobs_, stop_, [&](std::size_t i, unsigned worker) {
          const CatalogBundle bundle = catalog.bundle(static_cast<std::uint32_t>(i));
          const std::string path = folder + "/" + bundle.name.path();
          const auto checked = check_bundle(path, bundle, workers[worker], entries[i]);
          if (!checked) {
            problems[i].push_back({path, checked.error().code, checked.error().message});
          }
        });
    if (!finished) return fail(ErrorCode::cancelled, "stopped");
    for (auto& list : problems) std::ranges::move(list, std::back_inserter(result_.problems));
    for (const Names& names : entries) result_.entries += names.size();
    check_alternatives(folder, catalog, entries);
    result_.bundles += catalog.bundle_count();
    known.insert(folder + "/catalog.mcat");
    known.insert(folder + "/" + std::string(kCatalogSignatureFile));
    note_leftovers(AssetPath().child(folder), known);
    return {};
  }

  // Checks that a bundle and each bundle that can replace it have the same entries.
  void check_alternatives(const std::string& folder, const CatalogReader& catalog,
                          const std::vector<Names>& entries) {
    for (std::uint32_t i = 0; i < catalog.alternative_count(); ++i) {
      const CatalogAlternative alternative = catalog.alternative(i);
      const Names& own = entries[alternative.alternative];
      const Names& base = entries[alternative.bundle];
      // A damaged bundle has no names here and was already reported.
      if (own == base || own.empty() || base.empty()) continue;
      note(folder + "/" + catalog.bundle(alternative.alternative).name.path(), ErrorCode::malformed,
           "it does not contain the entries of " + catalog.bundle(alternative.bundle).name.path() +
               ", which it replaces");
    }
  }

  std::shared_ptr<const DictionarySet> check_dictionaries(const std::string& folder,
                                                          const CatalogReader& catalog,
                                                          std::set<std::string>& known) {
    auto set = std::make_shared<DictionarySet>();
    for (std::uint32_t i = 0; i < catalog.dictionary_count(); ++i) {
      const CatalogDictionary record = catalog.dictionary(i);
      const std::string path = folder + "/" + dictionary_path(record.hash);
      known.insert(path);
      result_.bytes += record.file_bytes;
      ByteVector buffer;
      const auto bytes =
          read_whole(files_, AssetPath::parse(path).value(), layout::dictionary::kMaxBytes, buffer);
      if (!bytes) {
        note(path, bytes.error().code, bytes.error().message);
        continue;
      }
      auto added = set->add(record.hash, bytes.value());
      if (added && bytes.value().size() != record.file_bytes) {
        added = fail(ErrorCode::malformed, "the catalog says that it has " +
                                               std::to_string(record.file_bytes) + " bytes");
      }
      if (!added) note(path, added.error().code, added.error().message);
    }
    return set;
  }

  // Checks the report, because the next build reads it.
  void check_report(const std::vector<TargetCheck>& targets) {
    const std::string name(OutputFolder::kReportName);
    ByteVector buffer;
    const auto bytes =
        read_whole(files_, AssetPath().child(name), OutputFolder::kReportBytesMax, buffer);
    if (!bytes) return note(name, bytes.error().code, bytes.error().message);
    if (key_ && !is_signed_report(*key_, name, as_text(bytes.value()))) {
      note(name, ErrorCode::hash_mismatch, "it was not signed with this key, or was changed later");
    }
    const auto report = nlohmann::json::parse(as_text(bytes.value()), nullptr, false);
    const auto reported = report.is_object() ? report.find("targets") : report.end();
    if (!report.is_object() || reported == report.end() || !reported->is_object()) {
      return note(name, ErrorCode::malformed, "not the report of a build");
    }
    for (const auto& [folder, part] : reported->items()) {
      const bool is_here = std::ranges::count(targets, folder, &TargetCheck::folder) > 0;
      if (is_here || !key_) continue;
      note(folder, ErrorCode::not_found, "the signed report lists it, but it is missing");
    }
    for (const TargetCheck& target : targets) {
      if (!target.fingerprint) continue;
      const auto of_target = reported->find(target.folder);
      const bool is_reported =
          of_target != reported->end() && of_target->is_object() &&
          of_target->value("fingerprint", nlohmann::json()) == target.fingerprint->to_string();
      if (is_reported) continue;
      note(name, ErrorCode::hash_mismatch, "it describes another build of the " + target.folder);
    }
  }

  void note_extra_entries() {
    const auto listed = files_.list(AssetPath());
    if (!listed) return note(".", listed.error().code, listed.error().message);
    for (const DirectoryEntry& entry : listed.value()) {
      if (OutputFolder::may_hold(entry.name)) continue;
      note(entry.name, ErrorCode::malformed, "this is not part of a build");
    }
  }

  struct Worker {
    Decompressor decompressor;
    ByteVector file;
    ByteVector plain;
  };

  Result<void> check_bundle(const std::string& path, const CatalogBundle& expected, Worker& worker,
                            Names& entries) const {
    const auto parsed = AssetPath::parse(path);
    if (!parsed) return fail(parsed.error());
    const auto bytes = read_whole(files_, parsed.value(), kCheckedFileBytesMax, worker.file);
    if (!bytes) return fail(bytes.error());
    if (bytes.value().size() != expected.file_bytes) {
      return fail(
          bytes.value().size() < expected.file_bytes ? ErrorCode::truncated : ErrorCode::malformed,
          "the file has " + std::to_string(bytes.value().size()) + " bytes, the catalog says " +
              std::to_string(expected.file_bytes));
    }
    const auto bundle = BundleReader::open(bytes.value());
    if (!bundle) return fail(bundle.error());
    if (auto whole = bundle.value().verify(worker.decompressor, worker.plain); !whole) {
      return whole;
    }
    if (bundle.value().bundle_hash() != expected.hash) {
      return fail(ErrorCode::hash_mismatch,
                  "the bundle is undamaged, but its hash differs from the "
                  "hash in the catalog");
    }
    for (std::uint32_t i = 0; i < bundle.value().entry_count(); ++i) {
      if (auto good = check_form(bundle.value(), bundle.value().entry(i), worker); !good) {
        return good;
      }
      const BundleEntry entry = bundle.value().entry(i);
      entries.emplace_back(entry.guid, entry.local_id);
    }
    return {};
  }

  static Result<void> check_form(const BundleReader& bundle, const BundleEntry& entry,
                                 Worker& worker) {
    const auto plain = bundle.read(entry, worker.decompressor, worker.plain);
    if (!plain) return fail(plain.error());
    const auto explain = [&](const Error& error) {
      return fail(error.code, "entry " + entry.guid.to_string() + " (" +
                                  std::to_string(entry.local_id) + "): " + error.message);
    };
    if (entry.kind == EntryKind::object || entry.kind == EntryKind::import_settings) {
      const auto object = ObjectReader::open(plain.value());
      if (!object) return explain(object.error());
    }
    if (entry.kind == EntryKind::prefab) {
      const auto prefab = PrefabReader::open(plain.value());
      if (!prefab) return explain(prefab.error());
    }
    return {};
  }

  // Reports unexpected files. `known` are the paths of all files that belong to the folder of a
  // target.
  void note_leftovers(const AssetPath& folder, const std::set<std::string>& known) {
    const auto listed = files_.list(folder);
    if (!listed) return note(folder.text(), listed.error().code, listed.error().message);
    for (const DirectoryEntry& entry : listed.value()) {
      const AssetPath path = folder.child(entry.name);
      if (is_stray_name(entry.name)) continue;
      if (entry.kind == FileKind::folder &&
          (std::ranges::count(kBundleFolders, entry.name) > 0 || entry.name == "dictionaries")) {
        note_leftovers(path, known);
      } else if (!known.contains(path.text())) {
        note(path.text(), ErrorCode::malformed, "no catalog names this file");
      }
    }
  }

  const FileReader& files_;
  unsigned jobs_;
  std::stop_token stop_;
  const std::optional<VerifyKey>& key_;
  OutputCheck result_;
};

}  // namespace

Result<OutputCheck> check_output(const FileReader& files, unsigned jobs,
                                 const std::stop_token& stop, const std::optional<VerifyKey>& key) {
  return OutputChecker(files, jobs, stop, key).run();
}

}  // namespace muster
