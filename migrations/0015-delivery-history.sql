-- A merchant looks through the deliveries of an account, newest first, and sends those that were given up again. The state stands
-- before the time, so that the few that failed are found among the millions that did not. The number is no part of the key: a
-- statement that is planned while the table is small could otherwise look rows up by it here, over all rows of the merchant.
create index deliveries_by_account on deliveries (merchant_id, account_number, state, created_at) include (delivery_number);
