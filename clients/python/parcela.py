"""Calls the API of Parcela. One file, no packages; Python 3.9 or later.

    parcela = Parcela("https://pagamentos.example", {"gateway": {"userName": "...", "password": "..."}})
    paid = parcela.call("createPayment", body={...}, idempotency_key="PEDIDO-2001-1")
    for payment in parcela.each("listPayments", referenceTransaction="PEDIDO-2001"): ...
"""

import base64
import hashlib
import hmac
import http.client
import json
import random
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime

# Printed from the contract by `npm run print`: method, path, whose login, whether it takes an Idempotency-Key.
OPERATIONS = {
    # operations
    "getCardPublicKey": ("GET", "/v1/cards/public-key", "gateway", False),
    "tokenizeCard": ("POST", "/v1/cards/tokenization", "gateway", False),
    "listVaultCards": ("GET", "/v1/vaults/cards", "gateway", False),
    "storeVaultCard": ("POST", "/v1/vaults/cards", "gateway", True),
    "getVaultCard": ("GET", "/v1/vaults/cards/{vaultId}", "gateway", False),
    "deleteVaultCard": ("DELETE", "/v1/vaults/cards/{vaultId}", "gateway", False),
    "createAntiFraudCode": ("POST", "/v1/antifraud/sessions", "gateway", True),
    "createPayment": ("POST", "/v1/payments", "gateway", True),
    "listPayments": ("GET", "/v1/payments", "gateway", False),
    "getPayment": ("GET", "/v1/payments/{paymentId}", "gateway", False),
    "capturePayment": ("POST", "/v1/payments/{paymentId}/capture", "gateway", True),
    "putCapture": ("PUT", "/v1/payments/{paymentId}/capture", "gateway", True),
    "cancelPayment": ("POST", "/v1/payments/{paymentId}/cancel", "gateway", True),
    "issuePix": ("POST", "/v1/payments/pix", "gateway", True),
    "createPaymentLink": ("POST", "/v1/paymentlink/new", "gateway", True),
    "getPaymentLink": ("GET", "/v1/paymentlink/information", "gateway", False),
    "listPaymentLinks": ("GET", "/v1/paymentlink/list", "gateway", False),
    "disablePaymentLink": ("POST", "/v1/paymentlink/disable", "gateway", False),
    "listIssuerCodes": ("GET", "/v1/issuer-codes", "gateway", False),
    "createPlan": ("POST", "/v1/recurrences/plans", "recurrence", True),
    "listPlans": ("GET", "/v1/recurrences/plans", "recurrence", False),
    "getPlan": ("GET", "/v1/recurrences/plans/{planId}", "recurrence", False),
    "updatePlan": ("POST", "/v1/recurrences/plans/{planId}", "recurrence", False),
    "changePlanStatus": ("POST", "/v1/recurrences/plans/{planId}/status", "recurrence", False),
    "getPlanCalendar": ("GET", "/v1/recurrences/plans/{planId}/calendar", "recurrence", False),
    "createSubscription": ("POST", "/v1/recurrences/subscriptions", "recurrence", True),
    "listSubscriptions": ("GET", "/v1/recurrences/subscriptions", "recurrence", False),
    "getSubscription": ("GET", "/v1/recurrences/subscriptions/{subscriptionId}", "recurrence", False),
    "changeSubscriptionStatus": ("POST", "/v1/recurrences/subscriptions/{subscriptionId}/status", "recurrence", False),
    "changeSubscriptionVault": ("POST", "/v1/recurrences/subscriptions/{subscriptionId}/vault", "recurrence", False),
    "changeSubscriptionCustomer": ("POST", "/v1/recurrences/subscriptions/{subscriptionId}/customer", "recurrence", False),
    "listBillings": ("GET", "/v1/recurrences/billing", "recurrence", False),
    "getBilling": ("GET", "/v1/recurrences/billing/{billingId}", "recurrence", False),
    "cancelBilling": ("POST", "/v1/recurrences/billing/{billingId}/cancel", "recurrence", False),
    "chargeBilling": ("POST", "/v1/recurrences/billing/{billingId}/charge", "recurrence", True),
    "registerNotifier": ("POST", "/v1/recurrences/merchantnotifier", "recurrence", True),
    "listNotifiers": ("GET", "/v1/recurrences/merchantnotifier", "recurrence", False),
    "changeNotifierStatus": ("POST", "/v1/recurrences/merchantnotifier/{notifierId}/status", "recurrence", False),
    "issueBoleto": ("POST", "/api/billissuer/new", "integration", True),
    "listBoletos": ("GET", "/api/billissuer/list/by/due-date", "integration", False),
    "getBoleto": ("GET", "/api/billissuer/{boletoId}", "integration", False),
    "cancelBoleto": ("POST", "/api/billissuer/{boletoId}/cancel", "integration", False),
    "sendTestNotification": ("POST", "/api/webhooks/subscriptions/test", "integration", False),
    "listWebhookDeliveries": ("GET", "/api/webhooks/deliveries", "integration", False),
    "getWebhookDelivery": ("GET", "/api/webhooks/deliveries/{deliveryId}", "integration", False),
    "resendWebhookDelivery": ("POST", "/api/webhooks/deliveries/{deliveryId}/resend", "integration", False),
    "resendWebhookDeliveries": ("POST", "/api/webhooks/resend", "integration", False),
    "registerWebhook": ("POST", "/api/webhooks/subscriptions", "integration", False),
    "getWebhook": ("GET", "/api/webhooks/subscriptions", "integration", False),
    "deleteWebhook": ("DELETE", "/api/webhooks/subscriptions", "integration", False),
    "setWebhookAuth": ("POST", "/v1/security/webhook-auth", "gateway", False),
    "createWebhookSecret": ("POST", "/api/webhooks/secret", "integration", False),
    "listMovements": ("GET", "/api/movements", "integration", False),
    "searchReceivablesByCode": ("POST", "/api/transaction/concil/search-by-code", "integration", False),
    "exportReceivablesBySale": ("GET", "/api/transaction/concil/export-by-operation-date", "integration", False),
    "exportReceivablesByPayment": ("GET", "/api/transaction/concil/export-by-payment-date", "integration", False),
    "listReconciliationDays": ("GET", "/api/reconciliation/days", "integration", False),
    "listReconciliationExceptions": ("GET", "/api/reconciliation/exceptions", "integration", False),
    "resolveReconciliationException": ("POST", "/api/reconciliation/exceptions/{exceptionId}/resolve", "integration", False),
    "registerExceptionNotifier": ("POST", "/api/reconciliation/notifier", "integration", False),
    "getExceptionNotifier": ("GET", "/api/reconciliation/notifier", "integration", False),
    "deleteExceptionNotifier": ("DELETE", "/api/reconciliation/notifier", "integration", False),
    "listAcquirerCharges": ("GET", "/homologation/acquirer/charges", "gateway", False),
    "listBankBoletos": ("GET", "/homologation/bank/boletos", "gateway", False),
    "advanceTestClock": ("POST", "/homologation/clock", "gateway", False),
    "readTestClock": ("GET", "/homologation/clock", "gateway", False),
    "forceTransactionEvent": ("POST", "/homologation/transactions/{paymentId}/events", "gateway", False),
    "forceBoletoEvent": ("POST", "/homologation/boletos/{boletoId}/events", "gateway", False),
    "changeAcquirerScript": ("PUT", "/homologation/acquirer/script", "gateway", False),
    "readAcquirerScript": ("GET", "/homologation/acquirer/script", "gateway", False),
    "listTrialCards": ("GET", "/homologation/trial-cards", "gateway", False),
    # end of operations
}

LOGIN_PATHS = {"gateway": "/api/auth/token", "recurrence": "/api/auth/token", "integration": "/api/authentication/login"}
SHORTEST_PAUSE, LONGEST_PAUSE = 0.25, 30.0
RENEW_SECONDS = 60
MOST_SECONDS_OLD = 300


class ParcelaError(Exception):
    """Parcela answered, and not with what was asked for.

    `problems`: all faults at once, each with `tag` and `description`; of a decline (402) also `buyerMessage`.
    `may_be_done`: an earlier sending had no answer, and this one does not say what became of it: make the same
    call again with the same `idempotency_key`, or look it up. Never take it for a no.
    """

    def __init__(self, status, problems, idempotency_key, may_be_done, request_id):
        told = [f"{one['tag']}: {one['description']}" if one.get("tag") else one.get("description", "") for one in problems]
        super().__init__("; ".join(told) or f"answered {status}")
        self.status, self.problems, self.request_id = status, problems, request_id
        self.idempotency_key, self.may_be_done = idempotency_key, may_be_done

    @property
    def is_decline(self):
        return self.status == 402

    @property
    def payment_id(self):
        return next((one["paymentId"] for one in self.problems if one.get("paymentId")), None)


class NoAnswer(Exception):
    """No answer came in all the time that the call had; `may_be_done` as above."""

    def __init__(self, why, idempotency_key, may_be_done):
        super().__init__(f"no answer: {why}")
        self.why = why
        self.idempotency_key, self.may_be_done = idempotency_key, may_be_done


class Parcela:
    """One for a program: it keeps the tokens of its logins. Threads may share it.

    `logins`: of gateway, recurrence and integration, those that you use. `timeout`: seconds of one sending;
    `patience`: of a call with all its repetitions.
    """

    def __init__(self, url, logins, integration_url=None, language="pt-BR", timeout=20, patience=60):
        self._url, self._integration_url = url.rstrip("/"), (integration_url or url).rstrip("/")
        self._logins, self._language, self._timeout, self._patience = logins, language, timeout, patience
        self._tokens, self._lock = {}, threading.Lock()

    def call(self, name, body=None, idempotency_key=None, **given):
        """`given`: places in the path, and the query. Without a key each call has a new one, kept by its repetitions."""
        method, path, scope, is_keyed = OPERATIONS[name]
        query = {}
        for field, value in given.items():
            place = "{" + field + "}"
            if value is None:
                continue
            if place in path:
                path = path.replace(place, urllib.parse.quote(str(value), safe=""))
            else:
                query[field] = value
        if query:
            path += "?" + urllib.parse.urlencode(query)
        key = (idempotency_key or str(uuid.uuid4())) if is_keyed else None
        host = self._integration_url if scope == "integration" else self._url
        return self._send(method, host + path, body, scope, key, method == "GET" or key is not None)

    def each(self, name, **given):
        """All items of a list, page after page; the stream of movements goes on from `next`."""
        place = {}
        page = 1
        while True:
            answer = self.call(name, **{**given, **place})
            items = answer["items"]
            yield from items
            if "next" in answer:
                if not items or answer["next"] is None:
                    return
                place = {"after": answer["next"]}
            else:
                if len(items) < answer.get("limit", len(items) + 1):
                    return
                page += 1
                place = {"page": page}

    def _send(self, method, url, body, scope, key, is_repeatable):
        ends_at = time.monotonic() + self._patience
        in_doubt, refused, tries = False, None, 0
        while True:
            tries += 1
            try:
                token = self._token(scope, refused, ends_at) if scope else None
            except ParcelaError as error:
                raise ParcelaError(error.status, error.problems, key, in_doubt, error.request_id) from error
            except NoAnswer as error:
                raise NoAnswer(error.why, key, in_doubt) from error
            status, answer, headers, why = self._once(method, url, body, token, key, ends_at)
            if status is not None and 200 <= status < 300:
                return answer
            if status is None and method != "GET":
                in_doubt = True
            may_log_in = token is not None and refused is None
            refused = token if status == 401 else None
            retry_after = headers.get("retry-after", "") if headers else ""
            pause = self._pause(status, retry_after, tries, is_repeatable, may_log_in)
            if pause is None or time.monotonic() + pause > ends_at:
                if status is None:
                    raise NoAnswer(why, key, in_doubt)
                settles = status in (402, 409, 500) and not retry_after
                problems = answer if isinstance(answer, list) else []
                raise ParcelaError(status, problems, key, in_doubt and not settles, headers.get("x-request-id"))
            time.sleep(pause)

    @staticmethod
    def _pause(status, retry_after, tries, is_repeatable, may_log_in):
        """Seconds until it is sent again; None: never. 429, 503 and a 409 with Retry-After did nothing."""
        longer = SHORTEST_PAUSE * 2 ** min(tries - 1, 6) * random.uniform(1, 1.1)
        if status is None:
            return longer if is_repeatable else None
        if status == 401:
            return 0 if may_log_in else None
        if not (status in (429, 503) or (status == 409 and retry_after)):
            return None
        return min(LONGEST_PAUSE, int(retry_after)) if retry_after.isdigit() else longer

    def _once(self, method, url, body, token, key, ends_at):
        """(status, body, headers, None), or why there is no answer: what does not come from Parcela is none."""
        headers = {"accept": "application/json", "accept-language": self._language}
        data = None
        if body is not None:
            headers["content-type"] = "application/json"
            data = json.dumps(body).encode()
        if token:
            headers["authorization"] = f"Bearer {token}"
        if key:
            headers["idempotency-key"] = key
        asked = urllib.request.Request(url, data=data, headers=headers, method=method)
        limit = max(0.001, min(self._timeout, ends_at - time.monotonic()))
        try:
            try:
                came = _OPENER.open(asked, timeout=limit)
            except urllib.error.HTTPError as error:
                came = error
            with came:
                status, told, text = came.status, {name.lower(): value for name, value in came.headers.items()}, came.read()
            if status in (502, 504):
                return None, None, None, f"a proxy answered {status}"
            is_ours = told.get("content-type", "").startswith("application/json")
            if not is_ours and status != 401:
                return None, None, None, f"answered {status} without JSON"
            return status, json.loads(text) if is_ours else None, told, None
        except (OSError, ValueError, http.client.HTTPException) as error:
            return None, None, None, str(error) or type(error).__name__

    def _token(self, scope, refused, ends_at):
        # One login for all threads that wait for it.
        with self._lock:
            text, ends = self._tokens.get(scope, (None, 0))
            if text is not None and text != refused and ends > time.monotonic():
                return text
            if scope not in self._logins:
                raise KeyError(f"logins[{scope!r}] is missing: this operation needs it")
            host = self._integration_url if scope == "integration" else self._url
            answer = self._send("POST", host + LOGIN_PATHS[scope], self._logins[scope], None, None, True)
            # By the service's own clock: ours may be off.
            lives = (_moment(answer["expiration"]) - _moment(answer["created"])).total_seconds()
            self._tokens[scope] = (answer["accessToken"], time.monotonic() + lives - RENEW_SECONDS)
            return answer["accessToken"]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A token goes nowhere else."""

    def redirect_request(self, *_):
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


def _moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def is_genuine(headers, body, secret, now=None):
    """Whether a notification is Parcela's, whole, and new. `headers`: names in small letters. `body`: the bytes as
    they came. `now`: seconds since 1970. It may still come twice: go by its `movementId`."""
    timestamp = headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        return False
    if abs((time.time() if now is None else now) - int(timestamp)) > MOST_SECONDS_OLD:
        return False
    key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret)
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    right = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # Two signatures come while a secret is being changed: one that is right will do.
    return any(hmac.compare_digest(one.encode(), right) for one in headers.get("webhook-signature", "").split(" "))
