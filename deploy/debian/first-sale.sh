#!/bin/sh
# The first sale, through the proxy: R$ 1.00 with a card of your own, looked up and given back.
#   first-sale.sh https://api.company.example credential.json
# credential.json: of parcela credential create --scope gateway --json. The card is asked for, and stands in no list of
# processes, history or file.
set -eu
umask 077
[ $# = 2 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
url=${1%/} credential=$2
work=$(mktemp -d)
trap 'rm -rf "$work"; stty echo 2> /dev/null || true' EXIT
trap 'exit 130' INT TERM HUP
key=first-sale-$(od -An -tx1 -N8 /dev/urandom | tr -d ' \n')

ask() { # NAME WORDS: hidden where it is secret
  [ ! -t 0 ] || printf '%s: ' "$2" >&2
  case $1 in number|code) stty -echo 2> /dev/null || true ;; esac
  read -r answer
  stty echo 2> /dev/null || true
  case $answer in *[\"\\]*) echo "no quotes in: $2" >&2; exit 1 ;; esac
  eval "$1=\$answer"
}
# call METHOD PATH: the body from standard input. The answer is kept; it ends where that is not 200.
call() {
  status=$(curl --silent --show-error --max-time 90 --request "$1" "$url$2" -H "@$work/headers" --data-binary @- \
    --output "$work/answer" --write-out '%{http_code}')
  [ "$status" = 200 ] || { echo "$1 $2: $status $(cat "$work/answer")" >&2; exit 1; }
}
look() {
  curl --silent --show-error --fail --max-time 30 "$url$1" -H "@$work/headers" --output "$work/answer"
}
field() { sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p' "$work/answer"; }

ask number 'Card number (hidden)'
ask brand 'Brand (visa, mastercard, elo …)'
ask holder 'Name on the card'
ask month 'Month of its end (12)'
ask year 'Year of its end (39)'
ask code 'Security code (hidden)'

echo 'Content-Type: application/json' > "$work/headers"
call POST /api/auth/token < "$credential"
echo "Authorization: Bearer $(field accessToken)" >> "$work/headers"
call POST /v1/antifraud/sessions <<BODY
{ "ipAddress": "203.0.113.7", "deviceId": "first-sale" }
BODY
visit=$(field codeAntiFraud)
call POST /v1/cards/tokenization <<BODY
{ "cardNumber": "$number" }
BODY
card=$(field numberToken)
cp "$work/headers" "$work/without-key"
echo "Idempotency-Key: $key" >> "$work/headers"
echo "selling R\$ 1.00 under the reference $key: if this ends without an answer, look for it (GET /v1/payments?referenceTransaction=$key) before you sell again"
call POST /v1/payments <<BODY
{ "payment": { "transactionType": "credit", "amount": 100, "productType": "avista", "installments": 1 },
  "referenceTransaction": "$key",
  "sellerInfo": { "codeAntiFraud": "$visit" },
  "cardInfo": { "numberToken": "$card", "cardholderName": "$holder", "securityCode": "$code",
                "brand": "$brand", "expirationMonth": "$month", "expirationYear": "$year" } }
BODY
payment=$(field paymentId)
look "/v1/payments/$payment"
echo "sold R\$ 1.00: payment $payment, reference $key, $(field statusDescription)"
cp "$work/without-key" "$work/headers"
echo "Idempotency-Key: $key-back" >> "$work/headers"
call POST "/v1/payments/$payment/cancel" <<BODY
{}
BODY
look "/v1/payments/$payment"
echo "given back: $(field statusDescription)"
