import { bankDayFrom } from '../kit/bank-days.ts';
import { atHour, dayAfter, endOfDay, saoPauloDayOf } from '../kit/days.ts';
import type { Happening } from './entries.ts';
import { centsOf } from './money.ts';
import {
  type Attempt,
  type CobR,
  openAttempt,
  type Rec,
  type SolicRec,
  statusOf,
  type Waiting,
} from './recurrence.ts';
import type { CobRStatus, Ending } from './recurrence-entries.ts';
import { decisionOf } from './triggers.ts';

/** What happens next by itself. */
export type Next = { readonly at: number; readonly happenings: readonly Happening[] };

/** São Paulo's hours: a payer's bank pays in the morning, and gives up in the evening. */
const PAID_HOUR = 8;
const GIVEN_UP_HOUR = 21;
/** A payer who decides by himself takes a moment. */
const MOMENT_MILLISECONDS = 5_000;
export const RETRY_DAYS = 7;
export const MOST_RETRIES = 3;
/** Rejections of a try that end the charge. */
const FINAL_CODES = ['AC05', 'AM09', 'DENC', 'DS27', 'DTED', 'MIDI', 'MSUC', 'NITX', 'RC09'];
const SENTENCE = 'Rejeitada pelo participante do pagador';

export function nextOf(waiting: Waiting): Next | null {
  if ('rec' in waiting) return nextOfRec(waiting.rec);
  return 'cobr' in waiting ? nextOfCobR(waiting.cobr) : nextOfSolicRec(waiting.solicRec);
}

/** The day on which a charge is first tried. */
export function firstDayOf({ calendario, ajusteDiaUtil }: CobR['content']): string {
  const { dataDeVencimento } = calendario;
  return ajusteDiaUtil ? bankDayFrom(dataDeVencimento) : dataDeVencimento;
}

export function retriesOf({ attempts }: CobR): number {
  return Math.max(attempts.length - 1, 0);
}

/** Nobody agreed before it was to begin. */
function nextOfRec(rec: Rec): Next | null {
  if (statusOf(rec) !== 'CRIADA') return null;
  const decision = decisionOf(rec.content.valor?.valorRec);
  if (decision !== null) return decided(rec, decision);
  const { dataInicial } = rec.content.calendario;
  const at = Math.max(endOfDay(dataInicial), endOfDay(saoPauloDayOf(rec.createdAt)));
  const nothing = { journey: null, ending: null, ceiling: null };
  return {
    at,
    happenings: [{ type: 'recStatus', idRec: rec.idRec, status: 'EXPIRADA', happenedAt: at, ...nothing }],
  };
}

/** By himself, as the amount has it. */
function decided(rec: Rec, decision: 'accepted' | 'rejected'): Next {
  const { idRec } = rec;
  const happenedAt = rec.createdAt + MOMENT_MILLISECONDS;
  const sent = rec.solicRecs.find((one) => ['CRIADA', 'ENVIADA', 'RECEBIDA'].includes(statusOf(one)));
  const isAccepted = decision === 'accepted';
  const answer = { type: 'solicrecStatus', status: isAccepted ? 'ACEITA' : 'REJEITADA', happenedAt } as const;
  const ending: Ending = { solicitante: null, codigo: 'AP13', descricao: 'Recusada pelo pagador' };
  const change: Happening = {
    type: 'recStatus',
    ...{ idRec, status: isAccepted ? 'APROVADA' : 'REJEITADA', ceiling: null, happenedAt },
    journey: isAccepted ? (sent === undefined ? 'JORNADA_2' : 'JORNADA_1') : null,
    ending: isAccepted ? null : ending,
  };
  const answers: Happening[] = sent === undefined ? [] : [{ ...answer, idSolicRec: sent.idSolicRec }];
  return { at: happenedAt, happenings: [...answers, change] };
}

function nextOfSolicRec(solicRec: SolicRec): Next | null {
  const { idSolicRec, createdAt, content } = solicRec;
  const next = (at: number, status: 'ENVIADA' | 'RECEBIDA' | 'EXPIRADA'): Next => ({
    at,
    happenings: [{ type: 'solicrecStatus', idSolicRec, status, happenedAt: at }],
  });
  switch (statusOf(solicRec)) {
    case 'CRIADA':
      return next(createdAt, 'ENVIADA');
    case 'ENVIADA':
      return next(createdAt, 'RECEBIDA');
    case 'RECEBIDA':
      return next(Date.parse(content.calendario.dataExpiracaoSolicitacao), 'EXPIRADA');
    default:
      return null;
  }
}

function nextOfCobR(cobr: CobR): Next | null {
  const status = statusOf(cobr);
  if (status !== 'CRIADA' && status !== 'ATIVA') return null;
  const attempt = openAttempt(cobr);
  if (attempt === null) return nextOfUntried(cobr);
  return statusOf(attempt) === 'SOLICITADA' ? nextOfAsked(cobr, attempt) : nextOfScheduled(cobr, attempt);
}

/** Over when nothing can be tried any more. */
function nextOfUntried(cobr: CobR): Next | null {
  const { rec, content, attempts } = cobr;
  const last = attempts.at(-1);
  // A charge is made together with its first try.
  if (last === undefined) return null;
  const mayRetry = rec.content.politicaRetentativa === 'PERMITE_3R_7D' && retriesOf(cobr) < MOST_RETRIES;
  const day = mayRetry ? dayAfter(content.calendario.dataDeVencimento, RETRY_DAYS) : last.on;
  const at = Math.max(endOfDay(day), last.history.at(-1)?.at ?? 0);
  return { at, happenings: [cobrStatus(cobr, 'EXPIRADA', at, null)] };
}

/** The payer's bank answers at once, unless nobody is there. */
function nextOfAsked(cobr: CobR, attempt: Attempt): Next {
  const { txid } = cobr;
  const asked = attempt.history[0]?.at ?? 0;
  const code = rejectionOf(cobr, attempt);
  if (code === null) {
    if (attempt.step.plan === 'ignores') return givenUp(cobr, attempt);
    const scheduled: Happening = {
      type: 'attemptStatus',
      txid,
      status: 'AGENDADA',
      ending: null,
      happenedAt: asked,
    };
    const isFirst = statusOf(cobr) === 'CRIADA';
    return {
      at: asked,
      happenings: isFirst ? [scheduled, cobrStatus(cobr, 'ATIVA', asked, null)] : [scheduled],
    };
  }
  const ending: Ending = { solicitante: null, codigo: code, descricao: SENTENCE };
  const rejected: Happening = { type: 'attemptStatus', txid, status: 'REJEITADA', ending, happenedAt: asked };
  const isFinal = FINAL_CODES.includes(code);
  return {
    at: asked,
    happenings: isFinal ? [rejected, cobrStatus(cobr, 'REJEITADA', asked, ending)] : [rejected],
  };
}

function nextOfScheduled(cobr: CobR, attempt: Attempt): Next {
  if (attempt.step.plan === 'lacksFunds') return givenUp(cobr, attempt);
  const { txid, content } = cobr;
  const { endToEndId, on } = attempt;
  const at = Math.max(atHour(on, PAID_HOUR), attempt.history.at(-1)?.at ?? 0);
  const amount = centsOf(content.valor.original);
  const money = {
    chave: null,
    amount,
    components: { original: amount },
    infoPagador: null,
    isPlanned: false,
  };
  return {
    at,
    happenings: [
      { type: 'attemptStatus', txid, status: 'PAGA', ending: null, happenedAt: at },
      { type: 'pix', endToEndId, txid, ...money, happenedAt: at },
      cobrStatus(cobr, 'CONCLUIDA', at, null),
    ],
  };
}

function givenUp({ txid }: CobR, { on, history }: Attempt): Next {
  const at = Math.max(atHour(on, GIVEN_UP_HOUR), history.at(-1)?.at ?? 0);
  return {
    at,
    happenings: [{ type: 'attemptStatus', txid, status: 'EXPIRADA', ending: null, happenedAt: at }],
  };
}

/** Another amount than the one agreed on, more than the payer lets go, or what is laid out. */
function rejectionOf({ rec, content }: CobR, { step }: Attempt): string | null {
  const fixed = rec.content.valor?.valorRec;
  if (fixed !== undefined && fixed !== content.valor.original) return 'AM09';
  if (rec.ceiling !== null && centsOf(content.valor.original) > rec.ceiling) return 'AM02';
  return step.plan === 'rejects' ? step.code : null;
}

function cobrStatus(
  { txid }: CobR,
  status: CobRStatus,
  happenedAt: number,
  ending: Ending | null,
): Happening {
  return { type: 'cobrStatus', txid, status, ending, happenedAt };
}
