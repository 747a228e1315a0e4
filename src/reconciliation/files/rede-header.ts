import type { RecordValues } from '../layouts/fixed-width.ts';
import type { EEFI_HEADER } from '../layouts/rede-eefi-layout.ts';
import type { EEVC_HEADER } from '../layouts/rede-eevc-layout.ts';
import type { SettlementFileHead, SettlementFormat } from '../settlement-entry.ts';
import { agrees } from './entry-fields.ts';
import type { Findings, Place } from './findings.ts';
import { disagrees } from './settlement-faults.ts';

/** Both Rede files report the movement of the day on which they are made. */
export function redeHead(
  format: SettlementFormat,
  values: RecordValues<typeof EEVC_HEADER> | RecordValues<typeof EEFI_HEADER>,
): SettlementFileHead {
  const isRepetition = /^reproc/i.test(values.processing);
  return {
    format,
    version: values.version,
    establishment: values.establishment,
    madeOn: values.madeOn,
    from: values.madeOn,
    to: values.madeOn,
    // Repetitions share one number, so it does not identify a file.
    sequence: isRepetition ? null : values.sequence,
    isRepetition,
  };
}

const DIGITS = { branchCount: 4, recordCount: 6 } as const;
type LineCounts = Readonly<Record<keyof typeof DIGITS, number>>;

export function checkLineCounts(
  stated: LineCounts,
  found: LineCounts,
  place: Place,
  findings: Findings,
): void {
  if (!findings.isClean) return;
  for (const name of ['branchCount', 'recordCount'] as const) {
    if (agrees(stated[name], found[name], DIGITS[name])) continue;
    findings.fault(place, name, disagrees(name, stated[name], found[name]));
  }
}
