-- Users who sign in through the operator's identity provider (OIDC). A row is an invitation until somebody signs
-- in under the user's name for the first time, and from then on names the one identity that opens the console.
create table console_identities (
  user_id uuid primary key references console_users (user_id),
  created_by text not null,
  created_at timestamptz not null default now(),
  -- Until when an identity may be bound.
  invited_until timestamptz not null,
  issuer text check (octet_length(issuer) between 1 and 1000),
  subject text check (octet_length(subject) between 1 and 1000),
  bound_at timestamptz,
  unique (issuer, subject),
  check ((issuer is null) = (subject is null) and (issuer is null) = (bound_at is null))
);
