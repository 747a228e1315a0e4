-- One payment a request. Arguments: access tokens (with commas between them, used in turn), file of body templates, file of
-- carriers ("carrier buyer" a line), whether carriers are used over and over ("again") or once each ("once"), whether each request
-- has an Idempotency-Key ("keyed").
local tokens, carriers, templates, is_again, is_keyed = {}, {}, {}, false, false
local sent, run = 0, ""

-- A template as a list of texts and marks, so that a request is one concatenation.
local function parts_of(template)
  local parts, from = {}, 1
  while true do
    local first, last, mark = template:find("@(%u+)@", from)
    if first == nil then break end
    parts[#parts + 1] = template:sub(from, first - 1)
    parts[#parts + 1] = mark
    from = last + 1
  end
  parts[#parts + 1] = template:sub(from)
  return parts
end

function init(args)
  for token in args[1]:gmatch("[^,]+") do tokens[#tokens + 1] = "Bearer " .. token end
  for line in io.lines(args[2]) do templates[#templates + 1] = parts_of(line) end
  for line in io.lines(args[3]) do carriers[#carriers + 1] = line end
  is_again, is_keyed = args[4] == "again", args[5] == "keyed"
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  math.randomseed(os.time() + math.floor(os.clock() * 1e6))
  run = string.format("%08x-%04x", math.random(0, 0x7ffffffe), math.random(0, 0xffff))
end

function request()
  local line = carriers[is_again and sent % #carriers + 1 or sent + 1] or "out-of-carriers 00000000"
  local carrier, buyer = line:match("(%S+) (%S+)")
  local values = { CARRIER = carrier, BUYER = buyer, NUMBER = sent }
  local parts, body = templates[sent % #templates + 1], {}
  for i = 1, #parts do body[i] = i % 2 == 1 and parts[i] or values[parts[i]] end
  wrk.headers["Authorization"] = tokens[sent % #tokens + 1]
  sent = sent + 1
  if is_keyed then wrk.headers["Idempotency-Key"] = string.format("%s-4000-8000-%012x", run, sent) end
  return wrk.format(nil, nil, nil, table.concat(body))
end

function done(summary, latency)
  local e = summary.errors
  local failed = e.connect + e.read + e.write + e.status + e.timeout
  local paid = summary.requests - e.status
  io.write(string.format('RESULT {"paid":%d,"perSecond":%f,"p50":%f,"p99":%f,"failed":%d}\n', paid,
    paid / (summary.duration / 1e6), latency:percentile(50) / 1000, latency:percentile(99) / 1000, failed))
end
