#include "content/arena/game/match_replay.h"

#include <algorithm>
#include <utility>

#include "net/capture/capture_file.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

namespace {

/// A recording is read whole: some hours of the arena.
constexpr std::uint64_t kRecordingBytesMax = std::uint64_t{4} << 30U;

}  // namespace

Result<std::vector<std::byte>> read_recording(const std::string& path) {
  std::string problem;
  auto bytes = read_capture_file(path, kRecordingBytesMax, problem);
  if (!bytes) return fail(ErrorCode::io, "cannot read '" + path + "': " + problem);
  return std::move(*bytes);
}

Result<std::unique_ptr<MatchReplay>> MatchReplay::open(BundleStore& store, BundleLoader& loader,
                                                       std::span<const std::byte> file,
                                                       const Options& options) {
  std::string problem;
  auto reader = RecordingReader::open(file, problem);
  if (reader == nullptr) return fail(ErrorCode::malformed, problem);
  auto match = FollowedMatch::open(store, loader);
  if (!match) return fail(match.error());
  std::unique_ptr<MatchReplay> replay(new MatchReplay(std::move(match).value(), std::move(reader)));
  const Result<void> begun = replay->begin(options, agreement_of(store.catalog()));
  if (!begun) return fail(begun.error());
  return replay;
}

Result<void> MatchReplay::begin(const Options& options, const Agreement& agreement) {
  const double wanted = reader_->first_tick() + options.from_seconds * reader_->ticks_per_second();
  const auto tick = static_cast<std::uint32_t>(std::min(wanted, 4e9));
  status_ = reader_->seek(tick);
  const auto info = match_info(agreement);
  const std::span<const std::byte> recorded = reader_->map_info();
  const auto is_same = [&](std::size_t first, std::size_t count) {
    return recorded.size() >= info.size() &&
           std::ranges::equal(recorded.subspan(first, count),
                              std::span(info).subspan(first, count));
  };
  if (status_ == RecordingStatus::end) {
    return fail(ErrorCode::truncated, "the recording holds no tick: was it cut at its beginning?");
  }
  if (!is_same(0, 8)) return fail(ErrorCode::malformed, "this is no recording of an arena's match");
  if (!is_same(8, 8)) {
    return fail(ErrorCode::hash_mismatch,
                "the recording is of other content than this build: play it with the build that "
                "its server had");
  }
  if (status_ == RecordingStatus::tick && reader_->tick() < tick) status_ = reader_->step();
  if (status_ == RecordingStatus::end) {
    return fail(ErrorCode::not_found,
                "the recording ends before second " + std::to_string(options.from_seconds));
  }
  if (status_ != RecordingStatus::tick) return fail(ErrorCode::malformed, *complaint());
  first_tick_ = reader_->tick();
  match_->wait(time_of(first_tick_));
  match_->agree(recorded);
  show();
  return {};
}

bool MatchReplay::step() {
  if (status_ == RecordingStatus::tick) status_ = reader_->step();
  if (status_ == RecordingStatus::tick) show();
  return status_ == RecordingStatus::tick;
}

void MatchReplay::show() {
  const RecordedSource source(*reader_);
  const Time now = time_of(reader_->tick());
  match_->apply(source, reader_->events(), now);
  reader_->clear();
  match_->go_on(source, Tick(reader_->tick()), now);
  ++tick_count_;
}

Time MatchReplay::time_of(std::uint32_t tick) const {
  return Time(Duration(std::chrono::seconds(1)) * tick / reader_->ticks_per_second());
}

std::optional<std::string> MatchReplay::complaint() const {
  const std::string behind = " behind tick " + std::to_string(reader_->tick());
  switch (status_) {
    case RecordingStatus::tick:
    case RecordingStatus::end:
      return std::nullopt;
    case RecordingStatus::cut:
      return "the recording is cut short" + behind +
             ": its server was stopped, or the file is "
             "not all there";
    case RecordingStatus::damaged:
      break;
  }
  return "the recording is damaged" + behind;
}

}  // namespace arena
