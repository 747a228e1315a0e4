import type { SettlementFormat } from '../settlement-entry.ts';
import { ADIQ_RECORDS } from './adiq-layout.ts';
import { CIELO_RECORDS } from './cielo-layout.ts';
import type { CodeTable, RecordLayout } from './fixed-width.ts';
import {
  EEFI_ALIKE,
  EEFI_BANK_DEBIT,
  EEFI_BANK_DEBIT_TWIN,
  EEFI_NET_ADJUSTMENT,
  EEFI_NET_ADJUSTMENT_TWIN,
  EEFI_ORDER_TWIN,
  EEFI_PENDING_DEBIT,
  EEFI_SETTLED_DEBIT,
  EEFI_UNSCHEDULED,
  EEFI_UNSCHEDULED_TWIN,
} from './rede-debits-layout.ts';
import {
  EEFI_ANTICIPATION,
  EEFI_BRANCH,
  EEFI_BRANCH_TOTAL,
  EEFI_CREDIT,
  EEFI_CREDIT_ADJUSTMENT,
  EEFI_CREDIT_TOTAL,
  EEFI_HEADER,
  EEFI_LEFT_OUT,
  EEFI_TRAILER,
} from './rede-eefi-layout.ts';
import { EEVC_ALIKE, EEVC_LEFT_OUT, EEVC_RECORDS } from './rede-eevc-layout.ts';

export type FormatLayout = {
  readonly format: SettlementFormat;
  readonly title: string;
  /** Order of records and totals that must agree, in paragraphs. */
  readonly rules: readonly string[];
  /** Characters at the start of a line that name its record. */
  readonly typeLength: number;
  /** Trailing blanks are ignored; with `isTailFree` any trailing text. */
  readonly longestLine: number;
  readonly isTailFree: boolean;
  readonly records: readonly RecordLayout[];
  readonly alike: Readonly<Record<string, { readonly as: string; readonly title: string }>>;
  readonly leftOut: CodeTable;
};

const REDE_RULES = [
  'The header is the first line, the trailer the last. Whatever stands behind the last field of a record is free, up to 1,024 positions.',
  'A count of more digits than its field has is written, and compared, by its last digits.',
];

export const FORMATS: Readonly<Record<SettlementFormat, FormatLayout>> = {
  adiq: {
    format: 'adiq',
    title: 'Adiq EDI 3.1',
    rules: [
      'A0, then lots, then A9. A lot is L0, then CV, AJ and CC in any order, then L9. A file without movement has no lot.',
      '`lineNumber` of each line is one more than that of the line before it, from 1 in A0; after 999999 it goes on with 000000. A count is compared by its last six digits.',
    ],
    typeLength: 2,
    longestLine: 1024,
    isTailFree: false,
    records: ADIQ_RECORDS,
    alike: {},
    leftOut: {},
  },
  cielo04: {
    format: 'cielo04',
    title: 'Cielo 04, v15',
    rules: [
      '0, then D, E and 8, then 9. A D stands before its E; an E belongs to the last D before it that has its `unit` and its `entryType` and has not yet got its `entryCount` of them.',
      'For each D there are `entryCount` E, whose `gross` and `net` are those of the D.',
    ],
    typeLength: 1,
    longestLine: 1024,
    isTailFree: false,
    records: CIELO_RECORDS,
    alike: {},
    leftOut: { '8': 'Pix' },
  },
  redeEevc: {
    format: 'redeEevc',
    title: 'Rede EEVC',
    rules: [
      ...REDE_RULES,
      '002, then head offices, then 028. A head office is 004, its batches, then 026. A batch is 006 with its 008 and 034, or 010 with its 012, its 035 and then its 014.',
      'Of a batch: `saleCount` is that of its accepted sales, `gross`, `fee` and `net` are their sums; `gross`, `fee` and `net` of the 014 of a batch, where there are any, add up to those of the batch too.',
    ],
    typeLength: 3,
    longestLine: 1024,
    isTailFree: true,
    records: EEVC_RECORDS,
    alike: EEVC_ALIKE,
    leftOut: EEVC_LEFT_OUT,
  },
  redeEefi: {
    format: 'redeEefi',
    title: 'Rede EEFI',
    rules: [...REDE_RULES, '030, then head offices, then 052. A head office is 032, its records, then 050.'],
    typeLength: 3,
    longestLine: 1024,
    isTailFree: true,
    records: [
      EEFI_HEADER,
      EEFI_BRANCH,
      EEFI_CREDIT,
      EEFI_NET_ADJUSTMENT,
      EEFI_NET_ADJUSTMENT_TWIN,
      EEFI_ANTICIPATION,
      EEFI_CREDIT_TOTAL,
      EEFI_BANK_DEBIT,
      EEFI_BANK_DEBIT_TWIN,
      EEFI_CREDIT_ADJUSTMENT,
      EEFI_PENDING_DEBIT,
      EEFI_ORDER_TWIN,
      EEFI_SETTLED_DEBIT,
      EEFI_UNSCHEDULED,
      EEFI_UNSCHEDULED_TWIN,
      EEFI_BRANCH_TOTAL,
      EEFI_TRAILER,
    ],
    alike: EEFI_ALIKE,
    leftOut: EEFI_LEFT_OUT,
  },
};
