// Errors are not passed between threads. A helper only reports the block at which it stopped. The
// loading thread then reads that block again and gets the error. So an entry fails with its first
// damaged block, as on a single thread, and helping allocates no memory.
#include "runtime/assets/shared_blocks.h"

#include <algorithm>
#include <cassert>
#include <new>

namespace muster {

SharedBlocks::SharedBlocks(std::mutex& mutex, std::condition_variable& work_signal,
                           std::size_t threads)
    : mutex_(mutex), work_signal_(work_signal) {
  jobs_.reserve(threads);
}

bool SharedBlocks::Job::is_done(std::uint32_t block) const {
  const auto being_read = std::span(helped).first(helpers);
  return block < next && std::ranges::find(being_read, block) == being_read.end();
}

std::span<std::byte> SharedBlocks::Job::piece(std::uint32_t block) const {
  const std::size_t at = std::size_t{block} * reader.block_plain_bytes();
  return target.subspan(at, reader.block(entry, block).plain_bytes);
}

// After a block that could not be read, no later block is needed.
void SharedBlocks::read_block(Job& job, std::uint32_t block, Lock& lock,
                              Decompressor& decompressor) noexcept {
  lock.unlock();
  bool is_read = false;
  try {
    is_read =
        job.reader.read_block(job.reader.block(job.entry, block), decompressor, job.piece(block))
            .has_value();
  } catch (const std::bad_alloc&) {
    is_read = false;
  }
  lock.lock();
  if (!is_read) job.end = std::min(job.end, block);
}

std::uint32_t SharedBlocks::read(const BundleReader& reader, const BundleEntry& entry,
                                 std::span<std::byte> target, Decompressor& decompressor,
                                 ContentHasher* hasher) noexcept {
  Job job{.reader = reader, .entry = entry, .target = target, .end = entry.block_count};
  Lock lock(mutex_);
  assert(jobs_.size() < jobs_.capacity());
  jobs_.push_back(&job);
  work_signal_.notify_all();
  std::uint32_t done = 0;
  while (done < job.end) {
    if (job.is_done(done)) {
      const std::uint32_t block = done++;
      if (hasher == nullptr) continue;
      lock.unlock();
      hasher->update(job.piece(block));
      lock.lock();
    } else if (job.next < job.end) {
      read_block(job, job.next++, lock, decompressor);
    } else {
      block_signal_.wait(lock);
    }
  }
  std::erase(jobs_, &job);
  block_signal_.wait(lock, [&job] { return job.helpers == 0; });
  return done;
}

bool SharedBlocks::has_block() const { return std::ranges::any_of(jobs_, &Job::wants_help); }

void SharedBlocks::help(Lock& lock, Decompressor& decompressor) noexcept {
  const auto wanting = std::ranges::find_if(jobs_, &Job::wants_help);
  assert(wanting != jobs_.end());
  Job& job = **wanting;
  const std::uint32_t block = job.next++;
  job.helped[job.helpers++] = block;
  read_block(job, block, lock, decompressor);
  const auto mine = std::ranges::find(std::span(job.helped).first(job.helpers), block);
  *mine = job.helped[--job.helpers];
  block_signal_.notify_all();
}

}  // namespace muster
