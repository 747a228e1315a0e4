-- The day of the last login with a credential, São Paulo's; a token lives for an hour, so nothing is used on a day without one.
-- Noted by the first login of a day. Null: never, or not since logins are noted.
alter table credentials add column last_used_on date;
-- From when unused days count where there is no login: the making of the credential, and of this column for those of before.
alter table credentials add column use_noted_since timestamptz not null default now();
