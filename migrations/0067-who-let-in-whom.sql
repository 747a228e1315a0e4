-- The user of the console who let this one in last, by an invitation or a recovery; and the one who gave the role that this one has now,
-- in the place of the first. Null: nobody did, but the command line.
alter table console_users
  add column let_in_by uuid references console_users (user_id),
  add column role_given_by uuid references console_users (user_id),
  add column role_given_at timestamptz;
