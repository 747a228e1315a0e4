-- `attempts` was three things: the retries that a plan allows, the charges made of a billing, and the number of a charge. Each has
-- its own word now. There is no release that could run beside this one yet (decisions/0045).

alter table plans rename column attempts to max_retries;
alter table subscriptions rename column attempts to max_retries;
alter table billings rename column attempts to charges_made;
alter table billing_charges rename column attempt to attempt_number;
