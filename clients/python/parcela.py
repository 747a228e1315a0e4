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
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime

# Printed from the contract by `npm run print`: method, path, whose login, whether it takes an Idempotency-Key, the
# names of its query.
OPERATIONS = {
    # operations
    "getCardPublicKey": ("GET", "/v1/cards/public-key", "gateway", False, ""),
    "tokenizeCard": ("POST", "/v1/cards/tokenization", "gateway", False, ""),
    "listVaultCards": ("GET", "/v1/vaults/cards", "gateway", False, "lastFour page limit orderBy"),
    "storeVaultCard": ("POST", "/v1/vaults/cards", "gateway", True, ""),
    "getVaultCard": ("GET", "/v1/vaults/cards/{vaultId}", "gateway", False, ""),
    "deleteVaultCard": ("DELETE", "/v1/vaults/cards/{vaultId}", "gateway", False, ""),
    "createAntiFraudCode": ("POST", "/v1/antifraud/sessions", "gateway", True, ""),
    "createPayment": ("POST", "/v1/payments", "gateway", True, ""),
    "listPayments": ("GET", "/v1/payments", "gateway", False, "method referenceTransaction nsu authorizationCode vaultId billingId txid endToEndId status lastFour isPartlyReturned dateRangeStartDate dateRangeEndDate page limit orderBy"),
    "getPayment": ("GET", "/v1/payments/{paymentId}", "gateway", False, "splitPage"),
    "capturePayment": ("POST", "/v1/payments/{paymentId}/capture", "gateway", True, ""),
    "cancelPayment": ("POST", "/v1/payments/{paymentId}/cancel", "gateway", True, ""),
    "issuePix": ("POST", "/v1/payments/pix", "gateway", True, ""),
    "createPaymentLink": ("POST", "/v1/paymentlink/new", "gateway", True, ""),
    "getPaymentLink": ("GET", "/v1/paymentlink/information", "gateway", False, "id"),
    "listPaymentLinks": ("GET", "/v1/paymentlink/list", "gateway", False, "status page limit orderBy"),
    "disablePaymentLink": ("POST", "/v1/paymentlink/disable", "gateway", False, "id reason"),
    "putCardFields": ("PUT", "/v1/cards/fields", "gateway", False, ""),
    "getCardFields": ("GET", "/v1/cards/fields", "gateway", False, ""),
    "listIssuerCodes": ("GET", "/v1/issuer-codes", "gateway", False, "brand code"),
    "createPlan": ("POST", "/v1/recurrences/plans", "recurrence", True, ""),
    "listPlans": ("GET", "/v1/recurrences/plans", "recurrence", False, "name status page limit orderBy"),
    "getPlan": ("GET", "/v1/recurrences/plans/{planId}", "recurrence", False, ""),
    "updatePlan": ("POST", "/v1/recurrences/plans/{planId}", "recurrence", False, ""),
    "changePlanStatus": ("POST", "/v1/recurrences/plans/{planId}/status", "recurrence", False, ""),
    "getPlanCalendar": ("GET", "/v1/recurrences/plans/{planId}/calendar", "recurrence", False, "startOn count"),
    "createSubscription": ("POST", "/v1/recurrences/subscriptions", "recurrence", True, "expand"),
    "listSubscriptions": ("GET", "/v1/recurrences/subscriptions", "recurrence", False, "planName status orderNumber vaultId documentNumber email page limit orderBy"),
    "getSubscription": ("GET", "/v1/recurrences/subscriptions/{subscriptionId}", "recurrence", False, ""),
    "changeSubscriptionStatus": ("POST", "/v1/recurrences/subscriptions/{subscriptionId}/status", "recurrence", False, ""),
    "changeSubscriptionVault": ("POST", "/v1/recurrences/subscriptions/{subscriptionId}/vault", "recurrence", False, ""),
    "changeSubscriptionCustomer": ("POST", "/v1/recurrences/subscriptions/{subscriptionId}/customer", "recurrence", False, ""),
    "putSubscriberPage": ("PUT", "/v1/recurrences/subscriptions/{subscriptionId}/page", "recurrence", False, ""),
    "getSubscriberPage": ("GET", "/v1/recurrences/subscriptions/{subscriptionId}/page", "recurrence", False, ""),
    "removeSubscriberPage": ("DELETE", "/v1/recurrences/subscriptions/{subscriptionId}/page", "recurrence", False, ""),
    "listBillings": ("GET", "/v1/recurrences/billing", "recurrence", False, "mid subscriptionId status expirationDateRangeStartDate expirationDateRangeEndDate page limit orderBy"),
    "getBilling": ("GET", "/v1/recurrences/billing/{billingId}", "recurrence", False, ""),
    "cancelBilling": ("POST", "/v1/recurrences/billing/{billingId}/cancel", "recurrence", False, ""),
    "chargeBilling": ("POST", "/v1/recurrences/billing/{billingId}/charge", "recurrence", True, ""),
    "registerNotifier": ("POST", "/v1/recurrences/merchantnotifier", "recurrence", True, ""),
    "listNotifiers": ("GET", "/v1/recurrences/merchantnotifier", "recurrence", False, "merchantId name status page limit orderBy"),
    "changeNotifierStatus": ("POST", "/v1/recurrences/merchantnotifier/{notifierId}/status", "recurrence", False, ""),
    "issueBoleto": ("POST", "/api/billissuer/new", "integration", True, "accountNumber"),
    "listBoletos": ("GET", "/api/billissuer/list/by/due-date", "integration", False, "accountNumber startDate endDate statusBill page limit"),
    "getBoleto": ("GET", "/api/billissuer/{boletoId}", "integration", False, ""),
    "cancelBoleto": ("POST", "/api/billissuer/{boletoId}/cancel", "integration", False, ""),
    "changeBoletoDueDate": ("POST", "/api/billissuer/{boletoId}/due-date", "integration", False, ""),
    "sendTestNotification": ("POST", "/api/webhooks/subscriptions/test", "integration", False, "accountNumber"),
    "listWebhookDeliveries": ("GET", "/api/webhooks/deliveries", "integration", False, "accountNumber status nsu from to page limit orderBy"),
    "getWebhookDelivery": ("GET", "/api/webhooks/deliveries/{deliveryId}", "integration", False, ""),
    "resendWebhookDelivery": ("POST", "/api/webhooks/deliveries/{deliveryId}/resend", "integration", False, ""),
    "resendWebhookDeliveries": ("POST", "/api/webhooks/resend", "integration", False, "accountNumber"),
    "registerWebhook": ("POST", "/api/webhooks/subscriptions", "integration", False, "accountNumber"),
    "getWebhook": ("GET", "/api/webhooks/subscriptions", "integration", False, "accountNumber"),
    "deleteWebhook": ("DELETE", "/api/webhooks/subscriptions", "integration", False, "accountNumber"),
    "setWebhookAuth": ("POST", "/v1/security/webhook-auth", "gateway", False, ""),
    "createWebhookSecret": ("POST", "/api/webhooks/secret", "integration", False, "accountNumber"),
    "listMovements": ("GET", "/api/movements", "integration", False, "accountNumber after limit"),
    "searchReceivablesByCode": ("POST", "/api/transaction/concil/search-by-code", "integration", False, "accountNumber"),
    "exportReceivablesBySale": ("GET", "/api/transaction/concil/export-by-operation-date", "integration", False, "accountNumber startDate endDate"),
    "exportReceivablesByPayment": ("GET", "/api/transaction/concil/export-by-payment-date", "integration", False, "accountNumber startDate endDate"),
    "listReconciliationDays": ("GET", "/api/reconciliation/days", "integration", False, "accountNumber from to"),
    "listReconciliationExceptions": ("GET", "/api/reconciliation/exceptions", "integration", False, "accountNumber from to state class page limit orderBy"),
    "resolveReconciliationException": ("POST", "/api/reconciliation/exceptions/{exceptionId}/resolve", "integration", False, ""),
    "registerExceptionNotifier": ("POST", "/api/reconciliation/notifier", "integration", False, "accountNumber"),
    "getExceptionNotifier": ("GET", "/api/reconciliation/notifier", "integration", False, "accountNumber"),
    "deleteExceptionNotifier": ("DELETE", "/api/reconciliation/notifier", "integration", False, "accountNumber"),
    "listAcquirerCharges": ("GET", "/homologation/acquirer/charges", "gateway", False, "reference paymentId"),
    "listBankBoletos": ("GET", "/homologation/bank/boletos", "gateway", False, "ourNumber"),
    "advanceTestClock": ("POST", "/homologation/clock", "gateway", False, ""),
    "readTestClock": ("GET", "/homologation/clock", "gateway", False, ""),
    "forceTransactionEvent": ("POST", "/homologation/transactions/{paymentId}/events", "gateway", False, ""),
    "forceBoletoEvent": ("POST", "/homologation/boletos/{boletoId}/events", "gateway", False, ""),
    "changeAcquirerScript": ("PUT", "/homologation/acquirer/script", "gateway", False, ""),
    "readAcquirerScript": ("GET", "/homologation/acquirer/script", "gateway", False, ""),
    "listTrialCards": ("GET", "/homologation/trial-cards", "gateway", False, ""),
    # end of operations
}

LOGIN_PATHS = {"gateway": "/api/auth/token", "recurrence": "/api/auth/token", "integration": "/api/authentication/login"}
SHORTEST_PAUSE = 0.25
MOST_BYTES = 16 * 1024 * 1024
KEY = re.compile(r"[\x21-\x7e]{1,255}")
RENEW_SECONDS = 60
MOST_SECONDS_OLD = 300


class ParcelaError(Exception):
    """Parcela answered, and not with what was asked for.

    `problems`: all faults at once, each with `tag` and `description`; of a decline (402) also `buyerMessage`.
    `may_be_done`: an earlier sending had no answer, and this one does not say what became of it: make the same
    call again with the same `idempotency_key`, or look it up. Never take it for a no. It speaks of this call: what
    your program sent with this key before, you know.
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
    `patience`: so long a call is repeated.
    """

    def __init__(self, url, logins, integration_url=None, language="pt-BR", timeout=20, patience=60):
        self._url, self._integration_url = url.rstrip("/"), (integration_url or url).rstrip("/")
        self._logins, self._language, self._timeout, self._patience = logins, language, timeout, patience
        self._tokens = {}
        # One login for all threads that wait for it, and none for another scope.
        self._locks = {scope: threading.Lock() for scope in LOGIN_PATHS}

    def call(self, operation, /, body=None, idempotency_key=None, **given):
        """`given`: places in the path, and the query. Without a key each call has a new one, kept by its repetitions."""
        method, path, scope, is_keyed, names = OPERATIONS[operation]
        query = {}
        for field, value in given.items():
            place = "{" + field + "}"
            if place in path:
                # Such a path would be another one.
                if not isinstance(value, str) or value in ("", ".", ".."):
                    raise TypeError(f"{operation}: {field} names nothing")
                path = path.replace(place, urllib.parse.quote(value, safe=""))
            elif field not in names.split():
                raise TypeError(f"{operation} is not given {field}")
            elif value is not None:
                query[field] = value
        if "{" in path:
            raise TypeError(f"{operation}: {path} lacks a part")
        if idempotency_key is not None and not (is_keyed and KEY.fullmatch(idempotency_key)):
            raise TypeError(f"{operation} takes no such idempotency_key")
        if query:
            path += "?" + urllib.parse.urlencode(query)
        key = str(uuid.uuid4()) if is_keyed and idempotency_key is None else idempotency_key
        host = self._integration_url if scope == "integration" else self._url
        data = None if body is None else json.dumps(body).encode()
        ends_at = time.monotonic() + self._patience
        return self._send(method, host + path, data, scope, key, method == "GET" or is_keyed, ends_at)

    def each(self, operation, /, **given):
        """All items of a list, page after page; the stream of movements goes on from `next`."""
        is_paged = "page" in OPERATIONS[operation][4].split()
        page = given.get("page", 1)
        place = {"page": page} if is_paged else {}
        while True:
            answer = self.call(operation, **{**given, **place})
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

    def _send(self, method, url, data, scope, key, is_repeatable, ends_at):
        in_doubt, refused, tries = False, None, 0
        while True:
            tries += 1
            try:
                token = self._token(scope, refused, ends_at) if scope else None
            except ParcelaError as error:
                raise ParcelaError(error.status, error.problems, key, in_doubt, error.request_id) from error
            except NoAnswer as error:
                raise NoAnswer(error.why, key, in_doubt) from error
            status, answer, headers, why = self._once(method, url, data, token, key)
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
                problems = answer if status != 401 else []
                # It says that this key was sent before: the first request is under way, or was another one.
                was_sent = status in (409, 422) and any(one["tag"] == "idempotencyKey" for one in problems)
                settles = status in (402, 409, 500) and not retry_after
                may_be_done = was_sent or (in_doubt and not settles)
                raise ParcelaError(status, problems, key, may_be_done, headers.get("x-request-id"))
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
        return int(retry_after) if retry_after.isdigit() else longer

    def _once(self, method, url, data, token, key):
        """(status, body, headers, None), or why there is no answer: what does not come from Parcela is none."""
        headers = {"accept": "application/json", "accept-language": self._language}
        if data is not None:
            headers["content-type"] = "application/json"
        if token:
            headers["authorization"] = f"Bearer {token}"
        if key:
            headers["idempotency-key"] = key
        asked = urllib.request.Request(url, data=data, headers=headers, method=method)
        ends_at = time.monotonic() + self._timeout
        try:
            try:
                came = _OPENER.open(asked, timeout=self._timeout)
            except urllib.error.HTTPError as error:
                came = error
            with came:
                status, told = came.status, {name.lower(): value for name, value in came.headers.items()}
                text = b""
                while piece := came.read1(65536):
                    text += piece
                    if time.monotonic() > ends_at or len(text) > MOST_BYTES:
                        return None, None, None, "the answer does not end"
            if status in (502, 504):
                return None, None, None, f"a proxy answered {status}"
            is_json = told.get("content-type", "").startswith("application/json")
            answer = json.loads(text) if is_json else None
            if status == 401 or (is_json and (status < 300 or _are_problems(answer))):
                return status, answer, told, None
            return None, None, None, f"something else than Parcela answered {status}"
        except (OSError, ValueError, http.client.HTTPException) as error:
            return None, None, None, str(error) or type(error).__name__

    def _token(self, scope, refused, ends_at):
        text, ends = self._tokens.get(scope, (None, 0))
        if text is not None and text != refused and ends > time.monotonic():
            return text
        if scope not in self._logins:
            raise KeyError(f"logins[{scope!r}] is missing: this operation needs it")
        lock = self._locks[scope]
        if not lock.acquire(timeout=max(0.001, ends_at - time.monotonic())):
            raise NoAnswer("the login takes too long", None, False)
        try:
            text, ends = self._tokens.get(scope, (None, 0))
            if text is not None and text != refused and ends > time.monotonic():
                return text
            host = self._integration_url if scope == "integration" else self._url
            data = json.dumps(self._logins[scope]).encode()
            answer = self._send("POST", host + LOGIN_PATHS[scope], data, None, None, True, ends_at)
            try:
                # By the service's own clock: ours may be off.
                lives = (_moment(answer["expiration"]) - _moment(answer["created"])).total_seconds()
                text = answer["accessToken"]
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise NoAnswer("the login was answered by something else", None, False) from error
            self._tokens[scope] = (text, time.monotonic() + lives - RENEW_SECONDS)
            return text
        finally:
            lock.release()


def _are_problems(answer):
    return isinstance(answer, list) and len(answer) > 0 and all(
        isinstance(one, dict) and isinstance(one.get("tag"), str) and isinstance(one.get("description"), str)
        for one in answer
    )


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A token goes nowhere else."""

    def redirect_request(self, *_):
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


def _moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def is_genuine(headers, body, secret, now=None):
    """Whether a notification is Parcela's, whole, and new. `headers`: of any case. `body`: the bytes as they came.
    `now`: seconds since 1970. It may still come twice: go by its `movementId`."""
    told = {}
    for name, value in headers.items():
        told[name.lower()] = " ".join(value) if isinstance(value, (list, tuple)) else str(value)
    timestamp = told.get("webhook-timestamp", "")
    if not ("webhook-id" in told and timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        return False
    if abs((time.time() if now is None else now) - int(timestamp)) > MOST_SECONDS_OLD:
        return False
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except ValueError:
        return False
    # With an empty key anybody could sign.
    if not key:
        return False
    signed = f"{told['webhook-id']}.{timestamp}.".encode() + body
    right = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # Two signatures come while a secret is being changed: one that is right will do.
    given = told.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), right) for one in given)
