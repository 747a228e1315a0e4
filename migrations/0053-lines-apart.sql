-- Columns without a preset, or with one that writes no row.

-- The first and the last day on which lines of files move something of an installment, where that is not one payout alone: the days of
-- a merchant look at each of its lines. Null: they move nothing, or one payout on filed_bank_on.
alter table receivables add column apart_from date, add column apart_to date;

-- Raised by whoever writes an installment of days that were looked through: a look that began before does not count.
alter table settlement_coverages add column fence bigint not null default 0;

-- Whether it was open before a rule explained it: its merchant was notified of it then.
alter table reconciliation_exceptions add column was_open boolean not null default false;
