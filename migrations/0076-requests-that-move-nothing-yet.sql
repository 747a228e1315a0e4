-- A request for a second person may move nothing yet: of billings that a restore holds none may be due.
alter table console_requests drop constraint console_requests_amount_check,
  add constraint console_requests_amount_check check (amount >= 0) not valid;
