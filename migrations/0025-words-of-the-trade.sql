-- Tables, columns and stored states take the words that the code uses. There is no release that could run beside this one yet
-- (decisions/0045); from the first release on a name is added beside the old one, and the old one dropped a release later.

alter table webhook_targets rename to webhook_endpoints;
alter table webhook_endpoints rename column target to endpoint;
alter table webhook_endpoints drop constraint webhook_targets_state_check;
update webhook_endpoints set state = 'disabled' where state = 'held';
alter table webhook_endpoints
  add constraint webhook_endpoints_state_check check (state in ('active', 'disabled', 'removed'));
alter table deliveries rename column target to endpoint;

alter table merchant_notifiers rename to alert_endpoints;
alter table alert_endpoints rename column notifier_id to alert_endpoint_id;
alter table alert_endpoints rename column target to endpoint;
alter table alert_endpoints rename column expiries_told_on to expiries_alerted_on;
alter table card_expiry_notices rename to card_expiry_alerts;
alter table card_expiry_alerts rename column notifier_id to alert_endpoint_id;

alter table card_claims rename to card_source_locks;
alter table card_source_locks rename column carrier_hash to source_hash;
alter table transactions rename column carrier_hash to source_hash;
alter table card_tokens rename column carrier_hash to source_hash;
alter table card_tokens rename column carrier_expires_at to source_expires_at;

alter table anti_fraud_attempts rename to velocity_events;
alter table velocity_events rename column card_print to card_fingerprint;
alter table velocity_events rename column document_print to document_fingerprint;
alter table velocity_events rename column address_print to address_fingerprint;
alter table velocity_events rename column device_print to device_fingerprint;
alter table anti_fraud_codes rename column address_prints to address_fingerprints;
alter table anti_fraud_codes rename column device_prints to device_fingerprints;
alter table idempotency_keys rename column body_print to body_fingerprint;
alter table idempotency_keys rename column print_key_id to body_fingerprint_key_id;

-- A charge whose outcome is unknown is unresolved; what nobody was told of is voided.
alter table transactions rename column settling_since to unresolved_since;
alter table transactions rename column settling_fence to resolving_fence;
alter table transactions rename column settle_tries to resolve_tries;
alter table transactions rename column undo_sent_at to void_sent_at;
alter table transactions rename column unheard_chargeback_at to unprocessed_chargeback_at;
alter table transactions
  drop constraint transactions_state_check,
  drop constraint transactions_check,
  drop constraint transactions_check1;
update transactions set state = case state when 'settling' then 'unresolved' else 'voided' end
  where state in ('settling', 'undone');
alter table transactions
  add constraint transactions_state_check
    check (state in ('charging', 'unresolved', 'approved', 'declined', 'voided')),
  add constraint transactions_due_check check ((state in ('charging', 'unresolved')) = (due_at is not null)),
  add constraint transactions_decided_check check ((state in ('charging', 'unresolved')) = (decided_at is null));

drop index billing_charges_by_attempt;
alter table billing_charges drop constraint billing_charges_outcome_check;
update billing_charges set outcome = 'voided' where outcome = 'undone';
alter table billing_charges add constraint billing_charges_outcome_check
  check (outcome in ('approved', 'funds', 'blocked', 'denied', 'technical', 'invalid', 'voided'));
create unique index billing_charges_by_attempt on billing_charges (merchant_id, billing_id, attempt)
  where outcome is distinct from 'voided';
