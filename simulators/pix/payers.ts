import { saoPauloDayOf } from '../kit/days.ts';
import { type Components, endOf, owedOn, totalOf } from './amount-owed.ts';
import { type Answer, created, malformed, NOT_FOUND, ok } from './answers.ts';
import type { Bank } from './bank.ts';
import { type Charge, contentOf, givenBack, type Receiver } from './books.ts';
import { addressesIn } from './br-code.ts';
import {
  CLIENT_ID,
  END_TO_END_ID,
  type Happening,
  REFUND_ENDS,
  REFUND_ID,
  REMOVED,
  TXID,
} from './entries.ts';
import { endToEndIdOf, tailOf } from './ids.ts';
import { readMomentOrNull } from './moments.ts';
import { AMOUNT, centsOf } from './money.ts';
import type { Order } from './order.ts';
import { type CobR, openAttempt, statusOf } from './recurrence.ts';
import type { Ending } from './recurrence-entries.ts';
import { acceptRec, recOfCode } from './recurrence-payers.ts';
import { wholeCobRShape } from './recurrence-shapes.ts';
import { chargeShape, pixShape } from './shapes.ts';

const MED = ['MED_FRAUDE', 'MED_OPERACIONAL', 'MED_PIX_AUTOMATICO'] as const;

/** A payer pays what the charge asks, or something else where `force` lets it through. */
export const pay: Order = (bank, fields) => {
  const clientId = fields.textOrNull('clientId', CLIENT_ID);
  const txid = fields.textOrNull('txid', TXID);
  const code = fields.textOrNull('code', /^[\x20-\x7e]{1,512}$/);
  const chave = fields.textOrNull('chave', /^.{1,77}$/);
  const amount = fields.textOrNull('amount', AMOUNT);
  const at = readMomentOrNull(fields, 'at');
  const infoPagador = fields.textOrNull('infoPagador', /^.{1,140}$/su);
  const isForced = fields.booleanOr('force', false);
  const authorizes = fields.booleanOr('authorize', true);
  if (fields.fault !== null) return malformed(fields.fault);
  const given = { amount: amount === null ? null : centsOf(amount), at, infoPagador, isForced };
  if (chave !== null) return payKey(bank, chave, given);
  const charge =
    code === null
      ? bank.books.receiver(clientId ?? '')?.charges.get(txid ?? '')
      : addressesIn(code)
          .map((address) => bank.books.chargeAt(address))
          .find((found) => found !== undefined);
  if (charge === undefined) return NOT_FOUND;
  bank.passTime(bank.books.receiver(charge.clientId) as Receiver);
  const answer = payCharge(bank, charge, given);
  if (answer.status !== 201 || code === null || !authorizes) return answer;
  // The payer agrees to what the same code asks for (journeys 3 and 4).
  const found = recOfCode(bank, code);
  const journey = charge.kind === 'cob' ? 'JORNADA_3' : 'JORNADA_4';
  if (found !== null && statusOf(found.rec) === 'CRIADA') acceptRec(bank, found, { journey, ceiling: null });
  return answer;
};

type Given = {
  readonly amount: number | null;
  readonly at: number | null;
  readonly infoPagador: string | null;
  readonly isForced: boolean;
};

/** Why a payer's bank does not pay; null: it does. */
function refusalOf(charge: Charge, amount: number, owed: number, at: number): string | null {
  const { status, createdAt } = charge;
  const content = contentOf(charge);
  if (status === 'CONCLUIDA') return 'paid';
  if (status !== 'ATIVA') return 'removed';
  if (at >= endOf(content, createdAt)) return 'expired';
  return amount === owed || content.valor.modalidadeAlteracao === 1 ? null : 'amount';
}

function payCharge(bank: Bank, charge: Charge, { amount, at, infoPagador, isForced }: Given): Answer {
  const receiver = bank.books.receiver(charge.clientId) as Receiver;
  const happenedAt = at ?? bank.now(receiver);
  const content = contentOf(charge);
  const owed = owedOn(content, saoPauloDayOf(happenedAt));
  const paid = amount ?? totalOf(owed);
  if (paid < 1) return malformed('amount');
  const refusal = refusalOf(charge, paid, totalOf(owed), happenedAt);
  if (refusal !== null && !isForced) return { status: 409, body: { error: 'refused', reason: refusal } };
  const components: Components = paid === totalOf(owed) ? owed : { original: paid };
  return arrive(bank, receiver, {
    txid: charge.txid,
    chave: content.chave,
    amount: paid,
    components,
    happenedAt,
    infoPagador,
  });
}

/** Money that belongs to no charge. */
function payKey(bank: Bank, chave: string, { amount, at, infoPagador }: Given): Answer {
  const receiver = bank.books.receiver(bank.books.ownerOfKey(chave) ?? '');
  if (receiver === undefined) return NOT_FOUND;
  if (amount === null || amount < 1) return malformed('amount');
  const happenedAt = at ?? bank.now(receiver);
  const components = { original: amount };
  return arrive(bank, receiver, { txid: null, chave, amount, components, happenedAt, infoPagador });
}

function arrive(
  bank: Bank,
  receiver: Receiver,
  money: {
    readonly txid: string | null;
    readonly chave: string | null;
    readonly amount: number;
    readonly components: Components;
    readonly happenedAt: number;
    readonly infoPagador: string | null;
  },
): Answer {
  const endToEndId = endToEndIdOf('E', money.happenedAt, bank.uniqueOf(receiver));
  bank.book(receiver, { type: 'pix', endToEndId, isPlanned: false, ...money });
  const pix = bank.books.pix(endToEndId);
  if (pix === undefined) throw new Error(`${endToEndId} was not booked`);
  return created({ clientId: receiver.clientId, ...pixShape(pix) });
}

/** What waits is given back, or not. */
export const endRefund: Order = (bank, fields) => {
  const endToEndId = fields.text('endToEndId', END_TO_END_ID);
  const id = fields.text('id', REFUND_ID);
  const status = fields.word('status', REFUND_ENDS);
  const motivo = fields.textOrNull('motivo', /^.{1,140}$/su);
  if (fields.fault !== null) return malformed(fields.fault);
  const pix = bank.books.pix(endToEndId);
  const refund = pix?.refunds.get(id);
  if (pix === undefined || refund === undefined) return NOT_FOUND;
  if (refund.end !== null) return { status: 409, body: { error: 'ended' } };
  bank.book(bank.books.receiver(pix.clientId) as Receiver, {
    type: 'refundEnd',
    endToEndId,
    id,
    status,
    motivo,
  });
  return ok(pixShape(pix));
};

/** The payer's bank takes money back (MED), without asking the receiver. */
export const takeBack: Order = (bank, fields) => {
  const endToEndId = fields.text('endToEndId', END_TO_END_ID);
  const amount = fields.textOrNull('amount', AMOUNT);
  const natureza = fields.wordOrNull('natureza', MED) ?? 'MED_FRAUDE';
  if (fields.fault !== null) return malformed(fields.fault);
  const pix = bank.books.pix(endToEndId);
  if (pix === undefined) return NOT_FOUND;
  const left = pix.amount - givenBack(pix);
  const taken = amount === null ? left : centsOf(amount);
  if (taken < 1 || taken > left) return malformed('amount');
  const receiver = bank.books.receiver(pix.clientId) as Receiver;
  const unique = bank.uniqueOf(receiver);
  const id = tailOf(`med ${unique}`, 32);
  const rtrId = endToEndIdOf('D', bank.now(receiver), unique);
  const refund = { type: 'refund', endToEndId, id, rtrId, amount: taken, natureza } as const;
  bank.book(receiver, { ...refund, descricao: null, plan: 'waits' });
  bank.book(receiver, { type: 'refundEnd', endToEndId, id, status: 'DEVOLVIDO', motivo: null });
  return created(pixShape(pix));
};

/** The bank takes a charge away by itself. */
export const removeCharge: Order = (bank, fields) => {
  const clientId = fields.text('clientId', CLIENT_ID);
  const txid = fields.text('txid', TXID);
  if (fields.fault !== null) return malformed(fields.fault);
  const receiver = bank.books.receiver(clientId);
  const charge = receiver?.charges.get(txid);
  const cobr = receiver?.recurrences.cobrs.get(txid);
  if (receiver !== undefined && cobr !== undefined) return cancelCobR(bank, receiver, cobr);
  if (receiver === undefined || charge === undefined) return NOT_FOUND;
  if (charge.status !== 'ATIVA') return { status: 409, body: { error: 'ended' } };
  bank.book(receiver, { type: 'removal', txid, status: REMOVED[1] });
  return ok(chargeShape(charge));
};

/** Before its authorization, or without it. */
function cancelCobR(bank: Bank, receiver: Receiver, cobr: CobR): Answer {
  const { txid } = cobr;
  if (!['CRIADA', 'ATIVA'].includes(statusOf(cobr))) return { status: 409, body: { error: 'ended' } };
  const happened = { txid, status: 'CANCELADA', happenedAt: bank.now(receiver) } as const;
  const ending: Ending = {
    solicitante: 'PSP_PAGADOR',
    codigo: 'SLDB',
    descricao: 'Cancelada pelo participante',
  };
  const end: Happening = { type: 'cobrStatus', ...happened, ending };
  const attempt: Happening = { type: 'attemptStatus', ...happened, ending: null };
  bank.book(receiver, ...(openAttempt(cobr) === null ? [end] : [attempt, end]));
  return ok(wholeCobRShape(cobr));
}
