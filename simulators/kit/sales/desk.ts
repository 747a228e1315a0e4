import { endOfDay, isDay } from '../days.ts';
import type { FileWriter } from '../files/file-content.ts';
import { FILE_FAULTS, type FileFault } from '../files/file-faults.ts';
import { MOST_ROWS, writtenFile } from '../files/files.ts';
import type { SalesHouse } from './house.ts';
import type { Keys } from './keys.ts';
import { type Reading, readChange, readClock, readKey, readScript } from './requests.ts';
import { rowsOf } from './rows.ts';
import { liveAmountOf, type Sale } from './sale.ts';
import { type Answer, jsonOf, type Question } from './server.ts';

/** What a simulator of an acquirer is asked and told beside the acquirer's own paths. */
export type Desk = {
  readonly name: string;
  readonly house: SalesHouse;
  readonly keys: Keys;
  /** By the word of the question. */
  readonly formats: Readonly<Record<string, FileWriter>>;
};

const MOST_ITEMS = 10_000;
export const UNKNOWN_PATH: Answer = { status: 404, body: { error: 'unknownPath' } };

/** The answer to what stands below `/simulator`; null: it is not there. */
export function deskAnswer(desk: Desk, { method, path, query, body }: Question): Answer | null {
  const { house, keys } = desk;
  switch (`${method} ${path.slice(path.indexOf('/simulator') + '/simulator'.length)}`) {
    case 'GET /about':
      return ok({ name: desk.name, simulator: true, now: new Date(house.now).toISOString() });
    case 'GET /ledger':
      return ledgerAnswer(house, query);
    case 'GET /summary':
      return ok(summaryOf(house.sales.inOrder.filter((sale) => isOf(sale, query.get('merchantId')))));
    case 'GET /files':
      return fileAnswer(desk, query);
    case 'GET /script':
      return ok({ steps: house.scripts.left(query.get('merchantId') ?? '') });
    case 'POST /script':
      return told(readScript(jsonOf(body)), ({ merchantId, steps }) =>
        house.scripts.write(merchantId, steps) ? ok({ merchantId, steps: steps.length }) : FULL,
      );
    case 'POST /changes':
      return told(readChange(jsonOf(body)), ({ id, ...change }) => {
        const sale = house.sales.byId(id);
        if (sale === undefined) return { status: 404, body: { error: 'notFound' } };
        return house.change(sale, change) ? ok(ledgerItem(sale)) : FORBIDDEN;
      });
    case 'POST /clock':
      return told(readClock(jsonOf(body)), (milliseconds) => {
        house.putForward(milliseconds);
        return ok({ now: new Date(house.now).toISOString() });
      });
    case 'POST /merchants':
      return told(readKey(jsonOf(body)), ({ merchantId, key }) =>
        keys.tell(merchantId, key) ? ok({ merchantId }) : FULL,
      );
    default:
      return null;
  }
}

const FULL: Answer = { status: 409, body: { error: 'tooManyMerchants' } };
const FORBIDDEN: Answer = { status: 409, body: { error: 'forbidden' } };

function ok(body: object): Answer {
  return { status: 200, body };
}

function malformed(field: string): Answer {
  return { status: 400, body: { error: 'malformed', field } };
}

function told<T>(reading: Reading<T>, act: (value: T) => Answer): Answer {
  return 'fault' in reading ? malformed(reading.fault) : act(reading.value);
}

/** Sales in the order in which they were made, live or not. */
function ledgerAnswer({ sales }: SalesHouse, query: URLSearchParams): Answer {
  const [after, limit] = [numberOf(query, 'after', 0), numberOf(query, 'limit', 100)];
  if (after === null) return malformed('after');
  if (limit === null || limit > MOST_ITEMS) return malformed('limit');
  const asked = (['merchantId', 'reference', 'id'] as const).filter((name) => query.has(name));
  const reference = query.get('reference');
  const merchantId = query.get('merchantId');
  const some =
    reference !== null && merchantId !== null ? sales.ofReference(merchantId, reference) : sales.inOrder;
  const found = some.filter((sale) => {
    const isAsked = asked.every((name) => query.get(name) === sale[name]);
    return isAsked && (query.get('live') !== 'true' || liveAmountOf(sale) > 0);
  });
  const items = found.slice(after, after + limit).map(ledgerItem);
  return ok({ items, next: after + items.length });
}

function isOf(sale: Sale, merchantId: string | null): boolean {
  return merchantId === null || sale.merchantId === merchantId;
}

/** One sale as a judge reads it. */
export function ledgerItem(sale: Sale): object {
  const { id, merchantId, reference, nsu, state, amount, installments, card, decision, notes } = sale;
  return {
    ...{ id, merchantId, reference, nsu, state, amount, installments },
    ...{ capturedAmount: sale.capturedAmount, refundedAmount: sale.refundedAmount },
    ...{ pendingAmount: sale.pendingAmount, chargedBackAmount: sale.chargedBackAmount },
    liveAmount: liveAmountOf(sale),
    refunds: sale.refunds.map(({ refundId, amount: given, status }) => ({ refundId, amount: given, status })),
    installmentStates: sale.parts?.map((part) => part.state) ?? [],
    ...{ card, decision, notes, doubt: sale.state === 'doubtful' ? sale.doubt : null },
    at: new Date(sale.at).toISOString(),
    capturedAt: sale.capturedAt === null ? null : new Date(sale.capturedAt).toISOString(),
  };
}

/**
 * Of all sales, or of a merchant's. `liveTwice`: references under which more than one is live, which nobody
 * ever wants; `capturedTwice`: under which more than one ever was charged.
 */
function summaryOf(all: readonly Sale[]): object {
  const states: Record<string, number> = {};
  const [live, captured] = [new Map<string, number>(), new Map<string, number>()];
  let liveCents = 0;
  for (const sale of all) {
    states[sale.state] = (states[sale.state] ?? 0) + 1;
    const key = `${sale.merchantId} ${sale.reference}`;
    if (sale.capturedAt !== null) captured.set(key, (captured.get(key) ?? 0) + 1);
    const cents = liveAmountOf(sale);
    liveCents += cents;
    if (cents > 0) live.set(key, (live.get(key) ?? 0) + 1);
  }
  const twice = (counts: ReadonlyMap<string, number>) =>
    [...counts].filter(([, count]) => count > 1).map(([key]) => key);
  const sums = { sales: all.length, states, liveCents, liveReferences: live.size };
  return { ...sums, liveTwice: twice(live), capturedTwice: twice(captured) };
}

/** The file of a day that is over, as the format says it. */
function fileAnswer({ house, formats }: Desk, query: URLSearchParams): Answer {
  const { format, merchantId, day, fault, position } = {
    format: formats[query.get('format') ?? ''],
    merchantId: query.get('merchantId') ?? '',
    day: query.get('day') ?? '',
    fault: query.get('fault'),
    position: numberOf(query, 'row', 1),
  };
  if (format === undefined) return malformed('format');
  if (merchantId === '') return malformed('merchantId');
  if (!isDay(day)) return malformed('day');
  if (position === null || position < 1 || position > MOST_ROWS) return malformed('row');
  if (fault !== null && !(FILE_FAULTS as readonly string[]).includes(fault)) return malformed('fault');
  if (endOfDay(day) > house.now) return { status: 409, body: { error: 'dayNotOver' } };
  // The number that the papers name the merchant by need not be the one that it asks with.
  const named = query.get('establishment') ?? merchantId;
  const order = { merchantId: named, day, fault: fault as FileFault | null, position };
  const file = writtenFile(format, rowsOf(house.sales, merchantId, day), order);
  return typeof file === 'string'
    ? { status: 409, body: { error: file } }
    : { status: 200, body: null, file };
}

function numberOf(query: URLSearchParams, name: string, otherwise: number): number | null {
  const text = query.get(name);
  if (text === null) return otherwise;
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
