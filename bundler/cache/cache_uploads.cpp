// A store may call `done` before `begin_put` returns, so the lock is released during that call.
// Only one thread at a time starts uploads. Other threads only record their changes, and that
// thread handles these changes. This also limits the depth of the call stack.
#include "bundler/cache/cache_uploads.h"

#include <cassert>

namespace muster {

bool CacheUploads::has_room_for(std::uint64_t bytes) const {
  return bytes_ == 0 || (bytes <= kBytesMax && bytes_ <= kBytesMax - bytes);
}

void CacheUploads::add(Blobs blobs, Ended ended) {
  assert(!blobs.empty());
  const auto upload = std::make_shared<Upload>();
  upload->blobs = std::move(blobs);
  upload->ended = std::move(ended);
  for (const auto& [key, bytes] : upload->blobs) upload->bytes += bytes.size();
  std::unique_lock lock(mutex_);
  if (!has_room_for(upload->bytes)) {
    lock.unlock();
    return upload->ended(fail(ErrorCode::cancelled, "the uploads need too much memory"));
  }
  bytes_ += upload->bytes;
  waiting_.push_back(upload);
  start_all(lock);
}

void CacheUploads::start_all(std::unique_lock<std::mutex>& lock) {
  if (!is_starting_) {
    is_starting_ = true;
    while (const std::shared_ptr<Upload> upload = next()) {
      lock.unlock();
      auto& [key, bytes] = upload->blobs[upload->stored];
      store_.begin_put(key, std::move(bytes), abandoned_.get_token(),
                       [this, upload](const Result<void>& put) { end_put(upload, put); });
      lock.lock();
    }
    is_starting_ = false;
  }
  changed_.notify_all();
}

std::shared_ptr<CacheUploads::Upload> CacheUploads::next() {
  std::shared_ptr<Upload> upload;
  if (!ready_.empty()) {
    upload = std::move(ready_.front());
    ready_.pop_front();
  } else if (!waiting_.empty() && running_ < running_max_) {
    upload = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
  }
  return upload;
}

void CacheUploads::end_put(const std::shared_ptr<Upload>& upload, const Result<void>& put) {
  const bool has_ended = !put || ++upload->stored == upload->blobs.size();
  if (has_ended) upload->ended(put);
  std::unique_lock lock(mutex_);
  if (put) running_max_ = kUploadsMax;
  if (has_ended) {
    --running_;
    bytes_ -= upload->bytes;
  } else {
    ready_.push_back(upload);
  }
  start_all(lock);
}

void CacheUploads::give_up() {
  std::deque<std::shared_ptr<Upload>> dropped;
  {
    const std::lock_guard lock(mutex_);
    dropped.swap(waiting_);
    for (const auto& upload : dropped) bytes_ -= upload->bytes;
  }
  for (const auto& upload : dropped) {
    upload->ended(fail(ErrorCode::cancelled, "the upload was given up"));
  }
}

void CacheUploads::finish(Duration patience, const std::stop_token& stop) {
  const auto is_idle = [this] { return running_ == 0 && waiting_.empty() && !is_starting_; };
  {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, stop, patience, is_idle)) return;
  }
  give_up();
  abandoned_.request_stop();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, is_idle);
}

}  // namespace muster
