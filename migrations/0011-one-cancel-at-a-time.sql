-- Two cancels of a payment that come at the same moment do not see each other's row, whatever they look for before they write.
-- The second finds this index taken, writes nothing, and is told that another one is under way.
create unique index cancels_under_way on cancels (merchant_id, transaction_id) where state = 'canceling';
