// Each query runs Git: `git rev-parse` for commits and paths, and `git ls-tree` for all files with
// their sizes. A single `git cat-file --batch` returns the contents of all requested files. Git is
// run with English messages, because errors quote these messages.
#include "bundler/cli/git_repository.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "registry/project/reference_graph.h"
#include "registry/project/source_file.h"

namespace muster::cli {
namespace {

/// The maximum size of a list of files. The list of a repository with a million files has about 100
/// MB.
constexpr std::size_t kListBytesMax = 1ULL << 30U;
constexpr std::size_t kAnswerBytesMax = 1U << 16U;
constexpr std::size_t kRevisionBytesMax = 4096;

// The command line that runs Git in a folder, without the environment variables that a hook sets
// for another repository or path.
std::vector<std::string> git(const std::string& folder, std::vector<std::string> arguments) {
  std::vector<std::string> all = {"env"};
  for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX",
                           "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"}) {
    all.insert(all.end(), {"-u", name});
  }
  all.insert(all.end(),
             {"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "git", "--no-pager", "--no-optional-locks", "-c",
              "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C", folder});
  all.insert(all.end(), std::make_move_iterator(arguments.begin()),
             std::make_move_iterator(arguments.end()));
  return all;
}

struct Answer {
  std::string text;
  std::string errors;
  int code = 0;
};

Result<Answer> run_git(const std::string& folder, std::vector<std::string> arguments,
                       std::size_t max_bytes, std::string_view input = {}) {
  auto child = ChildProcess::start(git(folder, std::move(arguments)), ChildErrors::kept);
  if (!child) return fail(child.error());
  if (auto written = child.value().write(input); !written && !input.empty()) {
    return fail(written.error());
  }
  child.value().close_input();
  auto text = child.value().read_to_end(max_bytes);
  if (!text) return fail(text.error());
  Answer answer{std::move(text).value(), {}, child.value().wait()};
  answer.errors = child.value().errors();
  if (answer.code == 127) return fail(ErrorCode::io, "'git' cannot be run; is it installed?");
  return answer;
}

std::string without_newline(std::string_view text) {
  return std::string(text.ends_with('\n') ? text.substr(0, text.size() - 1) : text);
}

// The message of Git on one line.
std::string reason_of(const std::string& errors) {
  std::string reason;
  std::string_view rest = errors;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with("fatal: ")) line.remove_prefix(7);
    if (line.starts_with("error: ")) line.remove_prefix(7);
    if (!line.empty()) reason += (reason.empty() ? "" : " ") + std::string(line);
  }
  return reason.empty() ? "Git gave no reason" : reason;
}

tl::unexpected<Error> refused(const std::string& folder, const Answer& answer) {
  return fail(ErrorCode::io, "Git refuses '" + folder + "': " + reason_of(answer.errors));
}

Result<void> check_revision(const std::string& revision) {
  const bool has_control = std::ranges::any_of(
      revision, [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == '\x7F'; });
  if (revision.empty() || revision.size() > kRevisionBytesMax || revision.starts_with('-') ||
      has_control) {
    return fail(ErrorCode::invalid_argument, "'" + revision + "' cannot name a Git revision");
  }
  return {};
}

bool is_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// Parses a path of a tree. Returns no value for a path that a checkout cannot have.
std::optional<AssetPath> path_in(std::string_view text) {
  AssetPath path;
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find('/'));
    text.remove_prefix(std::min(text.size(), name.size() + 1));
    if (name.empty() || name == "." || name == "..") return std::nullopt;
    path = path.child(name);
  }
  return path.empty() ? std::nullopt : std::optional(path);
}

std::optional<GitEntry::Kind> kind_of_mode(std::string_view mode) {
  if (mode.starts_with("100")) return GitEntry::Kind::file;
  if (mode == "120000") return GitEntry::Kind::link;
  if (mode == "160000") return GitEntry::Kind::submodule;
  return std::nullopt;
}

// Parses the output of `git ls-tree`. Each entry is "MODE TYPE ID SIZE\tPATH\0"; the size is
// missing if it was not requested.
Result<GitTree> read_tree(std::string_view text, bool has_sizes) {
  GitTree tree;
  while (!text.empty()) {
    const std::string_view record = text.substr(0, text.find('\0'));
    text.remove_prefix(std::min(text.size(), record.size() + 1));
    const std::size_t tab = record.find('\t');
    if (tab == std::string_view::npos) return fail(ErrorCode::malformed, "Git lists no tree");
    const std::string_view head = record.substr(0, tab);
    const auto kind = kind_of_mode(head.substr(0, head.find(' ')));
    const auto path = path_in(record.substr(tab + 1));
    if (!kind || !path) continue;
    const std::size_t id_at = head.find(' ', head.find(' ') + 1) + 1;
    GitEntry entry{
        *kind, std::string(head.substr(id_at, head.find(' ', id_at) - id_at)), {}, false};
    const std::string_view size = head.substr(head.rfind(' ') + 1);
    std::uint64_t bytes = 0;
    const auto read = std::from_chars(size.data(), size.data() + size.size(), bytes);
    if (has_sizes && read.ec == std::errc()) entry.bytes = bytes;
    tree.emplace(*path, std::move(entry));
  }
  return tree;
}

// True for files whose content a project reads. For all other files (for example pictures and
// sounds), a project needs only the size.
bool is_read(const AssetPath& path) {
  constexpr std::array<std::string_view, 5> kExtensions = {"cs", "json", "meta", "yaml", "yml"};
  return holds_references(path) ||
         std::ranges::find(kExtensions, lower_ascii(path.extension())) != kExtensions.end();
}

}  // namespace

Result<std::unique_ptr<GitRepository>> GitRepository::open(const std::string& folder,
                                                           const std::string& revision) {
  if (auto good = check_revision(revision); !good) return fail(good.error());
  const auto prefix = run_git(folder, {"rev-parse", "--show-prefix"}, kAnswerBytesMax);
  if (!prefix) return fail(prefix.error());
  if (prefix.value().code != 0) {
    if (prefix.value().errors.find("not a git repository") == std::string::npos) {
      return refused(folder, prefix.value());
    }
    return fail(ErrorCode::not_found, "'" + folder + "' is not in a Git repository");
  }
  const auto commit =
      run_git(folder, {"rev-parse", "--verify", "--end-of-options", revision + "^{commit}"},
              kAnswerBytesMax);
  if (!commit) return fail(commit.error());
  const std::string id = without_newline(commit.value().text);
  const bool is_id = id.size() >= 40 && is_hex(id);
  if (commit.value().code != 0 || !is_id) {
    const std::string reason = reason_of(commit.value().errors);
    const bool is_unknown = reason.starts_with("Needed a single revision");
    return fail(ErrorCode::not_found,
                "'" + revision + "' is neither a build nor a revision of the Git repository of '" +
                    folder + "'" + (is_unknown ? "" : ": " + reason));
  }
  std::string folder_prefix = without_newline(prefix.value().text);
  const auto root = run_git(folder, {"rev-parse", "--verify", "--quiet", id + ":" + folder_prefix},
                            kAnswerBytesMax);
  if (!root) return fail(root.error());
  if (root.value().code != 0) {
    return fail(ErrorCode::not_found,
                "revision '" + revision + "' has no folder '" + folder_prefix + "'");
  }
  std::string tree = without_newline(root.value().text);
  return std::unique_ptr<GitRepository>(
      new GitRepository(folder, std::move(folder_prefix), id, std::move(tree)));
}

// The name of the remote of a partial clone; no value for a complete clone.
std::optional<std::string> GitRepository::promisor() const {
  const auto answer =
      run_git(folder_, {"config", "--get-regexp", "^remote\\..*\\.promisor$"}, kAnswerBytesMax);
  if (!answer || answer.value().code != 0) return std::nullopt;
  constexpr std::string_view kBegin = "remote.";
  constexpr std::string_view kEnd = ".promisor true";
  const std::string line = answer.value().text.substr(0, answer.value().text.find('\n'));
  if (!line.starts_with(kBegin) || !line.ends_with(kEnd)) return std::nullopt;
  return line.substr(kBegin.size(), line.size() - kBegin.size() - kEnd.size());
}

Result<GitTree> GitRepository::list() {
  const auto remote = promisor();
  std::vector<std::string> arguments = {"ls-tree", "-r", "-z"};
  // In a partial clone, sizes are not requested, because the size of each missing blob would be a
  // separate request to the server.
  if (!remote) arguments.emplace_back("-l");
  arguments.insert(arguments.end(), {"--full-tree", root_});
  const auto listed = run_git(folder_, std::move(arguments), kListBytesMax);
  if (!listed) return fail(listed.error());
  if (listed.value().code != 0) return refused(folder_, listed.value());
  auto tree = read_tree(listed.value().text, !remote);
  if (!tree || !remote) return tree;
  if (auto brought = bring(tree.value(), *remote); !brought) return fail(brought.error());
  return tree;
}

Result<void> GitRepository::bring(GitTree& tree, const std::string& remote) {
  const auto missing =
      run_git(folder_, {"rev-list", "--objects", "--no-object-names", "--missing=print", root_},
              kListBytesMax);
  if (!missing) return fail(missing.error());
  if (missing.value().code != 0) return refused(folder_, missing.value());
  std::vector<std::string_view> absent;
  for (std::string_view rest = missing.value().text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.starts_with('?')) absent.push_back(line.substr(1));
  }
  std::ranges::sort(absent);
  std::string wanted;
  for (auto& [path, entry] : tree) {
    if (!std::ranges::binary_search(absent, std::string_view(entry.id))) continue;
    const bool is_wanted = entry.kind == GitEntry::Kind::link || is_read(path);
    entry.is_absent = !is_wanted;
    if (is_wanted) wanted += entry.id + "\n";
  }
  if (wanted.empty()) return {};
  const auto fetched =
      run_git(folder_,
              {"-c", "fetch.negotiationAlgorithm=noop", "fetch", remote, "--no-tags",
               "--no-write-fetch-head", "--recurse-submodules=no", "--filter=blob:none", "--stdin"},
              kAnswerBytesMax, wanted);
  if (!fetched) return fail(fetched.error());
  if (fetched.value().code == 0) return {};
  return fail(ErrorCode::io, "the missing objects of this partial clone cannot be fetched from '" +
                                 remote + "': " + reason_of(fetched.value().errors));
}

Result<std::string> GitRepository::query_object(std::optional<ChildProcess>& process,
                                                const char* option, const GitEntry& entry,
                                                const std::string& path) {
  if (!process) {
    auto started = ChildProcess::start(git(folder_, {"cat-file", option}), ChildErrors::kept);
    if (!started) return fail(started.error());
    process.emplace(std::move(started).value());
  }
  const auto failed = [&](const std::string& why) {
    return fail(ErrorCode::io, "Git cannot read '" + path + "': " + why);
  };
  if (!process->write(entry.id + "\n")) {
    (void)process->wait();
    return failed(reason_of(process->errors()));
  }
  auto line = process->read_line();  // The line is "ID blob SIZE" or "ID missing".
  if (!line) {
    (void)process->wait();
    const std::string reason = reason_of(process->errors());
    process.reset();
    return failed(reason);
  }
  const std::string head = entry.id + " blob ";
  if (!line.value().starts_with(head)) return failed(line.value());
  return line.value().substr(head.size());
}

namespace {

Result<std::uint64_t> number_in(const std::string& text) {
  std::uint64_t bytes = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (read.ec != std::errc()) return fail(ErrorCode::malformed, "Git gives no size");
  return bytes;
}

}  // namespace

Result<std::uint64_t> GitRepository::size_of(const GitEntry& entry, const std::string& path) {
  if (entry.bytes) return *entry.bytes;
  const auto size = query_object(sizes_, "--batch-check", entry, path);
  if (!size) return fail(size.error());
  return number_in(size.value());
}

Result<Bytes> GitRepository::read(const GitEntry& entry, const std::string& path) {
  const auto size = query_object(contents_, "--batch", entry, path);
  if (!size) return fail(size.error());
  const auto bytes = number_in(size.value());
  if (!bytes) return fail(bytes.error());
  // One more byte for the newline at the end.
  content_.resize(static_cast<std::size_t>(bytes.value()) + 1);
  if (auto got = contents_->read_exactly(content_); !got) return fail(got.error());
  return Bytes(content_).first(content_.size() - 1);
}

std::string GitRepository::work_tree() const {
  const auto top = run_git(folder_, {"rev-parse", "--show-toplevel"}, kAnswerBytesMax);
  if (!top || top.value().code != 0) return {};
  return without_newline(top.value().text);
}

bool GitRepository::ignores(const std::string& path) const {
  const auto answer = run_git(folder_, {"check-ignore", "--quiet", "--", path}, kAnswerBytesMax);
  return answer && answer.value().code == 0;
}

std::string GitRepository::common_folder() const {
  const auto common = run_git(folder_, {"rev-parse", "--path-format=absolute", "--git-common-dir"},
                              kAnswerBytesMax);
  if (!common || common.value().code != 0) return {};
  return without_newline(common.value().text);
}

}  // namespace muster::cli
