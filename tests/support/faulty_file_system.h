// A file system that fails at a chosen call.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <string>

#include "registry/base/file_system.h"

namespace muster::testing {

/// Forwards calls to another file system, except one call, or one call and all later calls. These
/// calls do nothing and fail with a chosen code. As thread-safe as the wrapped file system, but
/// calls have fixed numbers only on one thread.
///
///     FaultyFileSystem files(memory, ErrorCode::io);
///     for (std::size_t n = 0; ; ++n) {
///       files.fail_at(n);
///       ...
///       if (!files.has_failed()) break;  // there was no n-th call
///     }
class FaultyFileSystem final : public FileSystem {
 public:
  FaultyFileSystem(FileSystem& inner, ErrorCode code) : inner_(inner), code_(code) {}

  /// Restarts the count of calls at 0, and makes call `n` fail.
  void fail_at(std::size_t n) {
    calls_ = 0;
    fail_at_ = n;
    is_dead_after_ = false;
    failed_call_.clear();
  }
  /// Like `fail_at`, but all later calls also fail, as if the process died at call `n`.
  void die_at(std::size_t n) {
    fail_at(n);
    is_dead_after_ = true;
  }
  bool has_failed() const { return calls_ > fail_at_; }
  /// The call that failed, for messages. For example, `read Assets/a.prefab`.
  const std::string& failed_call() const { return failed_call_; }

  Result<FileInfo> stat(const AssetPath& path) const override {
    if (fails("stat", path)) return fail(code_, "injected");
    return inner_.stat(path);
  }
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override {
    if (fails("list", folder)) return fail(code_, "injected");
    return inner_.list(folder);
  }
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override {
    if (fails("read", path)) return fail(code_, "injected");
    return inner_.read(path, offset, max_bytes, buffer);
  }
  Result<void> write(const AssetPath& path, Bytes bytes) override {
    if (fails("write", path)) return fail(code_, "injected");
    return inner_.write(path, bytes);
  }
  /// Each move counts as a call, because a commit can fail between any two moves.
  Result<void> commit(std::span<const Move> moves) override {
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (!fails("commit", moves[i].from)) continue;
      if (i > 0) {
        if (auto done = inner_.commit(moves.first(i)); !done) return done;
      }
      return fail(code_, "injected");
    }
    return inner_.commit(moves);
  }
  Result<void> remove(const AssetPath& path) override {
    if (fails("remove", path)) return fail(code_, "injected");
    return inner_.remove(path);
  }

 private:
  bool fails(const char* what, const AssetPath& path) const {
    const std::size_t number = calls_++;
    if (number == fail_at_) failed_call_ = std::string(what) + " " + path.text();
    return number == fail_at_ || (is_dead_after_ && number > fail_at_);
  }

  FileSystem& inner_;
  ErrorCode code_;
  mutable std::atomic<std::size_t> calls_ = 0;
  std::size_t fail_at_ = std::numeric_limits<std::size_t>::max();
  bool is_dead_after_ = false;
  mutable std::string failed_call_;
};

}  // namespace muster::testing
