-- Looks of Pix Automático keep their distance, and none is pulled from under a process that asks the bank.
alter table pix_authorizations
  -- Real time: until then a process asks the bank. Null: none does.
  add column leased_until timestamptz,
  -- Of whoever asks: each claim raises it, and only the last one writes when it is looked at again.
  add column fence integer not null default 0,
  -- Business time: that something was heard while a process asked; it is looked at again behind its answer.
  add column heard_at timestamptz,
  -- Business time: of the last unclear answer that counts as a try.
  add column tried_at timestamptz;
alter table pix_collections
  add column leased_until timestamptz,
  add column fence integer not null default 0,
  add column heard_at timestamptz,
  add column tried_at timestamptz;

create or replace function end_pix_authorization() returns trigger language plpgsql as $$
begin
  update pix_authorizations a set state = 'ending', tries = 0, tried_at = null,
    look_at = case when a.leased_until > now() then a.look_at else new.modified_at end,
    heard_at = case when a.leased_until > now() then new.modified_at end
  where a.merchant_id = new.merchant_id and a.subscription_id = new.subscription_id
    and a.state in ('asking', 'waiting', 'approved');
  update pix_collections c
  set look_at = case when c.leased_until > now() then c.look_at else new.modified_at end,
    heard_at = case when c.leased_until > now() then new.modified_at end
  where c.merchant_id = new.merchant_id and c.subscription_id = new.subscription_id and c.state = 'open'
    and (c.look_at > new.modified_at or c.leased_until > now());
  return null;
end $$;

-- What is paid at the bank needs no code any more: its record may leave it out. The third check of the table.
alter table pix_charges drop constraint pix_charges_check2;
