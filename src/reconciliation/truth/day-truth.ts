import { lengthPrefixed } from '../../audit/audit-chain.ts';
import type { Day } from '../../values/instant.ts';
import { type CountedDifferences, type EndedRun, NOTHING_COMPARED, withTally } from './truth-run.ts';

export type DayTruth = {
  readonly day: Day;
  readonly environment: string;
  readonly merchants: number;
  readonly unverified: number;
  readonly charges: number;
  readonly receivables: number;
  readonly days: number;
  readonly daysLeftOut: number;
  readonly differing: number;
  readonly differences: CountedDifferences;
  readonly asked: number;
  readonly beyondLookUp: number;
  readonly leftOut: number;
  readonly isCutShort: boolean;
};

export function dayTruth(
  { day, environment, merchants }: Pick<DayTruth, 'day' | 'environment' | 'merchants'>,
  runs: readonly EndedRun[],
): DayTruth {
  const all = runs.reduce<Parameters<typeof withTally>[0]>(withTally, NOTHING_COMPARED);
  const { charges, receivables, days, daysLeftOut, differences, asked, beyondLookUp, leftOut, isCutShort } =
    all;
  return {
    ...{ day, environment, merchants, unverified: merchants - runs.length },
    ...{ charges, receivables, days, daysLeftOut },
    differing: Object.values(differences).reduce((sum, { count }) => sum + count, 0),
    ...{ differences, asked, beyondLookUp, leftOut, isCutShort },
  };
}

const REPORT_MARK = 'parcela truth report 1';

/** The bytes to be sealed. The mark keeps them different from those of every entry of the audit log. */
export function reportBytes(report: string): Buffer {
  return lengthPrefixed([REPORT_MARK, report]);
}

export type SealedReport = {
  readonly report: string;
  readonly dataKeyId: number;
  /** 64 hexadecimal digits. */
  readonly seal: string;
};

const SEAL_DIGITS = 64;

/** Null if the text is not a sealed report. The caller checks its seal. */
export function readSealedReport(text: string): SealedReport | null {
  const { report, dataKeyId, seal } = objectOf(text);
  if (typeof report !== 'string' || !Number.isSafeInteger(dataKeyId) || typeof seal !== 'string') return null;
  if (seal.length !== SEAL_DIGITS || !/^[\da-f]+$/.test(seal)) return null;
  return { report, dataKeyId: dataKeyId as number, seal };
}

/** The caller has checked the seal. */
export function parseReport(report: string): DayTruth {
  return JSON.parse(report) as DayTruth;
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
