-- A user as he was since he was let in last: a new hand at each invitation and recovery. Whom he lets in is let in by the hand that he has
-- then, so that a chain of these stays as it was when somebody in its middle is recovered.
create table console_hands (
  hand_id uuid primary key,
  -- Null: of the hand of all of whom nothing is known.
  user_id uuid references console_users (user_id),
  made_at timestamptz not null default now()
);

-- Rows are added, and never changed or taken away. No row: the command line let that one in.
create table console_hand_givers (
  hand_id uuid not null references console_hands (hand_id),
  given_by uuid not null references console_hands (hand_id),
  gift text not null check (gift in ('access', 'role')),
  made_at timestamptz not null default now(),
  primary key (hand_id, given_by, gift)
);

-- Who was there before this, or is let in by a version from before it running beside, has this one until the command line recovers him.
insert into console_hands (hand_id) values ('00000000-0000-0000-0000-000000000000');

alter table console_users
  add column hand_id uuid not null default '00000000-0000-0000-0000-000000000000' references console_hands (hand_id),
  add column role_given_at timestamptz;
