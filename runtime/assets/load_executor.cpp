#include "runtime/assets/load_executor.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <condition_variable>
#include <iterator>
#include <list>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "runtime/assets/dictionary_loading.h"

namespace muster {
namespace {

// A thread loads about this number of small bundles in one frame.
constexpr std::uint32_t kLoadsPerThread = 128;

// Removes the order for a bundle. Returns false if the queue has no such order.
bool remove_waiting(std::deque<LoadOrder>& orders, std::uint32_t bundle) {
  const auto found = std::ranges::find(orders, bundle, &LoadOrder::bundle);
  if (found == orders.end()) return false;
  orders.erase(found);
  return true;
}

void move_to(std::vector<FinishedLoad>& from, std::vector<FinishedLoad>& out) {
  out.insert(out.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  from.clear();
}

Result<void> read_all(const CatalogReader& catalog, const LoadOrder& order,
                      Decompressor& decompressor, MemoryPool* memory, SharedBlocks* shared,
                      OpenedBundle& opened) {
  const std::uint64_t whole_bytes = opened.whole_memory_bytes();
  const auto refuse = [&](ErrorCode code, const std::string& reason) {
    return fail(code, "bundle " + describe_bundle(catalog, order.bundle) + " " + reason);
  };
  if (whole_bytes > order.memory_max_bytes) {
    return refuse(ErrorCode::limit_exceeded, "takes " + std::to_string(whole_bytes) +
                                                 " bytes, and its reservation has " +
                                                 std::to_string(order.memory_max_bytes));
  }
  std::optional<MemoryPool> own;
  if (memory == nullptr) memory = &own.emplace();
  for (std::uint32_t i = 0; i < opened.plain.size(); ++i) {
    Result<void> entry = read_entry(opened, i, decompressor, *memory, shared);
    if (entry) continue;
    const bool is_damaged = entry.error().code != ErrorCode::limit_exceeded;
    return refuse(entry.error().code, (is_damaged ? "is damaged: " : "") + entry.error().message);
  }
  return {};
}

/// Opens one file. If there is not enough memory, only this file fails.
Result<std::unique_ptr<BundleFile>> open_alone(const BundleSource& source,
                                               const CatalogReader& catalog,
                                               std::uint32_t bundle) noexcept {
  try {
    return open_file(source, catalog, bundle);
  } catch (const std::bad_alloc&) {
    return fail_without_memory();
  }
}

}  // namespace

FinishedLoad load_whole(const BundleSource& source, const CatalogReader& catalog,
                        const LoadOrder& order, Decompressor& decompressor, MemoryPool* memory,
                        SharedBlocks* shared) {
  return load_opened(source, catalog, order, open_alone(source, catalog, order.bundle),
                     decompressor, memory, shared);
}

// Catches std::bad_alloc, because a bundle may need more memory than exists and the loading threads
// do not catch exceptions.
FinishedLoad load_opened(const BundleSource& source, const CatalogReader& catalog,
                         const LoadOrder& order, Result<std::unique_ptr<BundleFile>> file,
                         Decompressor& decompressor, MemoryPool* memory, SharedBlocks* shared) {
  std::uint64_t whole_bytes = 0;
  try {
    FinishedLoad load{
        .bundle = order.bundle,
        .result = verify_opened(source, catalog, order.bundle, std::move(file)),
        .whole_bytes = 0,
    };
    if (!load.result) return load;
    whole_bytes = load.whole_bytes = load.result.value().whole_memory_bytes();
    Result<void> read = read_all(catalog, order, decompressor, memory, shared, load.result.value());
    if (!read) load.result = fail(read.error());
    return load;
  } catch (const std::bad_alloc&) {
    return {.bundle = order.bundle, .result = fail_without_memory(), .whole_bytes = whole_bytes};
  }
}

Decompressor make_decompressor(const BundleSource& source, const CatalogReader& catalog,
                               std::shared_ptr<const DictionarySet> dictionaries) {
  Decompressor decompressor;
  if (dictionaries == nullptr) {
    auto loaded = load_dictionaries(source, catalog);
    if (loaded) dictionaries = std::move(loaded.value());
  }
  decompressor.use(std::move(dictionaries));
  return decompressor;
}

/// The threads, and the data that they share with the caller's thread.
class ThreadedLoads::Crew {
 public:
  Crew(const BundleSource& source, const CatalogReader& catalog, std::uint32_t threads,
       std::shared_ptr<MemoryPool> memory, std::shared_ptr<const DictionarySet> dictionaries);
  ~Crew();

  void start(std::span<const LoadOrder> orders);
  bool cancel(std::uint32_t bundle);
  void collect(std::vector<FinishedLoad>& out);
  void wait();

 private:
  struct OpenedFile {
    LoadOrder order;
    Result<std::unique_ptr<BundleFile>> file;
  };
  using Lock = std::unique_lock<std::mutex>;

  void work(Decompressor& decompressor);
  bool has_work() const;
  bool has_load() const;
  bool is_to_open() const;
  std::list<OpenedFile> drain_started();
  void open_next(Lock& lock);
  void load_next(Lock& lock, Decompressor& decompressor);
  void load_opened_next(Lock& lock, Decompressor& decompressor);
  SharedBlocks* shared() { return threads_.size() > 1 ? &shared_ : nullptr; }
  void stop();

  const BundleSource& source_;
  const CatalogReader catalog_;
  const std::shared_ptr<MemoryPool> memory_;
  std::mutex mutex_;
  std::condition_variable started_signal_;
  std::condition_variable finished_signal_;
  SharedBlocks shared_;
  std::deque<LoadOrder> started_;
  std::list<OpenedFile> opened_;  ///< Files that were opened together and are not loaded yet.
  bool is_opening_ = false;
  std::vector<FinishedLoad> finished_;
  std::uint32_t running_ = 0;
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;
};

ThreadedLoads::ThreadedLoads(const BundleSource& source, const CatalogReader& catalog,
                             std::uint32_t threads, std::shared_ptr<MemoryPool> memory,
                             std::shared_ptr<const DictionarySet> dictionaries)
    : is_running_(catalog.bundle_count()),
      thread_count_(threads),
      process_(::getpid()),
      crew_(std::make_unique<Crew>(source, catalog, threads, std::move(memory),
                                   std::move(dictionaries))) {}

// In a child process made by `fork`, joining a thread, or destroying a condition variable that has
// waiting threads, never ends. So the child process does not free the crew.
ThreadedLoads::~ThreadedLoads() {
  if (!is_of_this_process()) static_cast<void>(crew_.release());
}

bool ThreadedLoads::is_of_this_process() const { return process_ == ::getpid(); }

void ThreadedLoads::start(std::span<const LoadOrder> orders) {
  if (is_of_this_process()) crew_->start(orders);
  for (const LoadOrder& order : orders) is_running_[order.bundle] = true;
}

bool ThreadedLoads::cancel(std::uint32_t bundle) {
  const bool is_cancelled =
      is_of_this_process() ? crew_->cancel(bundle) : bool{is_running_[bundle]};
  if (is_cancelled) is_running_[bundle] = false;
  return is_cancelled;
}

void ThreadedLoads::collect(std::vector<FinishedLoad>& out) {
  const std::size_t before = out.size();
  if (is_of_this_process()) {
    crew_->collect(out);
    for (std::size_t i = before; i < out.size(); ++i) is_running_[out[i].bundle] = false;
    return;
  }
  for (std::uint32_t bundle = 0; bundle < is_running_.size(); ++bundle) {
    if (!is_running_[bundle]) continue;
    out.push_back({.bundle = bundle,
                   .result = fail(ErrorCode::unsupported,
                                  "the loading threads do not exist in a forked process: open "
                                  "another store in it"),
                   .whole_bytes = 0});
    is_running_[bundle] = false;
  }
}

std::uint32_t ThreadedLoads::parallel_loads() const { return kLoadsPerThread * thread_count_; }

void ThreadedLoads::wait() {
  if (is_of_this_process()) crew_->wait();
}

ThreadedLoads::Crew::Crew(const BundleSource& source, const CatalogReader& catalog,
                          std::uint32_t threads, std::shared_ptr<MemoryPool> memory,
                          std::shared_ptr<const DictionarySet> dictionaries)
    : source_(source),
      catalog_(catalog),
      memory_(std::move(memory)),
      shared_(mutex_, started_signal_, threads) {
  assert(threads >= 1);
  threads_.reserve(threads);
  try {
    for (std::uint32_t i = 0; i < threads; ++i) {
      Decompressor own = make_decompressor(source, catalog, dictionaries);
      // The other threads use the dictionaries of the first thread.
      dictionaries = own.dictionaries();
      threads_.emplace_back([this, own = std::move(own)]() mutable { work(own); });
    }
  } catch (...) {
    stop();  // Stops the threads that were started, because a running thread must not be destroyed.
    throw;
  }
}

ThreadedLoads::Crew::~Crew() { stop(); }

void ThreadedLoads::Crew::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  started_signal_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadedLoads::Crew::start(std::span<const LoadOrder> orders) {
  if (orders.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    // Reserves here, because the loading threads must not throw.
    finished_.reserve(running_ + orders.size());
    started_.insert(started_.end(), orders.begin(), orders.end());
    running_ += static_cast<std::uint32_t>(orders.size());
  }
  if (orders.size() == 1) return started_signal_.notify_one();
  started_signal_.notify_all();
}

bool ThreadedLoads::Crew::cancel(std::uint32_t bundle) {
  const std::lock_guard lock(mutex_);
  const auto is_wanted = [bundle](const OpenedFile& file) { return file.order.bundle == bundle; };
  if (!remove_waiting(started_, bundle) && std::erase_if(opened_, is_wanted) == 0) return false;
  --running_;
  return true;
}

void ThreadedLoads::Crew::collect(std::vector<FinishedLoad>& out) {
  const std::lock_guard lock(mutex_);
  const auto count = static_cast<std::uint32_t>(finished_.size());
  move_to(finished_, out);  // If this throws, `finished_` is unchanged.
  running_ -= count;
}

void ThreadedLoads::Crew::wait() {
  std::unique_lock lock(mutex_);
  finished_signal_.wait(lock, [this] { return !finished_.empty() || running_ == 0; });
}

void ThreadedLoads::Crew::work(Decompressor& decompressor) {
  Lock lock(mutex_);
  while (true) {
    started_signal_.wait(lock, [this] { return is_stopping_ || has_work(); });
    if (is_stopping_) return;
    if (is_to_open()) {
      open_next(lock);
    } else if (has_load()) {
      // Loads the next bundle before it helps with a large entry. Only one thread hashes a large
      // entry, but separate bundles are hashed in parallel. An urgent load waits for at most one
      // block of a large entry.
      load_next(lock, decompressor);
    } else {
      shared_.help(lock, decompressor);
    }
  }
}

bool ThreadedLoads::Crew::has_work() const { return has_load() || shared_.has_block(); }

bool ThreadedLoads::Crew::has_load() const {
  return !opened_.empty() || (!started_.empty() && !is_opening_);
}

// True if this thread should open the next files. A thread opens files before the last open file is
// used, so that the disk is never idle.
bool ThreadedLoads::Crew::is_to_open() const {
  const std::uint32_t together = source_.files_at_once();
  return together > 1 && !is_opening_ && !started_.empty() && opened_.size() <= together / 2;
}

// Removes the next orders from the queue and returns them as files to open together. Returns an
// empty list if there is not enough memory.
std::list<ThreadedLoads::Crew::OpenedFile> ThreadedLoads::Crew::drain_started() {
  std::list<OpenedFile> files;
  std::uint64_t bytes = 0;
  try {
    while (!started_.empty() && files.size() < source_.files_at_once()) {
      bytes += catalog_.bundle(started_.front().bundle).file_bytes;
      if (!files.empty() && bytes > kMaxTogetherBytes) break;
      files.push_back({started_.front(), fail_without_memory()});
      started_.pop_front();
    }
  } catch (const std::bad_alloc&) {
    return files;
  }
  return files;
}

void ThreadedLoads::Crew::open_next(Lock& lock) {
  std::list<OpenedFile> files = drain_started();
  if (files.empty()) {
    const std::uint32_t bundle = started_.front().bundle;
    started_.pop_front();
    finished_.push_back({.bundle = bundle, .result = fail_without_memory(), .whole_bytes = 0});
    finished_signal_.notify_one();
    return;
  }
  is_opening_ = true;
  lock.unlock();
  try {
    std::vector<std::uint32_t> bundles;
    for (const OpenedFile& file : files) bundles.push_back(file.order.bundle);
    std::vector<Result<std::unique_ptr<BundleFile>>> opened =
        open_files(source_, catalog_, bundles);
    assert(opened.size() == files.size());
    auto next = opened.begin();
    for (OpenedFile& file : files) file.file = std::move(*next++);
  } catch (const std::bad_alloc&) {
    // Opens the files one after another, because there may be enough memory for a single file.
    for (OpenedFile& file : files) file.file = open_alone(source_, catalog_, file.order.bundle);
  }
  lock.lock();
  is_opening_ = false;
  opened_.splice(opened_.end(), files);
  started_signal_.notify_all();
}

// Loads the next bundles, and leaves enough orders for the other threads.
void ThreadedLoads::Crew::load_next(Lock& lock, Decompressor& decompressor) {
  if (!opened_.empty()) return load_opened_next(lock, decompressor);
  std::array<LoadOrder, kMaxSmallLoads> orders;
  std::array<std::uint32_t, kMaxSmallLoads> bundles{};
  std::array<std::optional<FinishedLoad>, kMaxSmallLoads> loads;
  const std::size_t share = (started_.size() + threads_.size() - 1) / threads_.size();
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  while (count < std::min(share, kMaxSmallLoads)) {
    bytes += catalog_.bundle(started_.front().bundle).file_bytes;
    if (count > 0 && bytes > kMaxSmallBytes) break;
    bundles[count] = started_.front().bundle;
    orders[count++] = started_.front();
    started_.pop_front();
  }
  lock.unlock();
  std::vector<Result<std::unique_ptr<BundleFile>>> files;
  try {
    // The catalog of a preview does not contain file sizes.
    if (!catalog_.is_preview()) {
      files = open_files(source_, catalog_, std::span(bundles).first(count));
    }
  } catch (const std::bad_alloc&) {
    files.clear();  // Opens the files one after another, because there may be enough memory for a
                    // single file.
  }
  for (std::size_t i = 0; i < count; ++i) {
    loads[i] = i < files.size() ? load_opened(source_, catalog_, orders[i], std::move(files[i]),
                                              decompressor, memory_.get(), shared())
                                : load_whole(source_, catalog_, orders[i], decompressor,
                                             memory_.get(), shared());
  }
  lock.lock();
  for (std::size_t i = 0; i < count; ++i) finished_.push_back(std::move(loads[i].value()));
  finished_signal_.notify_one();
}

void ThreadedLoads::Crew::load_opened_next(Lock& lock, Decompressor& decompressor) {
  std::list<OpenedFile> next;
  next.splice(next.end(), opened_, opened_.begin());
  const LoadOrder order = next.front().order;
  lock.unlock();
  FinishedLoad load = load_opened(source_, catalog_, order, std::move(next.front().file),
                                  decompressor, memory_.get(), shared());
  lock.lock();
  finished_.push_back(std::move(load));
  finished_signal_.notify_one();
}

SteppedLoads::SteppedLoads(const BundleSource& source, const CatalogReader& catalog, bool is_manual,
                           std::shared_ptr<MemoryPool> memory,
                           std::shared_ptr<const DictionarySet> dictionaries)
    : source_(source),
      catalog_(catalog),
      memory_(std::move(memory)),
      is_manual_(is_manual),
      decompressor_(make_decompressor(source, catalog, std::move(dictionaries))) {}

bool SteppedLoads::cancel(std::uint32_t bundle) { return remove_waiting(started_, bundle); }

void SteppedLoads::collect(std::vector<FinishedLoad>& out) {
  while (!is_manual_ && !started_.empty()) step();
  move_to(finished_, out);
}

void SteppedLoads::wait() {
  if (finished_.empty() && !started_.empty()) step();
}

std::uint64_t SteppedLoads::finished_bytes() const {
  std::uint64_t sum = 0;
  for (const FinishedLoad& load : finished_) {
    if (load.result) sum += load.result.value().memory_bytes();
  }
  return sum;
}

void SteppedLoads::step(std::size_t index) {
  assert(index < started_.size());
  const LoadOrder order = started_[index];
  finished_.push_back({.bundle = order.bundle, .result = fail_without_memory(), .whole_bytes = 0});
  if (index == 0) {
    started_.pop_front();
  } else {
    started_.erase(started_.begin() + static_cast<std::ptrdiff_t>(index));
  }
  finished_.back() = load_whole(source_, catalog_, order, decompressor_, memory_.get());
}

}  // namespace muster
