-- Card networks fine a merchant who tries a declined card too often: before a card is charged its declines of the last
-- thirty days are counted.

-- The declines of a card at a merchant, newest first. Only a decline has a response code, so an approval never writes here;
-- and the condition names no column that an approval changes, as `state` would be. sold_at: business time.
create index transactions_declined_by_card on transactions (merchant_id, card_fingerprint, sold_at)
  where response_code is not null;
