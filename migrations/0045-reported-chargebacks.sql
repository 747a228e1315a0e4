-- Outside a transaction: an index on acquirer_changes is built while they are written. Each command may be repeated.
-- Whether a chargeback of a file was reported before by the acquirer itself. There are few.
drop index concurrently if exists acquirer_changes_chargebacks;
create index concurrently acquirer_changes_chargebacks on acquirer_changes (merchant_id, reference, installment_number)
  where event = 'chargeback';
