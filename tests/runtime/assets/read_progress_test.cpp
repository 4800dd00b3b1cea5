#include "runtime/assets/read_progress.h"

#include <catch2/catch.hpp>

namespace muster {
namespace {

using Step = ReadProgress::Step;

TEST_CASE("A file that is read in pieces is complete when its last byte was read",
          "[runtime][assets][source]") {
  ReadProgress progress(10);
  CHECK(progress.add(4) == Step::read_again);
  CHECK(progress.add(5) == Step::read_again);
  CHECK(progress.done_bytes() == 9);
  CHECK(progress.add(1) == Step::whole);
  CHECK(ReadProgress(10).add(10) == Step::whole);
}

TEST_CASE("A file that ends early, or cannot be read, is not read again",
          "[runtime][assets][source]") {
  ReadProgress progress(10);
  CHECK(progress.add(9) == Step::read_again);
  CHECK(progress.add(0) == Step::cut_short);
  CHECK(ReadProgress(10).add(-EIO) == Step::failed);
  CHECK(ReadProgress(10).add(-EBADF) == Step::failed);
}

TEST_CASE("A read that the kernel delays for ever fails", "[runtime][assets][source]") {
  const int delay = GENERATE(-EAGAIN, -EINTR);
  CAPTURE(delay);
  ReadProgress progress(10);
  for (int i = 0; i < ReadProgress::kMaxDelays; ++i) {
    if (progress.add(delay) != Step::read_again) FAIL(i);
  }
  // A slow read continues as long as it makes progress.
  CHECK(progress.add(1) == Step::read_again);
  for (int i = 0; i < ReadProgress::kMaxDelays; ++i) {
    if (progress.add(delay) != Step::read_again) FAIL(i);
  }
  CHECK(progress.add(delay) == Step::failed);
  CHECK(progress.done_bytes() == 1);
}

}  // namespace
}  // namespace muster
