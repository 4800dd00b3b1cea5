// What the parts of the benchmark program offer to its main.
#pragma once

#include <string>

namespace muster {

/// What the command line asked for.
struct BenchOptions {
  std::string project;  ///< The folder of a real project; empty for none.
  std::string build;    ///< What `muster build` wrote; empty for none.
};

/// References out of text: the scanner and the reader of Unity's dialect, against copying the same
/// bytes and against yaml-cpp on the same text.
void register_scan_benchmarks(const BenchOptions& options);

/// Whole projects: index, open, cold build.
void register_build_benchmarks(const BenchOptions& options);

/// Loading bundles against decompressing their frames; type ids; spawning.
void register_load_benchmarks(const BenchOptions& options);

/// Worlds: snapshots, updates, computing ticks again, comparing.
void register_world_benchmarks();

/// Reading the files of a build from the disk in each way, against plain `read` and PhysFS.
void register_source_benchmarks(const BenchOptions& options);

/// A server's packets over the loopback, against plain calls of the system and ENet.
void register_net_benchmarks();

/// What strangers cost a server, and a client in memory.
void register_flood_benchmarks();

/// Reliable messages under loss, against ENet.
void register_latency_benchmarks();

/// A world told to many clients, and one that rests.
void register_replication_benchmarks();

/// A client whose budget is a part of what its world needs: bytes an update, updates, ages.
void register_overload_benchmarks();

/// Shots at moments of the past, against restoring a world per shot.
void register_lag_benchmarks();

/// Ticks of a client's prediction: forward, again, and states that were predicted right.
void register_prediction_benchmarks();

/// How time grows with entities: what twice as many take.
void register_growth_benchmarks();

}  // namespace muster
