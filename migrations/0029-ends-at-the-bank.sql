-- Outside a transaction: rows are looked at while others write.
-- bank: its authorization was ended at the bank, on the side of the receiver.
alter table subscriptions drop constraint if exists subscriptions_reason_check;
alter table subscriptions add constraint subscriptions_reason_check check (reason in ('user', 'plan', 'declined', 'completed', 'cardCanceled', 'chargeback', 'payer', 'bank', 'rejected', 'expired', 'unanswered', 'subscriber')) not valid;
alter table subscriptions validate constraint subscriptions_reason_check;
alter table subscription_events drop constraint if exists subscription_events_reason_check;
alter table subscription_events add constraint subscription_events_reason_check check (reason in ('user', 'plan', 'declined', 'completed', 'cardCanceled', 'chargeback', 'payer', 'bank', 'rejected', 'expired', 'unanswered', 'subscriber')) not valid;
alter table subscription_events validate constraint subscription_events_reason_check;
