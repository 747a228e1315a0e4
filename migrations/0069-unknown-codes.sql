-- Outside a transaction: the exceptions are validated while they are written. Each command may be repeated.
-- What a file or a bank says under a code that its layout does not know is an exception of its own class.
alter table reconciliation_exceptions drop constraint if exists reconciliation_exceptions_class_check;
alter table reconciliation_exceptions add constraint reconciliation_exceptions_class_check
  check (class in ('notInFile', 'notInParcela', 'amountDiffers', 'feeDiffers', 'dateDiffers', 'duplicateInFile', 'cancellationUnknown',
    'chargebackUnknown', 'heldByPledge', 'unknownCode')) not valid;
alter table reconciliation_exceptions validate constraint reconciliation_exceptions_class_check;
