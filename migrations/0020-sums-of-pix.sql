-- Outside a transaction: the indexes are built while others write.
-- What arrived by Pix, and what went back, by the moment: a merchant's first page sums two days of them.
drop index concurrently if exists pix_payments_by_moment;
create index concurrently pix_payments_by_moment on pix_payments (merchant_id, paid_at) include (amount)
  -- What is looked up by its key must not take this index while the table is all but empty.
  where surprise is null and paid_at is not null;
drop index concurrently if exists pix_refunds_by_moment;
create index concurrently pix_refunds_by_moment on pix_refunds (merchant_id, refunded_at) include (amount)
  where refunded_at is not null;
