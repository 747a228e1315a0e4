-- Never changed: what is measured beside it is compared over years.
insert into fixed_limit_intents default values returning id \gset
insert into fixed_limit_outcomes (id) values (:id);
