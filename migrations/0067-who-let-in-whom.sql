-- The user of the console who let this one in last, by an invitation or a recovery. Null: nobody did, but the command line.
alter table console_users add column let_in_by uuid references console_users (user_id);
