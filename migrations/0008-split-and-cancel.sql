-- Giving money back, whole or in parts, and dividing a sale between beneficiaries.

alter table transactions
  -- Cents that cancels took or hold: those of `canceled` and of `canceling` together. Never more than was charged.
  add column canceled_amount bigint not null default 0,
  add constraint transactions_canceled_amount_check check (canceled_amount between 0 and amount),
  -- How the merchant asked the sale to be divided; null: not at all.
  -- {"kind", "feePortion", "entries": [{"beneficiary", "portion"}]}, portions in hundredths of a percent.
  add column split jsonb;

-- A merchant asks what became of an order.
create index transactions_by_reference on transactions (merchant_id, reference_transaction, transaction_id)
  where reference_transaction is not null;

alter table installments
  -- Cents given back: what is done, not what is only reserved.
  add column canceled_amount bigint not null default 0,
  add constraint installments_canceled_amount_check check (canceled_amount between 0 and amount),
  add constraint installments_canceled_check check ((state = 'canceled') = (canceled_amount = amount));

-- One wish to give money back. The row is committed before the acquirer is asked (state canceling) and again with its
-- answer; an unanswered one holds its amount and is sent again, under the same id, until the acquirer says yes or no.
create table cancels (
  merchant_id text not null,
  cancel_id uuid not null,
  transaction_id uuid not null,
  state text not null check (state in ('canceling', 'canceled', 'refused')),
  -- Cents.
  amount bigint not null check (amount between 1 and 9999999999),
  created_by text not null,
  -- Business time; created_at and decided_at are real time.
  requested_at timestamptz not null,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  -- The acquirer's word for a no.
  refusal_reason text,
  -- Raised whenever a process takes the row over.
  fence integer not null default 0,
  -- The end of the lease, or when to send it again.
  due_at timestamptz,
  tries smallint not null default 0,
  -- Why the last answer was unknown: a word for people. Null while the first answer is awaited.
  unknown_reason text,
  primary key (merchant_id, cancel_id),
  foreign key (merchant_id, transaction_id) references transactions,
  check ((state = 'canceling') = (due_at is not null)),
  check ((state = 'canceling') = (decided_at is null)),
  check ((state = 'refused') = (refusal_reason is not null))
);
create index cancels_due on cancels (due_at) where due_at is not null;
create index cancels_by_transaction on cancels (merchant_id, transaction_id);

-- What a beneficiary gets of an installment. Position is the place in the request, from 1.
create table shares (
  merchant_id text not null,
  transaction_id uuid not null,
  installment_number smallint not null,
  position smallint not null check (position between 1 and 100),
  -- CPF or CNPJ without mask.
  beneficiary text not null check (char_length(beneficiary) in (11, 14)),
  -- Cents; canceled_amount of them were given back.
  amount bigint not null check (amount >= 0),
  canceled_amount bigint not null default 0 check (canceled_amount between 0 and amount),
  primary key (merchant_id, transaction_id, installment_number, position),
  foreign key (merchant_id, transaction_id, installment_number) references installments
);
