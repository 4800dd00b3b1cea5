#include "bundler/report/reporter.h"

#include <chrono>
#include <sstream>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace muster {
namespace {

TEST_CASE("A log gets one line per phase", "[bundler][report]") {
  std::ostringstream out;
  LineReporter reporter(out);
  reporter.begin("reading", 0);
  reporter.advance(5, "a");
  reporter.begin("packing", 12);
  reporter.finish();
  CHECK(out.str() == "reading\npacking (12)\n");
}

TEST_CASE("A terminal's line is updated at most ten times per second, and cleared at the end",
          "[bundler][report]") {
  std::ostringstream out;
  ManualClock clock;
  TerminalReporter reporter(out, clock);
  reporter.begin("packing", 12);
  CHECK(out.str() == "\r\x1b[2Kpacking 0/12 ");
  out.str("");
  reporter.advance(1, "a");
  CHECK(out.str().empty());
  clock.advance(std::chrono::milliseconds(99));
  reporter.advance(1, "b");
  CHECK(out.str().empty());
  clock.advance(std::chrono::milliseconds(1));
  reporter.advance(1, "c");
  CHECK(out.str() == "\r\x1b[2Kpacking 3/12 c");
  out.str("");
  reporter.finish();
  CHECK(out.str() == "\r\x1b[2K");
}

TEST_CASE("Short work is not reported, and long work is reported, beginning with the running phase",
          "[bundler][report]") {
  std::ostringstream out;
  ManualClock clock;
  TerminalReporter terminal(out, clock);
  PatientReporter reporter(terminal, clock);
  const Progress progress = progress_of(reporter);
  progress.begin("reading", 3);
  progress.advance(2, "a");
  clock.advance(PatientReporter::kPatience - std::chrono::milliseconds(1));
  SECTION("the work is short") {
    progress.begin("checking", 0);
    reporter.finish();
    CHECK(out.str().empty());
  }
  SECTION("a phase is long") {
    clock.advance(std::chrono::milliseconds(1));
    progress.advance(1, "b");
    CHECK(out.str() == "\r\x1b[2Kreading 0/3 ");
    clock.advance(std::chrono::milliseconds(100));
    progress.advance(0, "c");
    CHECK(out.str() == "\r\x1b[2Kreading 0/3 \r\x1b[2Kreading 3/3 c");
  }
  SECTION("a phase follows a long phase") {
    clock.advance(std::chrono::seconds(1));
    progress.begin("checking", 0);
    reporter.finish();
    CHECK(out.str() == "\r\x1b[2Kchecking \r\x1b[2K");
  }
  SECTION("progress without a reporter prints nothing") {
    Progress().begin("reading", 1);
    Progress().advance(1, "a");
    CHECK(out.str().empty());
  }
}

TEST_CASE("A long name does not wrap the terminal's line", "[bundler][report]") {
  std::ostringstream out;
  const ManualClock clock;
  TerminalReporter reporter(out, clock);
  reporter.begin(std::string(200, 'x'), 0);
  CHECK(out.str().size() < 90);
}

TEST_CASE("A reporter can be called from several threads", "[bundler][report]") {
  std::ostringstream out;
  ManualClock clock;
  TerminalReporter reporter(out, clock);
  reporter.begin("packing", 400);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&reporter] {
        for (int step = 0; step < 100; ++step) reporter.advance(1, "x");
      });
    }
  }
  clock.advance(std::chrono::seconds(1));
  reporter.advance(0, "end");
  CHECK_THAT(out.str(), Catch::EndsWith("packing 400/400 end"));
}

}  // namespace
}  // namespace muster
