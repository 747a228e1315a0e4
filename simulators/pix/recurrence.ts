import type { Pix } from './books.ts';
import type { CobRContent, RecContent, SolicRecContent } from './rec-content.ts';
import type {
  AttemptStatus,
  CobRStatus,
  Ending,
  Journey,
  PayerStep,
  RecStatus,
  SolicStatus,
} from './recurrence-entries.ts';

export type Dated<S> = { readonly status: S; readonly at: number };

export type LocRec = {
  readonly id: number;
  readonly location: string;
  readonly createdAt: number;
  idRec: string | null;
};

export type Rec = {
  readonly idRec: string;
  readonly createdAt: number;
  content: RecContent;
  readonly history: Dated<RecStatus>[];
  journey: Journey | null;
  ending: Ending | null;
  ceiling: number | null;
  /** What the payer's account makes of the next tries; behind them it pays. */
  payerSteps: readonly PayerStep[];
  readonly cobrs: CobR[];
  readonly solicRecs: SolicRec[];
};

export type SolicRec = {
  readonly idSolicRec: string;
  readonly createdAt: number;
  readonly content: SolicRecContent;
  readonly history: Dated<SolicStatus>[];
};

export type Attempt = {
  readonly endToEndId: string;
  readonly tipo: 'AGND' | 'NTAG' | 'RIFL';
  readonly on: string;
  readonly step: PayerStep;
  readonly history: Dated<AttemptStatus>[];
  ending: Ending | null;
};

export type CobR = {
  readonly txid: string;
  readonly createdAt: number;
  readonly content: CobRContent;
  readonly rec: Rec;
  readonly history: Dated<CobRStatus>[];
  readonly attempts: Attempt[];
  readonly pix: Pix[];
  ending: Ending | null;
};

/** To which something may happen by itself. */
export type Waiting = { readonly rec: Rec } | { readonly solicRec: SolicRec } | { readonly cobr: CobR };

export function statusOf<S>({ history }: { readonly history: readonly Dated<S>[] }): S {
  return (history.at(-1) as Dated<S>).status;
}

/** The try that is not over. */
export function openAttempt({ attempts }: CobR): Attempt | null {
  const last = attempts.at(-1);
  return last !== undefined && ['SOLICITADA', 'AGENDADA'].includes(statusOf(last)) ? last : null;
}
