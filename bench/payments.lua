-- One payment a request, each with a card token of its own. Arguments: access token, file of card tokens.
local tokens, next_token, access = {}, 0, nil

function init(args)
  access = args[1]
  for line in io.lines(args[2]) do tokens[#tokens + 1] = line end
  wrk.method = "POST"
  wrk.headers["Authorization"] = "Bearer " .. access
  wrk.headers["Content-Type"] = "application/json"
end

local head = '{"payment":{"transactionType":"credit","amount":12990,"productType":"avista","installments":1},' ..
  '"referenceTransaction":"PEDIDO-'
local middle = '","sellerInfo":{"codeAntiFraud":"6f1c4f0e-3b55-4c9c-9a57-0a3a6f1b2c3d"},"cardInfo":{"numberToken":"'
local tail = '","cardholderName":"ANA SOUZA","securityCode":"123","brand":"mastercard","expirationMonth":"12",' ..
  '"expirationYear":"39"},"customer":{"documentType":"cpf","documentNumber":"52998224725","firstName":"Ana",' ..
  '"lastName":"Souza","email":"ana@example.com","city":"Sao Paulo","state":"SP","country":"BR"}}'

function request()
  next_token = next_token + 1
  return wrk.format(nil, nil, nil, head .. next_token .. middle .. (tokens[next_token] or "out-of-tokens") .. tail)
end

function done(summary, latency, requests)
  local e = summary.errors
  local failed = e.connect + e.read + e.write + e.status + e.timeout
  io.write(string.format('RESULT {"perSecond":%f,"p50":%f,"p99":%f,"failed":%d}\n',
    (summary.requests - e.status) / (summary.duration / 1e6), latency:percentile(50) / 1000, latency:percentile(99) / 1000, failed))
end
