-- One enrolment a request. Arguments: access token, plan ids (with commas between them, used in turn), first 24 characters of the
-- ids of the stored cards, number of the first card, how many there are (used in turn).
local plans, card_start, first_card, cards, sent = {}, "", 0, 1, 0

function init(args)
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["Authorization"] = "Bearer " .. args[1]
  for plan in args[2]:gmatch("[^,]+") do plans[#plans + 1] = plan end
  card_start, first_card, cards = args[3], tonumber(args[4]), tonumber(args[5])
end

function request()
  local card = string.format("%s%012x", card_start, first_card + sent % cards)
  local body = string.format('{"vaultId":"%s","orderNumber":"W-%d","planId":"%s"}', card, sent % 100000000,
    plans[sent % #plans + 1])
  sent = sent + 1
  return wrk.format(nil, nil, nil, body)
end

function done(summary, latency)
  local e = summary.errors
  local failed = e.connect + e.read + e.write + e.status + e.timeout
  local made = summary.requests - e.status
  io.write(string.format('RESULT {"paid":%d,"perSecond":%f,"p50":%f,"p99":%f,"failed":%d}\n', made,
    made / (summary.duration / 1e6), latency:percentile(50) / 1000, latency:percentile(99) / 1000, failed))
end
