-- A monthly plan may end after so many installments; a custom one must.
alter table plans drop constraint if exists plans_check;
alter table plans add constraint plans_installments_of_type_check
  check ((plan_type <> 'custom' or installments > 0) and (installments = 0 or plan_type in ('custom', 'monthly')));
