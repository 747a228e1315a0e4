-- Outside a transaction: rows are looked at while others write.
-- An open link is looked at too: money may still come for a bill that it had.
alter table payment_links drop constraint if exists payment_links_check1;
alter table payment_links drop constraint if exists payment_links_looked_at;
alter table payment_links add constraint payment_links_looked_at
  check (case state when 'paying' then look_at is not null when 'open' then true else look_at is null end) not valid;
alter table payment_links validate constraint payment_links_looked_at;
-- Of the tries, with a boleto: each costs the merchant money at his bank.
alter table payment_links add column if not exists boleto_tries smallint not null default 0;
-- Ids that are derived from a key have no order in time.
drop index concurrently if exists boletos_by_payer_time;
create index concurrently boletos_by_payer_time on boletos ((payer ->> 'documentNumber'), merchant_id, requested_at, boleto_id)
  where payer is not null;
drop index concurrently if exists boletos_by_document;
drop index concurrently if exists pix_charges_by_payer_time;
create index concurrently pix_charges_by_payer_time on pix_charges ((payer ->> 'documentNumber'), merchant_id, requested_at, pix_id)
  where payer is not null;
drop index concurrently if exists pix_charges_by_document;
