// Large bundles are packed one after another, each by all threads. With one thread per large
// bundle, other threads would be idle at the end, and more memory would be needed. Small bundles
// are packed in parallel, with one thread per bundle. Each result is stored separately, so that the
// output does not depend on the order of threads. The name of a shared bundle depends on its
// content, so names and catalog are computed last.
#include "bundler/build/target_build.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>

#include "bundler/build/catalog_fill.h"
#include "bundler/cache/cache_race.h"
#include "bundler/pack/catalog_writer.h"
#include "bundler/plan/output_names.h"
#include "bundler/plan/variant_plan.h"
#include "registry/base/counted.h"
#include "registry/base/parallel.h"
#include "registry/rules/validate.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster {
namespace {

constexpr std::size_t kSlowestListed = 5;
/// A bundle with at least this number of source bytes is large: 16 blocks of the default size are
/// enough work for all threads.
constexpr std::uint64_t kLargeBytes = 4ULL * 1024 * 1024;

class TargetBuilder {
 public:
  TargetBuilder(const Project& project, Target target,
                const std::vector<ComponentDescription>& components, const BuildOptions& options,
                const BuildEdges& edges, std::vector<CookProblem>& problems)
      : project_(project),
        components_(components),
        options_(options),
        edges_(edges),
        problems_(problems),
        cooker_(project, components, &project.config().strip[target_index(target)]),
        plain_plan_(options.level),
        plan_(edges.packing == nullptr ? plain_plan_ : *edges.packing),
        how_packed_(plan_.how_packed_in(project)) {
    result_.target = target;
    for (const BuildDictionary& one : plan_.dictionaries().all) {
      result_.dictionaries.push_back(
          {one.hash(), static_cast<std::uint32_t>(one.bytes.size()), one.kind});
    }
  }

  Result<TargetBuild> run() {
    if (auto fits = check_layout(); !fits) return fail(fits.error());
    const auto sizes = source_sizes(project_, result_.target, edges_.stop, options_.jobs);
    result_.plan =
        plan_bundles(project_, {.target = result_.target, .layout = options_.layout}, sizes);
    const std::size_t count = result_.plan.bundles.size();
    result_.bundles.resize(count);
    result_.plain_bytes_of.assign(project_.index().assets().size(), 0);
    if (edges_.earlier != nullptr) match_earlier();
    edges_.reporter.begin("packing " + std::string(folder_of(result_.target)), count);
    const std::size_t reused_before = edges_.output.reused_blocks();
    if (auto staged = stage_dictionaries(); !staged) return fail(staged.error());
    if (auto carried = carry_over_kept(); !carried) return fail(carried.error());
    pack_all(sizes);
    result_.reused_blocks = edges_.output.reused_blocks() - reused_before;
    if (edges_.stop.stop_requested()) {
      return fail(ErrorCode::cancelled, "stopped; the output is unchanged");
    }
    if (failure_) return fail(*failure_);
    if (!problems_.empty()) {
      std::ranges::sort(problems_, [](const CookProblem& a, const CookProblem& b) {
        return std::tie(a.location.path, a.location.position, a.message) <
               std::tie(b.location.path, b.location.position, b.message);
      });
      return fail(ErrorCode::malformed,
                  counted(problems_.size(), "asset") + " cannot be cooked; nothing was built");
    }
    std::ranges::sort(result_.slowest, std::ranges::greater{}, &AssetTiming::duration);
    if (result_.slowest.size() > kSlowestListed) result_.slowest.resize(kSlowestListed);
    if (auto written = write_catalog(); !written) return fail(written.error());
    return std::move(result_);
  }

 private:
  // Fails if a self-contained build has variants among which the game chooses. A self-contained
  // bundle contains only one form of each asset in the closure of its prefab.
  Result<void> check_layout() const {
    if (options_.layout == Layout::shared) return {};
    const AssetNumber asset = first_open(project_, result_.target);
    if (asset == kNoAsset) return {};
    const VariantFile& file = project_.variants().of(asset).front();
    const VariantAxis& axis = project_.config().axes[file.keys.front().axis];
    return fail(ErrorCode::invalid_argument,
                "'" + project_.index().at(asset).path.text() + "' varies by '" + axis.name +
                    "', but with '--layout self-contained' the game cannot choose a variant: use "
                    "'--variant " +
                    axis.name + "=" + axis.values.front() +
                    "' or another, or use the shared "
                    "layout");
  }

  Result<void> stage_dictionaries() {
    for (const BuildDictionary& one : plan_.dictionaries().all) {
      const auto path = AssetPath::parse(std::string(folder_of(result_.target)) + "/" +
                                         dictionary_path(one.hash()));
      if (!path) return fail(path.error());
      if (auto staged = edges_.output.stage(path.value(), one.bytes); !staged) return staged;
    }
    return {};
  }

  void pack_all(const std::vector<std::uint64_t>& sizes) {
    std::vector<std::pair<std::uint64_t, std::size_t>> weighed;
    for (std::size_t i = 0; i < result_.plan.bundles.size(); ++i) {
      std::uint64_t bytes = 0;
      for (const AssetNumber asset : result_.plan.bundles[i].assets) bytes += sizes[asset];
      weighed.emplace_back(bytes, i);
    }
    // The largest bundles start first, because other threads would be idle if a large bundle
    // started last.
    std::ranges::stable_sort(weighed,
                             [](const auto& a, const auto& b) { return a.first > b.first; });
    if (edges_.cache != nullptr) look_up_all(weighed);
    const auto first_small = std::ranges::find_if(
        weighed, [](const auto& bundle) { return bundle.first < kLargeBytes; });
    std::vector<Compressor> compressors(std::max(options_.jobs, 1U));
    std::for_each(weighed.begin(), first_small,
                  [&](const auto& bundle) { pack(bundle.second, compressors); });
    const std::span small(first_small, weighed.end());
    parallel_for(small.size(), options_.jobs, edges_.stop, [&](std::size_t i, unsigned worker) {
      pack(small[i].second, std::span(&compressors[worker], 1));
    });
  }

  // Queries the cache folder for each bundle, and a cache server for many bundles at the same time.
  // Bundles that are not found stay in `weighed`, for `pack_all`.
  void look_up_all(std::vector<std::pair<std::uint64_t, std::size_t>>& weighed) {
    std::erase_if(weighed, [&](const auto& bundle) {
      const bool stays = !matches_.empty() && matches_[bundle.second].bundle != nullptr;
      if (stays) pack(bundle.second, {});
      return stays;
    });
    std::vector<char> is_done(weighed.size(), 0);
    const auto erase_done = [&] {
      std::size_t i = 0;
      std::erase_if(weighed, [&](const auto&) { return is_done[i++] != 0; });
      is_done.assign(weighed.size(), 0);
    };
    parallel_for(weighed.size(), options_.jobs, edges_.stop, [&](std::size_t i, unsigned) {
      if (auto found = look_up(weighed[i].second, CacheReach::near, {})) {
        use_cached(weighed[i].second, *found);
        is_done[i] = 1;
      }
    });
    erase_done();
    if (edges_.cache->has_far_level()) race(weighed, is_done);
    erase_done();
  }

  void race(const std::vector<std::pair<std::uint64_t, std::size_t>>& weighed,
            std::vector<char>& is_done) {
    std::vector<Compressor> compressors(std::max(options_.jobs, 1U));
    CacheRace race;
    for (const auto& [bytes, index] : weighed) {
      race.estimates.push_back(packing_time(bytes, options_.level, options_.jobs));
      race.result_bytes.push_back(bytes);
      if (bytes >= kLargeBytes) ++race.large_count;
    }
    race.workers = options_.jobs;
    race.look_up = [&](std::size_t i, const std::stop_token& abandoned) -> CacheRace::Accept {
      auto found = look_up(weighed[i].second, CacheReach::far, abandoned);
      if (!found) return {};
      // The pointer is shared, because copies of a `std::function` must refer to one object.
      const auto shared = std::make_shared<Cached>(std::move(*found));
      return [this, &weighed, &is_done, i, shared] {
        use_cached(weighed[i].second, *shared);
        is_done[i] = 1;
      };
    };
    // A bundle is uploaded only if the server was queried and does not have it.
    race.work = [&](std::size_t i, unsigned worker, bool is_missed) {
      if (i < race.large_count) {
        const std::lock_guard lock(mutex_);
        if (is_missed) missed_.insert(weighed[i].second);
        return;
      }
      const CacheReach reach = is_missed ? CacheReach::all : CacheReach::near;
      pack_new(weighed[i].second, std::span(&compressors[worker], 1), reach);
      is_done[i] = 1;
    };
    if (edges_.cache_experience != nullptr) race.experience = *edges_.cache_experience;
    race.experience = run_race(race, edges_.clock, edges_.stop);
    if (edges_.cache_experience != nullptr) *edges_.cache_experience = race.experience;
  }

  // Finds the bundles to keep. If the levels are equal, blocks of other bundles may be reused.
  void match_earlier() {
    const EarlierBuild& earlier = *edges_.earlier;
    matches_.resize(result_.plan.bundles.size());
    const PackingTerms plain_terms{edges_.tool, options_.layout, options_.level,
                                   to_text(project_.config().axes, project_.choice())};
    const PackingTerms& terms = edges_.terms == nullptr ? plain_terms : *edges_.terms;
    parallel_for(matches_.size(), options_.jobs, edges_.stop, [&](std::size_t i, unsigned) {
      matches_[i] = earlier.find(project_, result_.target, terms, result_.plan.bundles[i]);
    });
    result_.gone = earlier.gone_from(project_, result_.target, result_.plan);
    std::set<BundleName> kept;
    for (const EarlierBuild::Match& match : matches_) {
      if (match.bundle != nullptr) kept.insert(match.bundle->name);
    }
    if (kept.size() == matches_.size()) return;
    for (const StateTarget& target : earlier.state().targets) {
      if (target.level != terms.level || target.compression != terms.compression) continue;
      for (const StateBundle& bundle : target.bundles) {
        if (target.target == result_.target && kept.contains(bundle.name)) continue;
        if (target.target != result_.target && earlier.state().tool == edges_.tool) continue;
        const auto path =
            AssetPath::parse(std::string(folder_of(target.target)) + "/" + bundle.name.path());
        if (!path) continue;
        edges_.output.remember_earlier(earlier.files(), path.value(),
                                       how_packed_then(earlier.extensions_in(target, bundle)));
      }
    }
  }

  HowPacked how_packed_then(EarlierBuild::ExtensionThen extension_then) const {
    return [this, extension_then = std::move(extension_then)](const BundleEntry& entry) {
      const auto extension = extension_then(entry.guid);
      return extension ? std::optional(plan_.how_packed(entry, *extension)) : std::nullopt;
    };
  }

  // Copies all kept bundles folder by folder, because opening the folder again for each bundle
  // would take longer than all other work. Parallel threads would only wait for the same folder.
  Result<void> carry_over_kept() {
    std::map<std::pair<AssetPath, AssetPath>, std::vector<std::string>> names;
    for (const EarlierBuild::Match& match : matches_) {
      if (match.bundle == nullptr) continue;
      const auto path = path_of(match.bundle->name);
      if (!path) return fail(path.error());
      names[{match.path.parent(), path.value().parent()}].emplace_back(path.value().name());
    }
    for (const auto& [folders, some] : names) {
      auto carried =
          edges_.output.carry_over(edges_.earlier->files(), folders.first, folders.second, some);
      if (!carried) return carried;
    }
    return {};
  }

  // Keeps an earlier bundle unchanged. Returns false if the bundle must be packed.
  bool keep(std::size_t index) {
    BuiltBundle& built = result_.bundles[index];
    if (matches_.empty()) {
      built.reasons.push_back(edges_.reason);
      return false;
    }
    EarlierBuild::Match& match = matches_[index];
    built.reasons = std::move(match.reasons);
    if (match.bundle == nullptr) return false;
    const StateBundle& old = *match.bundle;
    built.name = old.name;
    built.hash = old.hash;
    built.file_bytes = old.file_bytes;
    built.plain_bytes = old.plain_bytes;
    built.source_bytes = old.source_bytes;
    built.is_kept = true;
    for (const std::uint32_t fact : old.facts) built.facts.push_back(edges_.earlier->fact(fact));
    const BuildState& state = edges_.earlier->state();
    {
      const std::lock_guard lock(mutex_);
      for (const StateAsset& asset : old.assets) {
        const AssetNumber number = project_.index().find(state.assets[asset.asset].guid);
        if (number != kNoAsset) result_.plain_bytes_of[number] = asset.plain_bytes;
      }
    }
    const auto path = path_of(built.name);
    if (path && edges_.is_earlier_shared &&
        !edges_.output.holds_bundle(path.value(), built.file_bytes, built.hash)) {
      const BuildReason reason{"output", built.name.path()};
      built = BuiltBundle();
      built.planned = index;
      built.reasons.push_back(reason);
      return false;
    }
    edges_.reporter.advance(1, built.name.to_string());
    return true;
  }

  Result<AssetPath> path_of(const BundleName& name) const {
    return AssetPath::parse(std::string(folder_of(result_.target)) + "/" + name.path());
  }

  void answer(const std::vector<CookedAsset>& cooked, BuiltBundle& built) const {
    if (edges_.answers == nullptr) return;
    std::set<CookQuestion> questions;
    for (const CookedAsset& asset : cooked) {
      questions.insert(asset.questions.begin(), asset.questions.end());
    }
    for (const CookQuestion& question : questions) {
      built.facts.push_back({question, edges_.answers->answer(question, result_.target)});
    }
  }

  bool failed() {
    const std::lock_guard lock(mutex_);
    return failure_.has_value();
  }

  void fail_with(Error error) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(error);
  }

  // Cooks and packs a bundle, with one thread per compressor. Does nothing after a stop request, or
  // after another bundle has failed.
  void pack(std::size_t index, std::span<Compressor> compressors) {
    if (failed()) return;
    BuiltBundle& built = result_.bundles[index];
    built.planned = index;
    if (keep(index)) return;
    const bool is_worth_upload =
        edges_.cache == nullptr || !edges_.cache->has_far_level() || missed_.contains(index);
    pack_new(index, compressors, is_worth_upload ? CacheReach::all : CacheReach::near);
  }

  void pack_new(std::size_t index, std::span<Compressor> compressors, CacheReach reach) {
    if (failed()) return;
    const PlannedBundle& planned = result_.plan.bundles[index];
    BuiltBundle& built = result_.bundles[index];
    built.planned = index;
    const Time start = edges_.clock.now();
    std::vector<CookedAsset> cooked(planned.assets.size());
    const auto jobs = static_cast<unsigned>(compressors.size());
    if (!parallel_for(cooked.size(), jobs, edges_.stop,
                      [&](std::size_t i, unsigned) { cooked[i] = cook(planned.assets[i]); })) {
      return;
    }
    std::vector<PackEntry> entries;
    for (const CookedAsset& asset : cooked) {
      built.source_bytes += asset.source_bytes;
      for (const CookedEntry& entry : asset.entries) {
        built.plain_bytes += entry.plain.size();
        entries.push_back(pack_entry(entry));
      }
    }
    auto bytes = pack_bundle(entries, {.level = options_.level},
                             {compressors, edges_.stop, &edges_.output, plan_.decompressing()});
    if (!bytes) {
      fail_with(bytes.error());
      return;
    }
    const auto reader = BundleReader::open(bytes.value());
    if (!reader) {
      fail_with(reader.error());
      return;
    }
    answer(cooked, built);
    built.elapsed = edges_.clock.now() - start;
    write(built, reader.value(), bytes.value());
    // This check must be made after the facts are collected. The facts describe the cooked content
    // only if no input has changed during the build.
    if (edges_.cache == nullptr || edges_.inputs->is_torn() || failed()) return;
    put_into_cache(planned, built, std::move(bytes).value(), reach);
  }

  PackEntry pack_entry(const CookedEntry& entry) const {
    const AssetNumber asset = project_.index().find(entry.guid);
    const int level = plan_.level_of(
        entry.kind, asset == kNoAsset ? "" : project_.index().at(asset).path.extension(),
        entry.plain);
    return {entry.guid,  entry.local_id, entry.kind,
            entry.plain, level,          plan_.dictionary_of(entry.kind, level)};
  }

  struct Cached {
    ReadableBundle bundle;
    Time start;
  };

  std::optional<Cached> look_up(std::size_t index, CacheReach reach,
                                const std::stop_token& abandoned) {
    if (failed()) return std::nullopt;
    const Time start = edges_.clock.now();
    auto found = edges_.cache->find(result_.plan.bundles[index], result_.target,
                                    *plan_.decompressing(), reach, abandoned);
    if (!found) return std::nullopt;
    return Cached{std::move(*found), start};
  }

  void use_cached(std::size_t index, Cached& cached) {
    const PlannedBundle& planned = result_.plan.bundles[index];
    const CachedBundle& bundle = cached.bundle.found.bundle;
    BuiltBundle& built = result_.bundles[index];
    built.planned = index;
    built.is_cached = true;
    built.plain_bytes = bundle.plain_bytes;
    built.source_bytes = bundle.source_bytes;
    built.facts = std::move(cached.bundle.found.facts);
    {
      const std::lock_guard lock(mutex_);
      for (std::size_t i = 0; i < planned.assets.size(); ++i) {
        result_.plain_bytes_of[planned.assets[i]] = bundle.asset_bytes[i];
      }
    }
    write(built, cached.bundle.reader, bundle.file);
    built.elapsed = edges_.clock.now() - cached.start;
  }

  void put_into_cache(const PlannedBundle& planned, const BuiltBundle& built, ByteVector file,
                      CacheReach reach) {
    CachedBundle bundle{.plain_bytes = built.plain_bytes,
                        .source_bytes = built.source_bytes,
                        .asset_bytes = {},
                        .file = std::move(file)};
    {
      const std::lock_guard lock(mutex_);
      for (const AssetNumber asset : planned.assets) {
        bundle.asset_bytes.push_back(result_.plain_bytes_of[asset]);
      }
      if (!problems_.empty()) return;
    }
    edges_.cache->store(planned, bundle, built.facts, reach);
  }

  CookedAsset cook(AssetNumber asset) {
    const Time start = edges_.clock.now();
    CookedAsset cooked = cooker_.cook(asset);
    const Duration elapsed = edges_.clock.now() - start;
    std::uint64_t plain = 0;
    for (const CookedEntry& entry : cooked.entries) plain += entry.plain.size();
    const std::lock_guard lock(mutex_);
    result_.slowest.push_back({asset, elapsed});
    result_.plain_bytes_of[asset] = plain;
    std::ranges::move(cooked.problems, std::back_inserter(problems_));
    return cooked;
  }

  void write(BuiltBundle& built, const BundleReader& reader, Bytes bytes) {
    built.hash = reader.bundle_hash();
    built.file_bytes = bytes.size();
    built.name = name_of(project_, result_.plan.bundles[built.planned])
                     .value_or(BundleName::of_shared(built.hash));
    const auto path = path_of(built.name);
    Result<void> staged = path ? Result<void>() : Result<void>(fail(path.error()));
    // A bundle from a cache was packed by another build, so its blocks are not reused in other
    // bundles.
    if (path && built.is_cached) staged = edges_.output.stage(path.value(), bytes);
    if (path && !built.is_cached) {
      staged = edges_.output.stage_bundle(path.value(), reader, bytes, how_packed_);
    }
    if (!staged) fail_with(staged.error());
    edges_.reporter.advance(1, built.name.to_string());
  }

  Result<void> write_catalog() {
    auto data = fill_catalog(project_, result_, components_);
    if (!data) return fail(data.error());
    auto bytes = encode_catalog(std::move(data).value());
    if (!bytes) return fail(bytes.error());
    const auto reader = CatalogReader::open(bytes.value());
    if (!reader) return fail(reader.error());
    result_.fingerprint = reader.value().fingerprint();
    result_.catalog_bytes = bytes.value().size();
    return edges_.output.stage(AssetPath().child(folder_of(result_.target)).child(kCatalogName),
                               bytes.value());
  }

  const Project& project_;
  const std::vector<ComponentDescription>& components_;
  const BuildOptions& options_;
  const BuildEdges& edges_;
  std::vector<CookProblem>& problems_;
  AssetCooker cooker_;
  CompressionPlan plain_plan_;
  const CompressionPlan& plan_;
  HowPacked how_packed_;
  TargetBuild result_;
  // One element per planned bundle; empty without an earlier build.
  std::vector<EarlierBuild::Match> matches_;
  std::mutex mutex_;
  std::optional<Error> failure_;
  std::set<std::size_t> missed_;  ///< The large bundles that the cache server does not have.
};

}  // namespace

Result<TargetBuild> build_target(const Project& project, Target target,
                                 const std::vector<ComponentDescription>& components,
                                 const BuildOptions& options, const BuildEdges& edges,
                                 std::vector<CookProblem>& problems) {
  return TargetBuilder(project, target, components, options, edges, problems).run();
}

}  // namespace muster
