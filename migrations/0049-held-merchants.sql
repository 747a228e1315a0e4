-- What the operator holds of a merchant: who calls in its name is locked out, or what its subscriptions owe is not charged. Two
-- columns without a preset: no row is written.
alter table merchants add column disabled_at timestamptz, add column billings_held_at timestamptz;
