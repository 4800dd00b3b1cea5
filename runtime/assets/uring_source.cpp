// Files are opened with normal system calls, which are fast because of the kernel's name cache.
// Only the reads use the ring. If a read returns too few bytes, another read continues. Each source
// has one ring, which a mutex protects. One ring per thread would not be faster, because all
// threads use the same disk.
#include "runtime/assets/uring_source.h"

#include <utility>

#include "runtime/assets/disk_source.h"
#include "runtime/assets/read_progress.h"

#ifdef MUSTER_URING
#include <liburing.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <mutex>
#include <new>
#include <optional>
#endif

namespace muster {

#ifdef MUSTER_URING

namespace {

using Opened = Result<std::unique_ptr<BundleFile>>;

// The maximum size of one operation: the kernel's limit is just below 2 GiB.
constexpr std::size_t kMaxReadBytes = std::size_t{1} << 30U;
// The maximum number of consecutive attempts that the kernel refuses because it is busy.
constexpr int kMaxRefusals = 10'000;

// One file that is being read. The kernel uses the address of this object, so it must not move.
struct Reading {
  DiskFile file;
  std::unique_ptr<PooledFile> pooled;
  ReadProgress progress;
  std::size_t request = 0;  ///< The index of the request.

  std::span<std::byte> rest() { return pooled->target().subspan(progress.done_bytes()); }
};

void prepare_read(io_uring& ring, Reading& reading) {
  io_uring_sqe* const entry = io_uring_get_sqe(&ring);
  // The ring has as many entries as there are readings, and an entry is free again after its
  // submission.
  assert(entry != nullptr);
  const std::span<std::byte> rest = reading.rest();
  io_uring_prep_read(entry, reading.file.descriptor(), rest.data(),
                     static_cast<unsigned>(std::min(rest.size(), kMaxReadBytes)),
                     reading.progress.done_bytes());
  io_uring_sqe_set_data(entry, &reading);
}

// Processes a completed operation. Returns the opened file or an error, or no value if the rest of
// the file was requested.
std::optional<Opened> outcome_of(io_uring& ring, Reading& reading, int result) {
  switch (reading.progress.add(result)) {
    case ReadProgress::Step::whole:
      return std::move(reading.pooled);
    case ReadProgress::Step::cut_short:
      return fail(ErrorCode::truncated,
                  "'" + reading.file.full_path() + "' was truncated while it was read");
    case ReadProgress::Step::failed:
      return fail_errno(-result, "cannot read '" + reading.file.full_path() + "'");
    case ReadProgress::Step::read_again:
      break;
  }
  prepare_read(ring, reading);
  return std::nullopt;
}

// Submits the prepared operations and waits until one of them has ended. Returns false if the ring
// cannot be used any more.
bool submit_and_wait(io_uring& ring) {
  for (int refusals = 0; refusals < kMaxRefusals; ++refusals) {
    const int submitted = io_uring_submit_and_wait(&ring, 1);
    if (submitted >= 0 || io_uring_cq_ready(&ring) > 0) return true;
    if (submitted != -EINTR && submitted != -EAGAIN && submitted != -EBUSY) return false;
  }
  return false;
}

// The reads of one `open_all`. The destructor frees no buffer that the kernel may still write.
class ReadBatch {
 public:
  ReadBatch(io_uring& ring, const std::string& folder, const std::shared_ptr<MemoryPool>& memory,
            std::span<const OpenRequest> requests)
      : ring_(ring),
        folder_(folder),
        memory_(memory),
        requests_(requests),
        results_(requests.size()),
        readings_(std::make_unique<std::vector<Reading>>(
            std::min<std::size_t>(requests.size(), UringSource::kReadsInFlight))) {
    idle_.reserve(readings_->size());
    for (Reading& reading : *readings_) idle_.push_back(&reading);
  }
  ~ReadBatch() { drain(); }
  ReadBatch(const ReadBatch&) = delete;
  ReadBatch& operator=(const ReadBatch&) = delete;

  // Reads all files. Returns false if the ring failed; then some files were not read.
  bool run() {
    while (next_ < requests_.size() || in_flight() > 0) {
      for (; next_ < requests_.size() && !idle_.empty(); ++next_) begin(next_);
      if (in_flight() == 0) continue;
      if (!submit_and_wait(ring_)) return false;
      while (Reading* const reading = next_completed()) finish_read(*reading);
    }
    return true;
  }

  // The results by request; empty for a file that was not read.
  std::vector<std::optional<Opened>> drain_results() { return std::move(results_); }

 private:
  std::size_t in_flight() const { return readings_->size() - idle_.size(); }

  void begin(std::size_t request) {
    try {
      const auto& [path, max_bytes] = requests_[request];
      Result<DiskFile> file = open_for_source(folder_, path, max_bytes);
      if (!file) {
        results_[request] = fail(file.error());
        return;
      }
      Result<std::unique_ptr<PooledFile>> pooled =
          PooledFile::make(memory_, file.value().size_bytes(), file.value().full_path());
      if (!pooled || pooled.value()->target().empty()) {
        results_[request] = std::move(pooled);
        return;
      }
      Reading& reading = *idle_.back();
      const ReadProgress progress(pooled.value()->target().size());
      reading = {std::move(file.value()), std::move(pooled.value()), progress, request};
      idle_.pop_back();
      prepare_read(ring_, reading);
    } catch (const std::bad_alloc&) {
      results_[request] = fail_without_memory();
    }
  }

  // The next reading that has ended, or null if none has ended. The result of the reading is in
  // `completed_`.
  Reading* next_completed() {
    io_uring_cqe* completion = nullptr;
    if (io_uring_peek_cqe(&ring_, &completion) != 0) return nullptr;
    completed_ = completion->res;
    auto* const reading = static_cast<Reading*>(io_uring_cqe_get_data(completion));
    io_uring_cqe_seen(&ring_, completion);
    return reading;
  }

  void finish_read(Reading& reading) {
    const std::size_t request = reading.request;
    try {
      results_[request] = outcome_of(ring_, reading, completed_);
    } catch (const std::bad_alloc&) {
      results_[request] = fail_without_memory();
    }
    if (results_[request]) set_idle(reading);
  }

  void set_idle(Reading& reading) {
    reading = {};
    idle_.push_back(&reading);
  }

  void drain() {
    while (in_flight() > 0) {
      if (!submit_and_wait(ring_)) break;
      while (Reading* const reading = next_completed()) set_idle(*reading);
    }
    // A failed ring does not report which buffers the kernel still uses. So the buffers are leaked;
    // freeing them could let the kernel overwrite other data.
    if (in_flight() > io_uring_sq_ready(&ring_)) (void)readings_.release();
  }

  io_uring& ring_;
  const std::string& folder_;
  const std::shared_ptr<MemoryPool>& memory_;
  std::span<const OpenRequest> requests_;
  std::vector<std::optional<Opened>> results_;
  std::unique_ptr<std::vector<Reading>> readings_;
  std::vector<Reading*> idle_;
  std::size_t next_ = 0;
  int completed_ = 0;
};

bool can_read(io_uring& ring) {
  io_uring_probe* const probe = io_uring_get_probe_ring(&ring);
  if (probe == nullptr) return false;
  const bool can = io_uring_opcode_supported(probe, IORING_OP_READ) != 0;
  io_uring_free_probe(probe);
  return can;
}

}  // namespace

struct UringSource::Ring {
  ~Ring() {
    if (is_set_up) io_uring_queue_exit(&ring);
  }
  std::mutex mutex;
  io_uring ring{};
  bool is_set_up = false;
  bool is_broken = false;  ///< True after a failure. The ring is then not used again, because it
                           ///< may still have operations.
};

Result<std::unique_ptr<UringSource>> UringSource::open(std::string folder,
                                                       std::shared_ptr<MemoryPool> memory) {
  auto ring = std::make_unique<Ring>();
  const int error = io_uring_queue_init(kReadsInFlight, &ring->ring, 0);
  ring->is_set_up = error == 0;
  if (error != 0 || !can_read(ring->ring)) {
    return fail(
        ErrorCode::unsupported,
        "the kernel refuses io_uring" +
            (error != 0 ? fail_errno(-error, "").value().message
                        : std::string(": this kernel is too old to read files with io_uring")) +
            "; use the source 'pread' or 'mapped' instead");
  }
  return std::unique_ptr<UringSource>(
      new UringSource(std::move(folder), std::move(memory), std::move(ring)));
}

std::vector<Opened> UringSource::open_all(std::span<const OpenRequest> requests) const {
  std::vector<std::optional<Opened>> read(requests.size());
  {
    const std::lock_guard<std::mutex> lock(ring_->mutex);
    if (!ring_->is_broken) {
      ReadBatch batch(ring_->ring, folder_, memory_, requests);
      ring_->is_broken = !batch.run();
      read = batch.drain_results();
    }
  }
  std::vector<Opened> results;
  results.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto& [path, max_bytes] = requests[i];
    results.push_back(read[i] ? std::move(*read[i])
                              : read_for_source(folder_, path, max_bytes, memory_));
  }
  return results;
}

#else

struct UringSource::Ring {};

Result<std::unique_ptr<UringSource>> UringSource::open(std::string /*folder*/,
                                                       std::shared_ptr<MemoryPool> /*memory*/) {
  return fail(
      ErrorCode::unsupported,
      "this program was built without liburing; use the source 'pread' or 'mapped' instead");
}

std::vector<Result<std::unique_ptr<BundleFile>>> UringSource::open_all(
    std::span<const OpenRequest> requests) const {
  return BundleSource::open_all(requests);
}

#endif

UringSource::UringSource(std::string folder, std::shared_ptr<MemoryPool> memory,
                         std::unique_ptr<Ring> ring)
    : folder_(std::move(folder)), memory_(std::move(memory)), ring_(std::move(ring)) {}

UringSource::~UringSource() = default;

std::optional<std::uint64_t> UringSource::file_bytes(std::string_view path) const {
  return size_for_source(folder_, path);
}

Result<std::unique_ptr<BundleFile>> UringSource::open(std::string_view path,
                                                      std::uint64_t max_bytes) const {
  const OpenRequest request{.path = path, .max_bytes = max_bytes};
  return std::move(open_all({&request, 1}).front());
}

}  // namespace muster
