import type { RecordValues } from '../layouts/fixed-width.ts';
import {
  EEFI_ANTICIPATION,
  EEFI_CREDIT,
  type EEFI_CREDIT_ADJUSTMENT,
  EEFI_CREDIT_STATUS,
} from '../layouts/rede-eefi-layout.ts';
import type { EntryKind, SettlementEntry } from '../settlement-entry.ts';
import { bareEntry, installmentOfText, redeBrand, unknownUnder } from './entry-fields.ts';
import type { Findings } from './findings.ts';
import type { GoodLine } from './record-lines.ts';
import { kindOfReason, reasonOf, reasonWords } from './rede-debit.ts';
import { notOf } from './settlement-faults.ts';

export function creditOf(
  values: RecordValues<typeof EEFI_CREDIT>,
  line: GoodLine,
  findings: Findings,
): SettlementEntry | null {
  const installment = installmentOfText(values.installment);
  if (installment === null) {
    findings.fault(line, 'installment', notOf('installment', EEFI_CREDIT.type));
    return null;
  }
  const kind = kindOfStatus(values.status);
  return {
    ...bareEntry(line.lineNumber, kind, values.originalEstablishment ?? values.establishment),
    brand: redeBrand(values.brand),
    ...installment,
    gross: values.gross,
    fee: values.fee,
    net: values.net,
    bankOn: values.creditDay,
    batch: values.batch,
    document: values.document,
    description: kind === 'unknown' ? unknownUnder(values.status) : null,
  };
}

function kindOfStatus(status: string): EntryKind {
  const kind = /\(`(\w+)`\)/.exec(EEFI_CREDIT_STATUS[status] ?? '')?.[1];
  return (kind as EntryKind | undefined) ?? 'unknown';
}

export function anticipationOf(
  values: RecordValues<typeof EEFI_ANTICIPATION>,
  line: GoodLine,
  findings: Findings,
): SettlementEntry | null {
  const installment = installmentOfText(values.installment);
  if (installment === null) {
    findings.fault(line, 'installment', notOf('installment', EEFI_ANTICIPATION.type));
    return null;
  }
  return {
    ...bareEntry(line.lineNumber, 'anticipation', values.originalEstablishment ?? values.establishment),
    brand: redeBrand(values.brand),
    ...installment,
    gross: values.gross,
    fee: values.fee,
    net: values.net,
    anticipationFee: values.originalNet - values.net,
    bankOn: values.creditDay,
    batch: values.batch,
    document: values.document,
  };
}

export function creditAdjustmentOf(
  values: RecordValues<typeof EEFI_CREDIT_ADJUSTMENT>,
  line: GoodLine,
): SettlementEntry {
  const reason = reasonOf(values);
  const kind = creditKind(reason);
  return {
    ...bareEntry(line.lineNumber, kind, values.establishment),
    brand: redeBrand(values.brand),
    gross: values.net,
    net: values.net,
    bankOn: values.creditDay,
    document: values.document,
    description: reasonWords(kind, reason, values.description),
  };
}

/** What takes money back is no credit. */
function creditKind(reason: string | null): EntryKind {
  const kind = kindOfReason(reason);
  return kind === 'cancel' || kind === 'chargeback' ? 'adjustment' : kind;
}
