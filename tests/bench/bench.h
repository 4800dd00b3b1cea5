// The parts of the benchmark program that its main file calls.
#pragma once

#include <string>

namespace muster {

/// Options of the command line.
struct BenchOptions {
  std::string project;  ///< The folder of a real project; empty for none.
  std::string build;    ///< An output of `muster build`; empty for none.
};

/// Finding references in text, with the scanner and the reader of Unity's YAML dialect. The peers
/// copy the same bytes, or parse the same text with yaml-cpp.
void register_scan_benchmarks(const BenchOptions& options);

/// Whole projects: indexing, opening, and a build without a cache.
void register_build_benchmarks(const BenchOptions& options);

/// Loading bundles, compared with decompressing their frames; type ids; spawning.
void register_load_benchmarks(const BenchOptions& options);

/// Worlds: snapshots, updates, replayed ticks, comparisons.
void register_world_benchmarks();

/// Reading the files of a build from the disk through each kind of source, compared with plain
/// `read` and PhysFS.
void register_source_benchmarks(const BenchOptions& options);

/// A server's packets over the loopback, compared with plain system calls and ENet.
void register_net_benchmarks();

/// The cost of attackers' datagrams for a server, and the memory that a server needs per client.
void register_flood_benchmarks();

/// Reliable messages under loss, compared with ENet.
void register_latency_benchmarks();

/// A changing world and an idle world, replicated to many clients.
void register_replication_benchmarks();

/// A client whose budget is a fraction of its world's need: bytes per update, updates, ages.
void register_overload_benchmarks();

/// Shots at past moments, compared with restoring a world per shot.
void register_lag_benchmarks();

/// A client's prediction: ticks forward, replayed ticks, and states that were predicted correctly.
void register_prediction_benchmarks();

/// The factor by which a step's time grows when the number of entities doubles.
void register_growth_benchmarks();

}  // namespace muster
