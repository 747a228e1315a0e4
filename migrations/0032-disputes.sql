-- Outside a transaction: the index is built while others write.
-- The chargebacks of a merchant, the newest first: the list of its disputes.
drop index concurrently if exists acquirer_changes_disputes;
create index concurrently acquirer_changes_disputes on acquirer_changes (merchant_id, happened_at, change_number)
  -- What is looked up by its key must not take this index while the table is all but empty.
  where event = 'chargeback' and state <> 'refused' and installment_number > 0;

-- Payments of which a part went back, by day: of a Pix by when it was paid.
drop index concurrently if exists transactions_partly_returned;
create index concurrently transactions_partly_returned on transactions (merchant_id, sold_at, transaction_id)
  where canceled_amount > 0 and canceled_amount < amount;
drop index concurrently if exists pix_payments_partly_returned;
create index concurrently pix_payments_partly_returned on pix_payments (merchant_id, paid_at, pix_id)
  where returned_amount > 0 and returned_amount < amount;
