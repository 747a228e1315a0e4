-- Outside a transaction: the checks of tables that grow are validated while they are written. Each command may be repeated.
-- What version 2 of the bridge protocol brings: soft descriptors, cancels that are accepted and decided later, and what was paid out.

-- What the buyer reads on the card's statement: the merchant's default, and a plan's.
alter table merchants add column if not exists soft_descriptor text;
alter table merchants drop constraint if exists merchants_soft_descriptor_check;
alter table merchants add constraint merchants_soft_descriptor_check check (char_length(soft_descriptor) between 1 and 13);
alter table plans add column if not exists soft_descriptor text;
alter table plans drop constraint if exists plans_soft_descriptor_check;
alter table plans add constraint plans_soft_descriptor_check check (char_length(soft_descriptor) between 1 and 13);

-- pending: the acquirer accepted it and decides later; its amount stays held, and it is asked for now and then (due_at). A process of
-- the version before asks for it as for one without an answer, at each lease, and decides nothing about it.
alter table cancels add column if not exists accepted_at timestamptz;
-- The due_at of a pending one that nobody asks for now; another due_at is the lease of a process that does.
alter table cancels add column if not exists rests_until timestamptz;
alter table cancels drop constraint if exists cancels_state_check;
alter table cancels add constraint cancels_state_check
  check (state in ('canceling', 'pending', 'canceled', 'refused')) not valid;
alter table cancels validate constraint cancels_state_check;
alter table cancels drop constraint if exists cancels_check;
alter table cancels add constraint cancels_check
  check ((state in ('canceling', 'pending')) = (due_at is not null)) not valid;
alter table cancels validate constraint cancels_check;
alter table cancels drop constraint if exists cancels_check1;
alter table cancels add constraint cancels_check1
  check ((state in ('canceling', 'pending')) = (decided_at is null)) not valid;
alter table cancels validate constraint cancels_check1;
alter table cancels drop constraint if exists cancels_accepted_check;
alter table cancels add constraint cancels_accepted_check check (state <> 'pending' or accepted_at is not null) not valid;
alter table cancels validate constraint cancels_accepted_check;

-- What the acquirer kept and paid out when it settled an installment, in cents, and the day on which the money is at the bank; null: it did
-- not report it.
alter table acquirer_changes add column if not exists fee bigint, add column if not exists net bigint,
  add column if not exists bank_on date;
alter table acquirer_changes drop constraint if exists acquirer_changes_settled_check;
alter table acquirer_changes add constraint acquirer_changes_settled_check
  check (fee >= 0 and net >= 0) not valid;
alter table acquirer_changes validate constraint acquirer_changes_settled_check;
alter table installments add column if not exists fee bigint, add column if not exists net bigint,
  add column if not exists bank_on date;

-- When a chargeback that has to wait, behind a pending cancel for days, marked the charge of its billing; applying it does not mark it again.
alter table acquirer_changes add column if not exists marked_at timestamptz;
