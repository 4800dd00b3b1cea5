// The input comes from a malicious server. The first byte chooses one of two uses. In the first,
// the bytes are decoded as a schema, as each message, as a setup block and as events. In the
// second, they are steps of a session with an honest client. Each step sends bytes as a message, a
// block or a payload, in addition to the data of an honest server or instead of it.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "net/replication/timed_events.h"
#include "net/replication/type_views.h"
#include "tests/support/giants_schema.h"
#include "tests/support/replication_stage.h"

namespace {

using namespace muster;

void require(bool holds) {
  if (!holds) std::abort();
}

void try_schema(std::span<const std::byte> bytes) {
  const std::optional<ReplicationSchema> schema = decode_schema(bytes);
  if (!schema) return;
  require(find_fault(*schema) == nullptr);
  const std::vector<std::byte> again = encode_schema(*schema);
  require(std::ranges::equal(again, bytes));  // A schema has one encoding.
  require(find_fault(TypeViews(*schema).model(SnapshotModel{})) == nullptr);
}

template <typename Message>
void try_message(std::span<const std::byte> bytes) {
  Message message;
  if (decode(bytes, message)) require(std::ranges::equal(encode(message), bytes));
}

void try_events(std::span<const std::byte> bytes) {
  TimedEventReceiver receiver;
  ByteReader reader(bytes);
  if (!receiver.read(reader, 0)) return;
  receiver.settle(kEventPatience - 1, [](const EventSubject& entity, Tick) {
    return static_cast<SubjectState>(codec_id(entity.id) % 3);
  });
  receiver.reach(Tick(0xFFFF'FFFF));
  const std::size_t shown = receiver.due().size();
  receiver.settle(kEventPatience, [](const EventSubject&, Tick) { return SubjectState::may_come; });
  receiver.reach(Tick(0xFFFF'FFFF));
  require(receiver.due().size() == shown && shown + receiver.dropped() <= 255);
}

void talk(ByteReader& input, bool has_slices) {
  ReplicationStage stage(1, {},
                         has_slices ? samples::giants_schema() : replication_samples_schema());
  ReplicationStage::Client& client = stage.join();
  stage.step([&] {
    for (std::uint32_t id = 0; id < 6; ++id) {
      stage.spawn(NetworkId{id}, {.type = SchemaType{static_cast<std::uint16_t>(id % 2)},
                                  .relevance = Relevance::always});
    }
  });
  Connection& server = client.pair->a->connection;
  for (int i = 0; i < 60 && input.remaining() > 1; ++i) {
    const std::uint8_t what = input.u8();
    const std::span<const std::byte> bytes = input.bytes(input.u8());
    std::uint16_t block = 0;
    switch (what % 7) {
      case 0:
        static_cast<void>(server.send_message(0, bytes));
        break;
      case 1:
        static_cast<void>(server.send_payload(bytes, 1U << 30U));
        break;
      case 2:
        static_cast<void>(server.send_block(bytes, block));
        break;
      case 3:
        static_cast<void>(client.pair->b->connection.send_message(0, bytes));
        break;
      case 4:
        stage.step([&] { stage.stir(NetworkId{what % 5U}); });
        break;
      case 6: {  // The client asks about an entity that it did not receive.
        const DivergedMessage claim{
            .id = SliceId{what % 8U},
            .tick = Tick(stage.tick),
            .codec_type = static_cast<CodecType>(static_cast<std::uint16_t>(bytes.size() % 4)),
            .lanes = std::vector<LaneValue>(kDivergedLanesMax, what)};
        static_cast<void>(client.pair->b->connection.send_message(0, encode(claim)));
        break;
      }
      default:
        break;
    }
    stage.step();
  }
  for (const auto& [id, entity] : client.world.entities) {
    require(entity.values.size() == client.replication->schema()->value_count(entity.type));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteReader input(std::as_bytes(std::span(data, size)));
  const std::uint8_t choice = input.u8();
  const auto rest = [&] { return input.bytes(input.remaining()); };
  switch (choice % 10) {
    case 0:
      try_schema(rest());
      break;
    case 1:
      try_message<JoinMessage>(rest());
      break;
    case 2:
      try_message<BeginMessage>(rest());
      break;
    case 3:
      try_message<WantMessage>(rest());
      break;
    case 4:
      try_message<DivergedMessage>(rest());
      break;
    case 5:
      try_message<TruthMessage>(rest());
      break;
    case 6:
      try_events(rest());
      break;
    case 8:
      try_message<UnreadableMessage>(rest());
      break;
    case 9: {
      const std::span<const std::byte> message = rest();
      try_message<SetupRefusedMessage>(message);
      try_message<MissingMessage>(message);
      break;
    }
    default:
      talk(input, choice >= 128);
  }
  return 0;
}
