-- What each address is notified of. Those that are registered already, and those that a version of before registers beside this one,
-- are notified of both that there were.
alter table alert_endpoints
  add column events text[] not null default '{failed,cardExpiring}'
    check (cardinality(events) > 0 and events <@ '{failed,paid,canceled,blocked,reactivated,completed,cardExpiring,upcoming}');

-- Billings whose day comes within three days, and of which an address was notified: forgotten when their day has come. On the day
-- that `expiries_alerted_on` names, it was notified of cards and of billings.
create table upcoming_alerts (
  merchant_id text not null,
  alert_endpoint_id uuid not null,
  due_on date not null,
  billing_id uuid not null,
  primary key (merchant_id, alert_endpoint_id, due_on, billing_id),
  foreign key (merchant_id, alert_endpoint_id) references alert_endpoints
);
