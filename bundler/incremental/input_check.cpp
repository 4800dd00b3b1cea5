// Checks many names of a folder together, and several folders in parallel. The stamp of a folder
// changes when a name is added or removed, so the list of names is read only if the stamp has
// changed.
#include "bundler/incremental/input_check.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <string_view>

#include "registry/base/parallel.h"

namespace muster {
namespace {

constexpr std::size_t kNamesPerStep = 128;

// Some inputs of one folder, which one thread checks.
struct Step {
  std::size_t folder = 0;
  std::size_t first = 0;
  std::size_t count = 0;
};

class InputChecker {
 public:
  InputChecker(const FileReader& files, const FileStamps& stamps)
      : files_(files), now_ns_(stamps.now_ns()) {}

  /// Checks one input and updates its stamp. Returns false if the content has changed.
  bool check(const AssetPath& path, const FileStamp& now, StateInput& input, ByteVector& buffer) {
    const bool is_unchanged = now == input.stamp;
    if (is_unchanged && (input.is_settled || !now.exists)) return true;
    const bool is_folder = now.kind == FileKind::folder;
    if (now.exists != input.stamp.exists || now.kind != input.stamp.kind) return false;
    // The state does not record which part was read, so a file with another stamp counts as
    // changed.
    if (input.use == InputUse::part) return false;
    if (input.use == InputUse::stat) {
      if (!is_folder && now.size_bytes != input.stamp.size_bytes) return false;
    } else if (!has_hash(path, is_folder, input.hash, buffer)) {
      return false;
    }
    const bool settles = is_settled(now, now_ns_);
    if (!is_unchanged || settles) has_news = true;
    input.stamp = now;
    input.is_settled = settles;
    return true;
  }

  std::atomic<std::size_t> hashed = 0;
  std::atomic<bool> has_news = false;

 private:
  bool has_hash(const AssetPath& path, bool is_folder, const ContentHash& hash,
                ByteVector& buffer) {
    ++hashed;
    if (is_folder) {
      const auto entries = files_.list(path);
      return entries && hash_of_names(entries.value()) == hash;
    }
    const auto bytes = files_.read(path, 0, std::numeric_limits<std::uint64_t>::max(), buffer);
    return bytes && hash_bytes(bytes.value()) == hash;
  }

  const FileReader& files_;
  std::int64_t now_ns_;
};

std::vector<Step> steps_over(const std::vector<StateFolder>& folders) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const std::size_t count = folders[i].inputs.size();
    for (std::size_t first = 0; first < count; first += kNamesPerStep) {
      steps.push_back({i, first, std::min(kNamesPerStep, count - first)});
    }
  }
  return steps;
}

bool is_untouched(const StateOutput& output, const FileStamp& stamp) {
  return stamp.exists && stamp.kind == FileKind::file && stamp.size_bytes == output.size_bytes &&
         stamp.modified_ns == output.modified_ns && stamp.identity == output.identity;
}

}  // namespace

InputCheck check_inputs(std::vector<StateFolder>& folders, const FileReader& files,
                        const FileStamps& stamps, unsigned jobs) {
  InputCheck check;
  const std::vector<Step> steps = steps_over(folders);
  std::vector<std::vector<AssetPath>> changed(steps.size());
  std::vector<ByteVector> buffers(std::max(jobs, 1U));
  InputChecker checker(files, stamps);
  parallel_for(steps.size(), jobs, {}, [&](std::size_t i, unsigned worker) {
    StateFolder& folder = folders[steps[i].folder];
    const auto inputs = std::span(folder.inputs).subspan(steps[i].first, steps[i].count);
    std::vector<std::string_view> names;
    for (const StateInput& input : inputs) names.push_back(input.name);
    std::vector<FileStamp> now(names.size());
    stamps.stamps_in(folder.path, names, now);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      StateInput& input = inputs[k];
      if (now[k] == input.stamp && input.is_settled) continue;
      const AssetPath path = input.name.empty() ? folder.path : folder.path.child(input.name);
      if (!checker.check(path, now[k], input, buffers[worker])) changed[i].push_back(path);
    }
  });
  for (const Step& step : steps) check.input_count += step.count;
  for (auto& paths : changed) std::ranges::move(paths, std::back_inserter(check.changed));
  std::ranges::sort(check.changed);
  check.has_new_stamps = checker.has_news;
  check.hashed = checker.hashed;
  return check;
}

bool are_outputs_untouched(const BuildState& state, TargetSet targets, const FileStamps& stamps) {
  std::vector<const StateOutput*> outputs{&state.report};
  for (const StateTarget& target : state.targets) {
    if (!targets.has(target.target)) continue;
    for (const StateOutput& output : target.outputs) outputs.push_back(&output);
  }
  // The outputs are sorted by path, so the files of one folder are adjacent.
  for (std::size_t first = 0; first < outputs.size();) {
    const auto folder_of = [](const StateOutput* output) {
      const std::string_view path = output->path;
      const std::size_t slash = path.rfind('/');
      return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
    };
    const std::string_view folder = folder_of(outputs[first]);
    std::vector<std::string_view> names;
    std::size_t last = first;
    for (; last < outputs.size() && folder_of(outputs[last]) == folder; ++last) {
      const std::string_view path = outputs[last]->path;
      names.push_back(path.substr(folder.empty() ? 0 : folder.size() + 1));
    }
    const auto parsed = AssetPath::parse(folder);
    if (!parsed) return false;
    std::vector<FileStamp> now(names.size());
    stamps.stamps_in(parsed.value(), names, now);
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (!is_untouched(*outputs[first + i], now[i])) return false;
    }
    first = last;
  }
  return true;
}

}  // namespace muster
