-- A Wireshark dissector for Muster: net/WIRE_FORMAT.md, and the marker of
-- net/capture/CAPTURE_FORMAT.md.
--
--     tshark -X lua_script:net/tools/muster.lua -o udp.try_heuristic_first:TRUE -r game.pcap -V
--
-- Recognises files of `muster-net pcap` by their marker, and shows all fields of their packets. The
-- option is needed for ports that Wireshark assigns to another protocol. The packets of a live
-- network are encrypted, so only their header is shown. For these packets, choose "Decode As...
-- muster" for their port.
--
-- Uses only Lua 5.1, so bits are extracted by arithmetic.

local muster = Proto("muster", "Muster")

local kinds = {
  [1] = "request", [2] = "challenge", [3] = "response", [4] = "accept", [5] = "refuse",
  [0x80] = "packet", [0xC0] = "packet",
}
local modes = { [0] = "pinned", [1] = "token", [2] = "unprotected" }
local refusals = {
  [1] = "wrong version", [2] = "wrong application", [3] = "wrong mode", [4] = "token invalid",
  [5] = "token used", [6] = "full", [7] = "busy", [8] = "content differs",
  [9] = "descriptions differ", [10] = "not admitted",
}
local verdicts = { [0] = "received", [1] = "malformed", [2] = "unbelievable", [3] = "no room" }
local items = {
  [1] = "ping", [2] = "path challenge", [3] = "path response", [4] = "probe", [5] = "close",
  [6] = "block refused", [7] = "map", [8] = "channel limit",
}
local closes = {
  [1] = "left", [2] = "kicked", [3] = "timed out", [4] = "malformed", [5] = "forged",
  [6] = "exhausted", [7] = "shutting down", [8] = "no answer", [9] = "refused",
}
local block_refusals = { [1] = "too large", [2] = "too many", [3] = "no memory" }

local f = {
  marked_kind = ProtoField.uint8("muster.capture.kind", "Recorded", base.DEC,
                                 { [1] = "packet", [2] = "handshake" }),
  outgoing = ProtoField.bool("muster.capture.out", "Sent by the recording end"),
  verdict = ProtoField.uint8("muster.capture.verdict", "Verdict", base.DEC, verdicts),
  wide_sequence = ProtoField.uint32("muster.capture.sequence", "Sequence, wide"),
  travelled = ProtoField.uint16("muster.capture.datagram_bytes", "Bytes as it travelled"),

  kind = ProtoField.uint8("muster.kind", "Datagram", base.HEX, kinds),
  version = ProtoField.uint8("muster.version", "Version"),
  mode = ProtoField.uint8("muster.mode", "Mode", base.DEC, modes),
  reason = ProtoField.uint8("muster.refuse.reason", "Reason", base.DEC, refusals),
  application = ProtoField.uint64("muster.application", "Application", base.HEX),
  id = ProtoField.uint32("muster.connection", "Connection id", base.HEX),
  ephemeral = ProtoField.bytes("muster.ephemeral_key", "Ephemeral key"),
  server_key = ProtoField.bytes("muster.server_key", "Server's key"),
  time = ProtoField.uint64("muster.challenge.time", "Server's time (ms)"),
  mac = ProtoField.bytes("muster.challenge.mac", "MAC"),
  token_bytes = ProtoField.uint16("muster.token_bytes", "Bytes of token"),
  token = ProtoField.bytes("muster.token", "Token"),
  hello_bytes = ProtoField.uint16("muster.hello_bytes", "Bytes of hello"),
  hello = ProtoField.bytes("muster.hello", "Hello, sealed"),
  sealed = ProtoField.bytes("muster.sealed", "Sealed"),
  proof = ProtoField.bytes("muster.refuse.proof", "Proof"),
  server_version = ProtoField.uint8("muster.refuse.server_version", "Server's version"),
  text_bytes = ProtoField.uint8("muster.text_bytes", "Bytes of text"),
  text = ProtoField.string("muster.text", "Text"),

  phase = ProtoField.bool("muster.key_phase", "Key phase"),
  sequence = ProtoField.uint16("muster.sequence", "Sequence"),
  ack = ProtoField.uint16("muster.ack", "Ack"),
  words = ProtoField.uint8("muster.mask.words", "Mask words"),
  word = ProtoField.uint32("muster.mask.word", "Mask word", base.HEX),
  sent = ProtoField.uint16("muster.sent", "Sent (100 us)"),
  hold = ProtoField.uint16("muster.hold", "Hold (100 us)"),
  delay = ProtoField.uint16("muster.delay", "Delay (100 us)"),
  sections = ProtoField.uint8("muster.sections", "Sections", base.HEX),

  item_count = ProtoField.uint8("muster.control.count", "Items"),
  item = ProtoField.uint8("muster.control.item", "Item", base.DEC, items),
  path_bytes = ProtoField.bytes("muster.control.path_bytes", "Bytes"),
  probe = ProtoField.uint16("muster.control.probe", "Size of this datagram"),
  close = ProtoField.uint8("muster.control.close", "Reason", base.DEC, closes),
  refused_block = ProtoField.uint16("muster.control.block", "Block"),
  block_refusal = ProtoField.uint8("muster.control.block_reason", "Reason", base.DEC, block_refusals),
  map = ProtoField.uint16("muster.control.map", "Map"),
  limited_channel = ProtoField.uint8("muster.control.channel", "Channel"),
  channel_limit = ProtoField.uint16("muster.control.limit", "First message not taken"),
  payload_bytes = ProtoField.uint16("muster.payload.bytes", "Bytes"),
  payload = ProtoField.bytes("muster.payload", "Payload"),
  message_count = ProtoField.uint8("muster.message.count", "Messages"),
  channel = ProtoField.uint8("muster.message.channel", "Channel"),
  reliable = ProtoField.bool("muster.message.reliable", "Reliable"),
  ordered = ProtoField.bool("muster.message.ordered", "Ordered"),
  message_id = ProtoField.uint16("muster.message.id", "Message id"),
  message_bytes = ProtoField.uint16("muster.message.bytes", "Bytes"),
  message = ProtoField.bytes("muster.message", "Message"),
  fragment_count = ProtoField.uint8("muster.block.count", "Fragments"),
  block = ProtoField.uint16("muster.block.id", "Block"),
  block_bytes = ProtoField.uint32("muster.block.bytes", "Bytes of the block"),
  chunks = ProtoField.uint8("muster.block.chunks", "Chunks"),
  first_chunk = ProtoField.uint24("muster.block.first", "First chunk"),
  fragment = ProtoField.bytes("muster.block.fragment", "Bytes"),
  fill = ProtoField.bytes("muster.fill", "Filling"),
}
muster.fields = f

local malformed = ProtoExpert.new("muster.malformed", "This breaks the format", expert.group.MALFORMED,
                                  expert.severity.ERROR)
muster.experts = { malformed }

-- Reads bytes in order. A read past the end throws an error, which the caller catches.
local Reader = {}
Reader.__index = Reader

local function reader_of(range) return setmetatable({ range = range, at = 0 }, Reader) end

function Reader:left() return self.range:len() - self.at end

function Reader:take(count)
  if count > self:left() then error("truncated", 0) end
  if count == 0 then return nil end
  self.at = self.at + count
  return self.range:range(self.at - count, count)
end

-- Adds a little-endian number to the tree and returns it.
function Reader:number(tree, field, bytes)
  local range = self:take(bytes)
  tree:add_le(field, range)
  return bytes <= 4 and range:le_uint() or nil
end

function Reader:bytes(tree, field, count)
  local range = self:take(count)
  if range then tree:add(field, range) end
end

-- Returns `count` bits from bit `at` on, low bits first.
local function bits_of(range, at, count)
  if at + count > range:len() * 8 then error("truncated", 0) end
  local value = 0
  for i = count - 1, 0, -1 do
    local byte = range:range(math.floor((at + i) / 8), 1):uint()
    value = value * 2 + math.floor(byte / 2 ^ ((at + i) % 8)) % 2
  end
  return value
end

local function has_bit(value, bit) return math.floor(value / 2 ^ bit) % 2 == 1 end

-- Adds the header of a body to the tree. Returns its sections and its size in bytes.
local function dissect_head(range, tree)
  local at = 0
  local function field(name, count)
    local value = bits_of(range, at, count)
    local first = math.floor(at / 8)
    local bytes = math.floor((at + count - 1) / 8) - first + 1
    at = at + count
    if name then tree:add(name, range:range(first, bytes), value) end
    return value
  end
  field(f.ack, 16)
  local words = bits_of(range, at, 3) + 1
  tree:add(f.words, range:range(math.floor(at / 8), 1), words)
  at = at + 3
  for _ = 1, words do
    if field(nil, 1) == 1 then
      tree:add(f.word, range:range(math.floor((at - 1) / 8), 1), 0xFFFFFFFF)
    else
      field(f.word, 32)
    end
  end
  field(f.sent, 16)
  field(f.hold, 16)
  field(f.delay, 12)
  local sections = field(f.sections, 8)
  return sections, math.ceil(at / 8)
end

local function dissect_control(reader, tree)
  local has_probe = false
  for _ = 1, reader:number(tree, f.item_count, 1) do
    local start = reader.at
    local item = tree:add(muster, reader.range:range(start, 1), "Item")
    local kind = reader:number(item, f.item, 1)
    item:set_text(items[kind] or "unknown item")
    if kind == 2 or kind == 3 then
      reader:bytes(item, f.path_bytes, 8)
    elseif kind == 4 then
      reader:number(item, f.probe, 2)
      has_probe = true
    elseif kind == 5 then
      reader:number(item, f.close, 1)
      local count = reader:number(item, f.text_bytes, 1)
      reader:bytes(item, f.text, count)
    elseif kind == 6 then
      reader:number(item, f.refused_block, 2)
      reader:number(item, f.block_refusal, 1)
    elseif kind == 7 then
      reader:number(item, f.map, 2)
    elseif kind == 8 then
      reader:number(item, f.limited_channel, 1)
      reader:number(item, f.channel_limit, 2)
    elseif kind ~= 1 then
      error("unknown item", 0)
    end
    item:set_len(reader.at - start)
  end
  return has_probe
end

local function dissect_payload(reader, tree)
  reader:bytes(tree, f.payload, reader:number(tree, f.payload_bytes, 2))
end

local function dissect_messages(reader, tree)
  for _ = 1, reader:number(tree, f.message_count, 1) do
    local start = reader.at
    local head_range = reader:take(1)
    local head = head_range:uint()
    local item = tree:add(muster, head_range, "Message on channel " .. head % 8)
    item:add(f.channel, head_range, head % 8)
    item:add(f.reliable, head_range, has_bit(head, 3))
    item:add(f.ordered, head_range, has_bit(head, 4))
    if has_bit(head, 3) then reader:number(item, f.message_id, 2) end
    local length_range = reader:take(1)
    local length = length_range:uint()
    if length >= 128 then
      length = length - 128 + reader:take(1):uint() * 128
      length_range = reader.range:range(reader.at - 2, 2)
    end
    item:add(f.message_bytes, length_range, length)
    reader:bytes(item, f.message, length)
    item:set_len(reader.at - start)
  end
end

local function dissect_blocks(reader, tree)
  for _ = 1, reader:number(tree, f.fragment_count, 1) do
    local start = reader.at
    local item = tree:add(muster, reader.range:range(start, 1), "Fragment")
    item:append_text(" of block " .. reader:number(item, f.block, 2))
    local block_bytes = reader:number(item, f.block_bytes, 4)
    local chunks = reader:number(item, f.chunks, 1)
    local first = reader:number(item, f.first_chunk, 3)
    reader:bytes(item, f.fragment, math.min(chunks * 256, block_bytes - first * 256))
    item:set_len(reader.at - start)
  end
end

-- Adds a subtree for a section. Its length is the number of bytes that `dissect` reads.
local function section(reader, tree, name, dissect)
  local start = reader.at
  local subtree = tree:add(muster, reader.range:range(start), name)
  local result = dissect(reader, subtree)
  subtree:set_len(reader.at - start)
  return result
end

local function dissect_body(range, tree)
  local sections, head_bytes = dissect_head(range, tree)
  local reader = reader_of(range)
  reader.at = head_bytes
  local has_probe = false
  if has_bit(sections, 0) then has_probe = section(reader, tree, "Control", dissect_control) end
  if has_bit(sections, 1) then section(reader, tree, "Payload", dissect_payload) end
  if has_bit(sections, 2) then section(reader, tree, "Messages", dissect_messages) end
  if has_bit(sections, 3) then section(reader, tree, "Blocks", dissect_blocks) end
  if has_probe then reader:bytes(tree, f.fill, reader:left()) end
  if reader:left() > 0 then error("bytes left over", 0) end
end

local function dissect_packet(range, tree, is_open)
  local reader = reader_of(range)
  local first = reader:take(1)
  tree:add(f.kind, first)
  tree:add(f.phase, first, has_bit(first:uint(), 6))
  reader:number(tree, f.id, 4)
  reader:number(tree, f.sequence, 2)
  if is_open then
    dissect_body(range:range(7), tree)
  else
    reader:bytes(tree, f.sealed, reader:left())
  end
end

local function dissect_request(reader, tree)
  reader:number(tree, f.application, 8)
  reader:number(tree, f.id, 4)
  reader:bytes(tree, f.ephemeral, 32)
end

local dissect_rest = {
  [1] = dissect_request,
  [2] = function(reader, tree)
    reader:number(tree, f.id, 4)
    reader:number(tree, f.time, 8)
    reader:bytes(tree, f.mac, 16)
    reader:bytes(tree, f.server_key, 32)
  end,
  [3] = function(reader, tree)
    dissect_request(reader, tree)
    reader:number(tree, f.time, 8)
    reader:bytes(tree, f.mac, 16)
    reader:bytes(tree, f.token, reader:number(tree, f.token_bytes, 2))
    reader:bytes(tree, f.hello, reader:number(tree, f.hello_bytes, 2))
  end,
  [4] = function(reader, tree)
    reader:number(tree, f.id, 4)
    reader:bytes(tree, f.ephemeral, 32)
    reader:bytes(tree, f.sealed, reader:left())
  end,
  [5] = function(reader, tree)
    reader:number(tree, f.id, 4)
    reader:bytes(tree, f.proof, 16)
    reader:number(tree, f.server_version, 1)
    local count = reader:number(tree, f.text_bytes, 1)
    reader:take(2)
    reader:bytes(tree, f.text, count)
  end,
}

local function dissect_datagram(range, tree, is_open)
  local kind = range:range(0, 1):uint()
  if kind >= 0x80 then return dissect_packet(range, tree, is_open) end
  local reader = reader_of(range)
  reader:number(tree, f.kind, 1)
  reader:number(tree, f.version, 1)
  reader:number(tree, f.mode, 1)
  if kind == 5 then reader:number(tree, f.reason, 1) else reader:take(1) end
  if not dissect_rest[kind] then error("unknown datagram", 0) end
  dissect_rest[kind](reader, tree)
end

local function describe(range)
  local kind = range:range(0, 1):uint()
  if kind < 0x80 then return kinds[kind] or "unknown datagram" end
  if range:len() < 7 then return "packet" end
  return string.format("packet %d to connection %08x", range:range(5, 2):le_uint(),
                       range:range(1, 4):le_uint())
end

local marker_bytes = 16

local function is_marked(buffer)
  return buffer:len() > marker_bytes and buffer:range(0, 4):string() == "MUSD"
end

local function dissect_marker(range, tree)
  local marker = tree:add(muster, range, "Recorded")
  marker:add(f.marked_kind, range:range(5, 1))
  marker:add(f.outgoing, range:range(6, 1), range:range(6, 1):uint() == 1)
  marker:add(f.verdict, range:range(7, 1))
  marker:add_le(f.wide_sequence, range:range(8, 4))
  marker:add_le(f.travelled, range:range(12, 2))
end

function muster.dissector(buffer, packet, tree)
  if buffer:len() == 0 then return 0 end
  local marked = is_marked(buffer)
  local range = marked and buffer:range(marker_bytes) or buffer:range()
  packet.cols.protocol = "Muster"
  packet.cols.info = describe(range)
  local top = tree:add(muster, buffer:range())
  if marked then dissect_marker(buffer:range(0, marker_bytes), top) end
  local fine, problem = pcall(dissect_datagram, range, top, marked)
  if not fine then
    top:add_proto_expert_info(malformed, tostring(problem))
    packet.cols.info:append(" (breaks the format: " .. tostring(problem) .. ")")
  end
  return buffer:len()
end

muster:register_heuristic("udp", function(buffer, packet, tree)
  if not is_marked(buffer) then return false end
  muster.dissector(buffer, packet, tree)
  return true
end)
DissectorTable.get("udp.port"):add_for_decode_as(muster)
