export {
  type ReturnEntry,
  type ReturnFileFault,
  type ReturnFileHead,
  ReturnFileReader,
  ReturnFileRefused,
} from './banks/return-file.ts';
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
export { readSettlementEvents } from './read-settlement-events.ts';
export { NO_CODE } from './records/entry-fields.ts';
