-- Pix Automático: what payers agree to, and what is collected under it. Times without another word are business time.

create table pix_authorizations (
  merchant_id text not null,
  subscription_id uuid not null,
  -- The provider that was asked for it: it alone is asked about it.
  bank text not null check (char_length(bank) <= 40),
  journey smallint not null check (journey between 1 and 3),
  -- asking: the bank has not answered yet. ending: the subscription is over, and the bank is told.
  state text not null check (state in ('asking', 'waiting', 'approved', 'ending', 'ended')),
  -- The bank's id.
  rec_id text check (rec_id ~ '^[a-zA-Z0-9]{29}$'),
  -- Under which the picture of its QR code is found: nobody can guess it.
  page_key text not null check (page_key ~ '^[0-9a-f]{32}$'),
  -- The text of the QR code that authorizes.
  pix_emv text check (char_length(pix_emv) <= 600),
  refusal_reason text check (char_length(refusal_reason) <= 100),
  -- Of journey 3: the charge whose code authorizes too.
  first_pix_id uuid,
  -- Cents. Null: the amount is fixed.
  least_amount bigint check (least_amount > 0),
  -- Where the payer's own bank is asked: personal data, kept until the bank has the authorization.
  payer_account jsonb,
  -- Days before its due day on which a charge is sent to the bank.
  lead_days smallint not null check (lead_days between 0 and 10),
  starts_on date not null,
  requested_at timestamptz not null,
  -- Until when the payer may agree.
  expires_at timestamptz not null,
  -- When the bank is asked about it next. Null: it is over.
  look_at timestamptz,
  -- Without a clear answer, in a row.
  tries smallint not null default 0,
  unknown_reason text check (char_length(unknown_reason) <= 300),
  -- Real time.
  unknown_since timestamptz,
  primary key (merchant_id, subscription_id),
  foreign key (merchant_id, subscription_id) references subscriptions (merchant_id, subscription_id),
  check ((state = 'ended') = (look_at is null)),
  check (state not in ('waiting', 'approved') or (rec_id is not null and pix_emv is not null)),
  check ((journey = 3) = (first_pix_id is not null))
);
create index pix_authorizations_to_look_at on pix_authorizations (look_at) where look_at is not null;
create index pix_authorizations_by_rec_id on pix_authorizations (rec_id) where look_at is not null;
create index pix_authorizations_by_page_key on pix_authorizations (page_key);
create index pix_authorizations_unanswered on pix_authorizations (unknown_since) where unknown_since is not null;
create index pix_authorizations_of_merchant on pix_authorizations (merchant_id, look_at) where look_at is not null;

-- Every try to collect a billing: one charge at the bank has up to four.
create table pix_collections (
  merchant_id text not null,
  -- The charge's id, as its billing names it; the payment's, if it is paid.
  pix_id uuid not null,
  billing_id uuid not null,
  subscription_id uuid not null,
  -- Of the billing: its tries are one charge at the bank, which has at most one under it.
  txid text not null check (txid ~ '^[a-zA-Z0-9]{26,35}$'),
  attempt_number smallint not null check (attempt_number between 1 and 4),
  -- Cents.
  amount bigint not null check (amount between 1 and 9999999999),
  -- Of the charge at the bank, and of this try.
  due_on date not null,
  try_on date not null,
  state text not null check (state in ('open', 'paid', 'failed', 'denied', 'invalid', 'voided')),
  -- The bank has it.
  is_sent boolean not null default false,
  -- Why it was not paid, as the payer's bank says it.
  code text check (char_length(code) <= 100),
  -- When the bank is asked about it next. Null: billing and books have what came of it.
  look_at timestamptz,
  tries smallint not null default 0,
  unknown_reason text check (char_length(unknown_reason) <= 300),
  -- Real time.
  unknown_since timestamptz,
  primary key (merchant_id, pix_id),
  foreign key (merchant_id, billing_id) references billings (merchant_id, billing_id),
  foreign key (merchant_id, subscription_id) references pix_authorizations (merchant_id, subscription_id),
  check (state <> 'open' or look_at is not null)
);
create index pix_collections_to_look_at on pix_collections (look_at) where look_at is not null;
create index pix_collections_unanswered on pix_collections (unknown_since) where unknown_since is not null;
-- What a bank reports names no merchant.
create index pix_collections_by_txid on pix_collections (txid);
create index pix_collections_of_merchant on pix_collections (merchant_id, look_at) where look_at is not null;
create index pix_collections_of_billing on pix_collections (merchant_id, billing_id);
create index pix_collections_of_subscription on pix_collections (merchant_id, subscription_id);

-- What arrived under a txid of Pix Automático that has no Pix yet, kept in the commit that moves the cursor. It goes to
-- pix_receipts when the books have a Pix for it: the one that it paid, or one that is over.
create table collected_pix_receipts (
  merchant_id text not null,
  -- The end-to-end id.
  receipt_id text not null check (receipt_id ~ '^[a-zA-Z0-9]{32}$'),
  txid text not null check (txid ~ '^[a-zA-Z0-9]{26,35}$'),
  amount bigint not null check (amount > 0),
  -- Real time: of the bank, and when to look next.
  received_at timestamptz not null,
  due_at timestamptz not null default now(),
  tries smallint not null default 0,
  created_at timestamptz not null default now(),
  primary key (merchant_id, receipt_id)
);
create index collected_pix_receipts_due on collected_pix_receipts (due_at);

-- Whoever ends a subscription ends its authorization, in the same commit: the bank is told by the work, at once. The
-- code of its first charge must not stay payable.
create function end_pix_authorization() returns trigger language plpgsql as $$
begin
  update pix_authorizations a set state = 'ending', look_at = new.modified_at, tries = 0
  where a.merchant_id = new.merchant_id and a.subscription_id = new.subscription_id
    and a.state in ('asking', 'waiting', 'approved');
  update pix_collections c set look_at = new.modified_at
  where c.merchant_id = new.merchant_id and c.subscription_id = new.subscription_id and c.state = 'open'
    and c.look_at > new.modified_at;
  return null;
end $$;

-- Who is erased is erased here too.
create function erase_payer_account() returns trigger language plpgsql as $$
begin
  update pix_authorizations a set payer_account = null
  where a.merchant_id = new.merchant_id and a.subscription_id = new.subscription_id and a.payer_account is not null;
  return null;
end $$;

create trigger subscriptions_erase_payer_account after update of customer on subscriptions
  for each row when (new.payment_method = 'pixAutomatic' and new.customer is null and old.customer is not null)
  execute function erase_payer_account();

create trigger subscriptions_end_authorization after update of state on subscriptions
  for each row when (new.payment_method = 'pixAutomatic' and new.state not in ('pending', 'active', 'blocked'))
  execute function end_pix_authorization();
