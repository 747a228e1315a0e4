# WEBHOOK_SECRET=whsec_… python3 receive_webhook.py (Python 3.9 or later, standard library only)
import base64
import hashlib
import hmac
import json
import os
import re
import sqlite3
import time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"]
DATABASE = os.environ.get("WEBHOOK_DATABASE", "webhook.db")
MOST_BYTES = 64 * 1024
MOST_SECONDS = 5 * 60


def is_genuine(headers, body, secret, now):
    """Whether the message is Parcela's, whole, and new. body: the bytes as they came. now: seconds since 1970."""
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    signatures = headers.get("webhook-signature", "")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > MOST_SECONDS:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    right = b"v1," + base64.b64encode(digest)
    # Two signatures while a secret is being changed: one that is right will do.
    return any(hmac.compare_digest(given.encode(), right) for given in signatures.split(" "))


def take_notification(told):
    """Works a notification off, once, however often it comes. All or nothing: what raises is answered 500 and comes again."""
    with closing(sqlite3.connect(DATABASE)) as database, database:
        seen = database.execute("insert into movements values (?) on conflict do nothing", (told["movementId"],))
        # What your system does about it goes here, in the same transaction. A number that is smaller came late, and is old news.
        if seen.rowcount == 1:
            database.execute(
                """insert into installments values (?, ?, ?, ?, 1) on conflict (nsu, number) do update
                   set status = excluded.status, movement_id = excluded.movement_id, changes = changes + 1
                   where excluded.movement_id > movement_id""",
                (told["nsu"], told["installmentNumber"], told["newValue"], told["movementId"]),
            )


class Webhook(BaseHTTPRequestHandler):
    timeout = 15

    def do_POST(self):
        try:
            self.send_response(self.answer())
        except Exception as error:
            self.log_error("%r", error)
            self.send_response(500)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer(self):
        length = int(self.headers.get("Content-Length", "0"))
        if not 0 <= length <= MOST_BYTES:
            return 400
        body = self.rfile.read(length)
        if not is_genuine(self.headers, body, SECRET, time.time()):
            return 400
        told = json.loads(body)
        # A callback of a payment has no number, and belongs to another address.
        if not isinstance(told.get("movementId"), int):
            return 400
        if told["type"] != "Teste":
            take_notification(told)
        return 200


if __name__ == "__main__":
    with closing(sqlite3.connect(DATABASE)) as database:
        database.executescript(
            """create table if not exists movements (movement_id integer primary key);
               create table if not exists installments (nsu text, number integer, status text, movement_id integer,
                 changes integer, primary key (nsu, number))"""
        )
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Webhook).serve_forever()
