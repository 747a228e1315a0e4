-- Outside a transaction: the index is built while others write.
-- What cards gave back, by the moment: charts sum any days of it.
drop index concurrently if exists cancels_by_moment;
create index concurrently cancels_by_moment on cancels (merchant_id, canceled_at) include (amount)
  where canceled_at is not null;
