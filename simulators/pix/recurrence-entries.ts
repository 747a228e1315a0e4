import type { FieldReader } from '../kit/field-reader.ts';
import { readDay } from './moments.ts';
import {
  type CobRContent,
  REC_ID,
  type RecContent,
  readCobRContent,
  readRecContent,
  readSolicRecContent,
  type SolicRecContent,
} from './rec-content.ts';

const TXID = /^[a-zA-Z0-9]{26,35}$/;
const END_TO_END_ID = /^[a-zA-Z0-9]{32}$/;
export const SOLIC_ID = /^SC[A-Z0-9]{8}\d{8}[a-zA-Z0-9]{11}$/;

export const REC_STATUSES = ['CRIADA', 'APROVADA', 'REJEITADA', 'EXPIRADA', 'CANCELADA'] as const;
export type RecStatus = (typeof REC_STATUSES)[number];
export const SOLIC_STATUSES = [
  ...(['CRIADA', 'ENVIADA', 'RECEBIDA', 'REJEITADA', 'ACEITA', 'EXPIRADA', 'CANCELADA'] as const),
] as const;
export type SolicStatus = (typeof SOLIC_STATUSES)[number];
export const COBR_STATUSES = ['CRIADA', 'ATIVA', 'CONCLUIDA', 'EXPIRADA', 'REJEITADA', 'CANCELADA'] as const;
export type CobRStatus = (typeof COBR_STATUSES)[number];
export const ATTEMPT_STATUSES = [
  'SOLICITADA',
  'AGENDADA',
  'PAGA',
  'CANCELADA',
  'REJEITADA',
  'EXPIRADA',
] as const;
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];
export const JOURNEYS = ['JORNADA_1', 'JORNADA_2', 'JORNADA_3', 'JORNADA_4'] as const;
export type Journey = (typeof JOURNEYS)[number];
export const SIDES = ['PSP_PAGADOR', 'USUARIO_PAGADOR', 'PSP_RECEBEDOR', 'USUARIO_RECEBEDOR'] as const;
export const ATTEMPT_KINDS = ['AGND', 'NTAG', 'RIFL'] as const;
/** What a payer's account makes of a try. */
export const PAYER_PLANS = ['pays', 'lacksFunds', 'ignores', 'rejects'] as const;

/** Why something ended; `solicitante` null: it was rejected, not canceled. */
export type Ending = {
  readonly solicitante: (typeof SIDES)[number] | null;
  readonly codigo: string;
  readonly descricao: string;
};
/** `code`: of a rejection. */
export type PayerStep = { readonly plan: (typeof PAYER_PLANS)[number]; readonly code: string | null };
/** `happenedAt`: in the receiver's time. */
type Happened = { readonly happenedAt: number };

/** Without who and when it was booked. */
export type RecurrenceHappening =
  | { readonly type: 'locrec' }
  | { readonly type: 'locrecFreed'; readonly id: number }
  | { readonly type: 'rec'; readonly idRec: string; readonly content: RecContent }
  | { readonly type: 'recRevision'; readonly idRec: string; readonly content: RecContent }
  | ({
      readonly type: 'recStatus';
      readonly idRec: string;
      readonly status: RecStatus;
      readonly journey: Journey | null;
      readonly ending: Ending | null;
      /** Cents; null: the payer set none. */
      readonly ceiling: number | null;
    } & Happened)
  | { readonly type: 'payer'; readonly idRec: string; readonly steps: readonly PayerStep[] }
  | { readonly type: 'solicrec'; readonly idSolicRec: string; readonly content: SolicRecContent }
  | ({
      readonly type: 'solicrecStatus';
      readonly idSolicRec: string;
      readonly status: SolicStatus;
    } & Happened)
  | { readonly type: 'cobr'; readonly txid: string; readonly content: CobRContent }
  | ({
      readonly type: 'cobrStatus';
      readonly txid: string;
      readonly status: CobRStatus;
      readonly ending: Ending | null;
    } & Happened)
  | {
      readonly type: 'attempt';
      readonly txid: string;
      readonly endToEndId: string;
      readonly tipo: (typeof ATTEMPT_KINDS)[number];
      /** The day on which it is settled. */
      readonly on: string;
    }
  | ({
      readonly type: 'attemptStatus';
      readonly txid: string;
      readonly status: AttemptStatus;
      readonly ending: Ending | null;
    } & Happened)
  | { readonly type: 'ownWebhook'; readonly of: 'rec' | 'cobr'; readonly url: string | null };

export type RecurrenceEntry = RecurrenceHappening & { readonly at: number; readonly clientId: string };
type Type = RecurrenceHappening['type'];

export const RECURRENCE_READERS: Readonly<Record<Type, (fields: FieldReader) => object>> = {
  locrec: () => ({}),
  locrecFreed: (fields) => ({ id: fields.integer('id', 1, Number.MAX_SAFE_INTEGER) }),
  rec: readRec,
  recRevision: readRec,
  recStatus: (fields) => ({
    idRec: fields.text('idRec', REC_ID),
    status: fields.word('status', REC_STATUSES),
    journey: fields.wordOrNull('journey', JOURNEYS),
    ending: readEnding(fields),
    ceiling: fields.integerOrNull('ceiling', 0, Number.MAX_SAFE_INTEGER),
    ...readHappened(fields),
  }),
  payer: (fields) => ({
    idRec: fields.text('idRec', REC_ID),
    steps: fields.list('steps', MOST_PAYER_STEPS, readPayerStep),
  }),
  solicrec: (fields) => ({
    idSolicRec: fields.text('idSolicRec', SOLIC_ID),
    content: fields.object('content', readSolicRecContent),
  }),
  solicrecStatus: (fields) => ({
    idSolicRec: fields.text('idSolicRec', SOLIC_ID),
    status: fields.word('status', SOLIC_STATUSES),
    ...readHappened(fields),
  }),
  cobr: (fields) => ({ txid: fields.text('txid', TXID), content: fields.object('content', readCobRContent) }),
  cobrStatus: (fields) => ({
    txid: fields.text('txid', TXID),
    status: fields.word('status', COBR_STATUSES),
    ending: readEnding(fields),
    ...readHappened(fields),
  }),
  attempt: (fields) => ({
    txid: fields.text('txid', TXID),
    endToEndId: fields.text('endToEndId', END_TO_END_ID),
    tipo: fields.word('tipo', ATTEMPT_KINDS),
    on: readDay(fields, 'on'),
  }),
  attemptStatus: (fields) => ({
    txid: fields.text('txid', TXID),
    status: fields.word('status', ATTEMPT_STATUSES),
    ending: readEnding(fields),
    ...readHappened(fields),
  }),
  ownWebhook: (fields) => ({
    of: fields.word('of', ['rec', 'cobr']),
    url: fields.textOrNull('url', /^.{1,1000}$/su),
  }),
};

export const MOST_PAYER_STEPS = 100;

export function readPayerStep(step: FieldReader): PayerStep {
  const plan = step.word('plan', PAYER_PLANS);
  const code = step.textOrNull('code', /^[A-Z0-9]{4}$/);
  if (plan === 'rejects' && code === null) step.refuse('code');
  return { plan, code };
}

function readRec(fields: FieldReader): object {
  return { idRec: fields.text('idRec', REC_ID), content: fields.object('content', readRecContent) };
}

function readHappened(fields: FieldReader): Happened {
  return { happenedAt: fields.integer('happenedAt', 0, Number.MAX_SAFE_INTEGER) };
}

function readEnding(fields: FieldReader): Ending | null {
  return fields.objectOrNull('ending', (ending) => ({
    solicitante: ending.wordOrNull('solicitante', SIDES),
    codigo: ending.text('codigo', /^[A-Z0-9]{4}$/),
    descricao: ending.text('descricao', /^.{1,400}$/su),
  }));
}
