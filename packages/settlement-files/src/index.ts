export {
  type RedeDebit,
  type RedeDeposit,
  type RedePaidInstallment,
  RedeStatementWriter,
} from './acquirers/rede/write-rede-statement.ts';
export { BANKS, bankText, refusalText } from './banks/banks.ts';
export { type ReturnEvent, readReturnEvents } from './banks/read-return-events.ts';
export {
  type ReturnEntry,
  type ReturnFileFault,
  type ReturnFileHead,
  ReturnFileRefused,
} from './banks/return-entry.ts';
export type { CardBrand } from './card-number.ts';
export type { Day } from './day.ts';
export {
  ENTRY_KINDS,
  type EntryKind,
  type SettlementEntry,
  type SettlementEvent,
  type SettlementFault,
  type SettlementFileEnd,
  type SettlementFileHead,
} from './entry.ts';
export { FORMATS, formatNamed, SETTLEMENT_FORMATS, type SettlementFormat } from './formats.ts';
export { isReturnFile } from './is-return-file.ts';
export { readSettlementEvents } from './read-settlement-events.ts';
export { NO_CODE } from './records/entry-fields.ts';
export { bradescoDigit, digit9, modulo10 } from './remittances/check-digits.ts';
export type { Agreement, RemittanceBank, RemittanceOrder } from './remittances/remittance.ts';
export {
  agreementFault,
  REMITTANCE_BANKS,
  remittanceBankNamed,
  writeRemittance,
} from './remittances/remittance-banks.ts';
export { sicrediSequence } from './remittances/sicredi.ts';
