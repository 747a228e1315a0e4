-- Outside a transaction: the index is built while others write.
-- The chargebacks of a merchant, the newest first: the list of its disputes.
drop index concurrently if exists acquirer_changes_disputes;
create index concurrently acquirer_changes_disputes on acquirer_changes (merchant_id, happened_at, change_number)
  -- What is looked up by its key must not take this index while the table is all but empty.
  where event = 'chargeback' and state <> 'refused' and installment_number > 0;
