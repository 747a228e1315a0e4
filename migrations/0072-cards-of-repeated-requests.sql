-- Outside a transaction. Each command may be repeated.

-- Behind the fingerprint of the body, under the same key, that of the card which the first request's carrier held. Of 32 bytes: it
-- held none, or was recorded before cards were compared.
alter table idempotency_keys drop constraint if exists idempotency_keys_body_print_check;
alter table idempotency_keys drop constraint if exists idempotency_keys_body_fingerprint_check;
alter table idempotency_keys add constraint idempotency_keys_body_fingerprint_check
  check (octet_length(body_fingerprint) in (32, 64)) not valid;
alter table idempotency_keys validate constraint idempotency_keys_body_fingerprint_check;
