import type { FieldReader } from '../kit/field-reader.ts';
import { type Answer, malformed, NOT_FOUND, ok } from './answers.ts';
import type { Bank } from './bank.ts';
import type { Receiver } from './books.ts';
import { addressesIn } from './br-code.ts';
import type { Happening } from './entries.ts';
import { AMOUNT, centsOf } from './money.ts';
import type { Order } from './order.ts';
import { REC_ID } from './rec-content.ts';
import { endRec } from './recs.ts';
import { type Rec, type SolicRec, statusOf } from './recurrence.ts';
import {
  type Ending,
  type Journey,
  MOST_PAYER_STEPS,
  readPayerStep,
  SIDES,
  SOLIC_ID,
} from './recurrence-entries.ts';
import { wholeRecShape } from './recurrence-shapes.ts';
import { OPEN_STATUSES } from './solicrecs.ts';

const REJECTIONS = ['AP13', 'AP14'] as const;
const CANCELLATIONS = ['ACCL', 'CPCL', 'DCSD', 'ERSL', 'FRUD', 'PCFD', 'SLCR', 'SLDB'] as const;

type Found = { readonly receiver: Receiver; readonly rec: Rec; readonly solicRec: SolicRec | null };

/** A payer agrees, or not, by a request that was sent, a code, or the id of the authorization. */
export const decideRec: Order = (bank, fields) => {
  const act = fields.word('act', ['accept', 'reject', 'cancel']);
  const ceiling = fields.textOrNull('ceiling', AMOUNT);
  const rejection = act === 'reject' ? (fields.wordOrNull('codigo', REJECTIONS) ?? 'AP13') : 'AP13';
  const cancellation = act === 'cancel' ? (fields.wordOrNull('codigo', CANCELLATIONS) ?? 'SLDB') : 'SLDB';
  const by = fields.wordOrNull('by', SIDES) ?? 'USUARIO_PAGADOR';
  const found = findRec(bank, fields);
  if (fields.fault !== null) return malformed(fields.fault);
  if (found === null) return NOT_FOUND;
  const { receiver, rec, solicRec } = found;
  bank.passTime(receiver);
  const status = statusOf(rec);
  if (act === 'cancel') {
    if (status !== 'APROVADA' && status !== 'CRIADA') return over(status);
    const ending: Ending = { solicitante: by, codigo: cancellation, descricao: 'Cancelada pelo pagador' };
    endRec(bank, receiver, rec, { status: 'CANCELADA', ending });
    return ok(wholeRecShape(receiver, rec));
  }
  if (status !== 'CRIADA') return over(status);
  if (act === 'accept')
    return acceptRec(bank, found, { journey: solicRec === null ? 'JORNADA_2' : 'JORNADA_1', ceiling });
  answerSolicRec(bank, receiver, rec, 'REJEITADA');
  const ending: Ending = { solicitante: null, codigo: rejection, descricao: 'Recusada pelo pagador' };
  endRec(bank, receiver, rec, { status: 'REJEITADA', ending });
  return ok(wholeRecShape(receiver, rec));
};

/** `ceiling`: the most that a payer lets go at once, where the amount is not fixed. */
export function acceptRec(
  bank: Bank,
  { receiver, rec }: Pick<Found, 'receiver' | 'rec'>,
  { journey, ceiling }: { journey: Journey; ceiling: string | null },
): Answer {
  const { valor } = rec.content;
  const least = valor?.valorMinimoRecebedor;
  const isTooLow = ceiling !== null && least !== undefined && centsOf(ceiling) < centsOf(least);
  if (ceiling !== null && (valor?.valorRec !== undefined || isTooLow)) return malformed('ceiling');
  answerSolicRec(bank, receiver, rec, 'ACEITA');
  bank.book(receiver, {
    ...{ type: 'recStatus', idRec: rec.idRec, status: 'APROVADA', journey, ending: null },
    ceiling: ceiling === null ? null : centsOf(ceiling),
    happenedAt: bank.now(receiver),
  });
  return ok(wholeRecShape(receiver, rec));
}

/** The authorization that a code names; null: it names none that waits. */
export function recOfCode(bank: Bank, code: string): { receiver: Receiver; rec: Rec } | null {
  for (const address of addressesIn(code)) {
    const found = bank.books.locRecAt(address);
    const rec = found?.receiver.recurrences.recs.get(found.locRec.idRec ?? '');
    if (found !== null && rec !== undefined) return { receiver: found.receiver, rec };
  }
  return null;
}

/** What the payer's account makes of the next tries; behind them it pays. */
export const setPayer: Order = (bank, fields) => {
  const steps = fields.list('steps', MOST_PAYER_STEPS, readPayerStep);
  const found = findRec(bank, fields);
  if (fields.fault !== null) return malformed(fields.fault);
  if (found === null) return NOT_FOUND;
  bank.passTime(found.receiver);
  bank.book(found.receiver, { type: 'payer', idRec: found.rec.idRec, steps });
  return ok({ idRec: found.rec.idRec, steps: steps.length });
};

function findRec(bank: Bank, fields: FieldReader): Found | null {
  const code = fields.textOrNull('code', /^[\x20-\x7e]{1,512}$/);
  const idSolicRec = fields.textOrNull('idSolicRec', SOLIC_ID);
  const idRec = fields.textOrNull('idRec', REC_ID);
  if (code !== null) {
    const found = recOfCode(bank, code);
    return found === null ? null : { ...found, solicRec: null };
  }
  for (const receiver of bank.books.receivers) {
    const solicRec = receiver.recurrences.solicRecs.get(idSolicRec ?? '') ?? null;
    const rec = receiver.recurrences.recs.get(solicRec?.content.idRec ?? idRec ?? '');
    if (rec !== undefined) return { receiver, rec, solicRec };
  }
  return null;
}

/** A request that still waits is answered together with its authorization. */
function answerSolicRec(bank: Bank, receiver: Receiver, rec: Rec, status: 'ACEITA' | 'REJEITADA'): void {
  const happenedAt = bank.now(receiver);
  const open = rec.solicRecs.filter((one) => OPEN_STATUSES.includes(statusOf(one)));
  const ends = open.map(
    ({ idSolicRec }): Happening => ({ type: 'solicrecStatus', idSolicRec, status, happenedAt }),
  );
  if (ends.length > 0) bank.book(receiver, ...ends);
}

function over(reason: string): Answer {
  return { status: 409, body: { error: 'ended', reason } };
}
