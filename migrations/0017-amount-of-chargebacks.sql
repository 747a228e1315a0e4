-- What a chargeback took back in all. Null: what is left of its installment, and all other changes.
alter table acquirer_changes add column amount bigint check (amount between 1 and 9999999999);
