-- Outside a transaction: rows are looked at while others write.
-- A boleto has its try until it is paid, over, or taken away.
alter table payment_links drop constraint if exists payment_links_try_method_check;
alter table payment_links add constraint payment_links_try_method_check check (try_method in ('card', 'pix', 'boleto')) not valid;
alter table payment_links validate constraint payment_links_try_method_check;
