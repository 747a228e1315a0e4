-- Outside a transaction: nothing is written.
select 1;
