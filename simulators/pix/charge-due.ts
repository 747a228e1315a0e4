import { bankDayFrom } from '../kit/bank-days.ts';
import { atHour, saoPauloDayOf } from '../kit/days.ts';
import { endOf, owedOn, totalOf } from './amount-owed.ts';
import type { Charge } from './books.ts';
import type { Happening } from './entries.ts';
import { endToEndIdOf, tailOf } from './ids.ts';
import type { Next } from './recurrence-due.ts';
import { paymentOf } from './triggers.ts';

/** A payer at hand takes a moment; one with a due day pays on it at noon in São Paulo. */
const MOMENT_MILLISECONDS = 5_000;
const DUE_HOUR = 12;
const DAY_MILLISECONDS = 86_400_000;

/** The payment that a charge's amount brings next by itself. */
export function nextOfCharge(charge: Charge): Next | null {
  const content = charge.contents[0];
  const way = content === undefined ? null : paymentOf(content.valor.original);
  if (content === undefined || way === null) return null;
  const planned = charge.pix.filter(({ isPlanned }) => isPlanned);
  const { dataDeVencimento } = content.calendario;
  const moment = charge.createdAt + MOMENT_MILLISECONDS;
  const inTime =
    dataDeVencimento === undefined
      ? moment
      : Math.max(moment, atHour(bankDayFrom(dataDeVencimento), DUE_HOUR));
  const [first] = planned;
  if (first !== undefined) {
    if (way === 'twice' && planned.length === 1)
      return paid(charge, first.happenedAt + MOMENT_MILLISECONDS, 2);
    return way === 'takenBack' && first.refunds.size === 0 ? takenBack(charge) : null;
  }
  if (charge.status !== 'ATIVA') return null;
  const at = way === 'late' ? endOf(content, charge.createdAt) + MOMENT_MILLISECONDS : inTime;
  return paid(charge, at, way === 'part' ? 'part' : 1);
}

function paid(charge: Charge, at: number, which: 1 | 2 | 'part'): Next {
  const { clientId, txid } = charge;
  const content = charge.contents.at(-1) ?? fail(txid);
  const owed = owedOn(content, saoPauloDayOf(at));
  const whole = totalOf(owed);
  const amount = which === 'part' ? Math.ceil(whole / 2) : whole;
  const pix: Happening = {
    ...{ type: 'pix', endToEndId: endToEndIdOf('E', at, `plan ${clientId} ${txid} ${which}`), txid },
    ...{ chave: content.chave, amount, components: which === 'part' ? { original: amount } : owed },
    ...{ happenedAt: at, infoPagador: null, isPlanned: true },
  };
  return { at, happenings: [pix] };
}

/** A day behind the payment. */
function takenBack(charge: Charge): Next | null {
  const [pix] = charge.pix;
  if (pix === undefined) return null;
  const { endToEndId, amount, happenedAt } = pix;
  const at = happenedAt + DAY_MILLISECONDS;
  const id = tailOf(`plan ${endToEndId}`, 32);
  const rtrId = endToEndIdOf('D', at, `plan ${endToEndId}`);
  const refund = {
    endToEndId,
    id,
    rtrId,
    amount,
    natureza: 'MED_FRAUDE',
    descricao: null,
    plan: 'waits',
  } as const;
  const end = { endToEndId, id, status: 'DEVOLVIDO', motivo: null } as const;
  return {
    at,
    happenings: [
      { type: 'refund', ...refund },
      { type: 'refundEnd', ...end },
    ],
  };
}

function fail(txid: string): never {
  throw new Error(`${txid} has no content`);
}
