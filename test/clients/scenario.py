"""The same steps as in scenario.php; what came of them is printed as JSON."""

import json
import os
import sys

sys.path.insert(0, os.environ["CLIENT_FOLDER"])
from parcela import NoAnswer, Parcela, ParcelaError, is_genuine  # noqa: E402

plan = json.load(sys.stdin)
parcela = Parcela(plan["url"], plan["logins"])


def order(amount):
    [card] = parcela.call("tokenizeCard", body={"cardNumber": "5155901222280001"})
    body = json.loads(json.dumps(plan["payment"]))
    body["payment"]["amount"] = amount
    body["cardInfo"]["numberToken"] = card["numberToken"]
    return body


paid = parcela.call("createPayment", body=order(12990), idempotency_key=plan["key"])["paymentAuthorization"]
found = [one["paymentId"] for one in parcela.each("listPayments", referenceTransaction=plan["payment"]["referenceTransaction"])]
try:
    parcela.call("createPayment", body=order(1051))
    decline = None
except ParcelaError as error:
    decline = [error.status, error.is_decline, error.may_be_done, bool(error.problems[0]["buyerMessage"]), bool(error.payment_id)]
try:
    parcela.call("changePlanStatus", planId=plan["planId"], body={"status": "Inactive"})
    lost = None
except NoAnswer as error:
    lost = [error.may_be_done, error.idempotency_key]
movements = len(list(parcela.each("listMovements", accountNumber="1000001", limit=2)))
verdicts = [
    is_genuine(one["headers"], one["body"].encode(), one["secret"], plan["now"]) for one in plan["vectors"]
]
print(json.dumps({"paid": paid["paymentId"], "found": found, "decline": decline, "lost": lost, "movements": movements, "verdicts": verdicts}))
