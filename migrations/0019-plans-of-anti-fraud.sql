-- Tries of a card, a buyer, an address or a device were looked for among all of the merchant's day wherever a statement had been planned
-- while the table was empty: both indexes seem alike then, and both have the order. What is indexed as an expression is taken by
-- whoever names it, and that is the count of the whole merchant alone.
drop index anti_fraud_attempts_by_merchant;
create index anti_fraud_attempts_by_merchant on anti_fraud_attempts ((merchant_id || ''), attempted_at);
