import type { ChaosBench } from '../chaos-bench.ts';
import type { CancelEntry, Entry, EventEntry } from '../log.ts';
import type { Till } from '../merchant-client.ts';
import type { Arrival } from './merchant-system.ts';
import type { Registration } from './registrations.ts';

/** A change of an installment, as our database has it. */
export type BookedMovement = {
  readonly movementId: number;
  readonly merchantId: string;
  readonly transactionId: string;
  readonly reference: string;
  readonly installmentNumber: number;
  readonly type: string;
};

/** A message to one target, as our database has it. */
export type BookedDelivery = {
  readonly number: number;
  readonly merchantId: string;
  readonly accountNumber: string;
  readonly transactionId: string;
  readonly reference: string;
  readonly installmentNumber: number;
  readonly kind: 'movement' | 'callback';
  readonly endpoint: string;
  readonly url: string | null;
  readonly body: string;
  readonly state: string;
  readonly tries: number;
  /** What came of each recorded try, in order; null: no answer. */
  readonly statuses: readonly (number | null)[];
};

/** A payment and how it ended, as our database has it; one that was never sent to the acquirer is none. */
export type BookedSale = {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly reference: string;
  readonly state: string;
  readonly amount: number;
  readonly callbackUrl: string | null;
  readonly responseCode: string | null;
  readonly installments: readonly string[];
  /** A cancel is under way, which may be of the rest that another one left. */
  readonly isCanceling: boolean;
};

/** What merchants were notified of, what our database has of it, and what clients were answered. */
export type NotifiedView = {
  readonly registrations: readonly Registration[];
  readonly arrivals: readonly Arrival[];
  readonly sales: readonly BookedSale[];
  readonly movements: readonly BookedMovement[];
  readonly deliveries: readonly BookedDelivery[];
  readonly entries: readonly Entry[];
  readonly cancels: readonly CancelEntry[];
  readonly events: readonly EventEntry[];
  /** Nothing was struck: each message is sent once for each of its tries, and no more. */
  readonly isCalm: boolean;
};

/** Reads the books of the rounds whose name begins so; an empty text reads all. */
export async function readNotifiedView(
  bench: ChaosBench,
  till: Till,
  rounds: string,
  registrations: readonly Registration[],
  isCalm: boolean,
): Promise<NotifiedView> {
  const [sales, movements, deliveries] = await Promise.all([
    bench.query(SALES, [rounds]),
    bench.query(MOVEMENTS, [rounds]),
    bench.query(DELIVERIES, [rounds]),
  ]);
  const isOfRounds = (entry: { readonly round: string }) => `${entry.round}.`.startsWith(rounds);
  return {
    registrations,
    arrivals: bench.systems
      .flatMap((system) => system.arrivals)
      .toSorted((one, other) => one.place - other.place),
    sales: sales as unknown as BookedSale[],
    movements: movements as unknown as BookedMovement[],
    deliveries: deliveries as unknown as BookedDelivery[],
    entries: till.payments.filter(isOfRounds),
    cancels: till.cancels.filter(isOfRounds),
    events: till.events.filter(isOfRounds),
    isCalm,
  };
}

const SALES = `select t.merchant_id as "merchantId", t.transaction_id as "transactionId", t.reference_transaction as reference,
    t.state, t.amount::float8 as amount, t.callback_url as "callbackUrl", t.response_code as "responseCode",
    (select coalesce(json_agg(i.state order by i.installment_number), '[]') from installments i
     where i.merchant_id = t.merchant_id and i.transaction_id = t.transaction_id) as installments,
    exists (select from cancels c where c.merchant_id = t.merchant_id and c.transaction_id = t.transaction_id
      and c.decided_at is null) as "isCanceling"
  from transactions t
  where starts_with(t.reference_transaction, $1) and not (t.state = 'voided' and t.fence = 0)`;

const MOVEMENTS = `select m.movement_id::float8 as "movementId", m.merchant_id as "merchantId", m.transaction_id as "transactionId",
    t.reference_transaction as reference, m.installment_number as "installmentNumber", m.type
  from transactions t join movements m using (merchant_id, transaction_id)
  where starts_with(t.reference_transaction, $1) order by m.movement_id`;

const DELIVERIES = `select d.delivery_number::float8 as number, d.merchant_id as "merchantId", d.account_number as "accountNumber",
    d.transaction_id as "transactionId", t.reference_transaction as reference, d.installment_number as "installmentNumber",
    d.kind, d.endpoint, d.url, d.body, d.state, d.tries,
    (select coalesce(json_agg(y.status order by y.try_number), '[]') from delivery_tries y
     where y.merchant_id = d.merchant_id and y.delivery_number = d.delivery_number) as statuses
  from transactions t join deliveries d using (merchant_id, transaction_id)
  where starts_with(t.reference_transaction, $1) order by d.delivery_number`;

/** Everything that the three know about one payment, for a person. */
export function notifiedViews(books: NotifiedView, reference: string): string {
  const isOf = (entry: { readonly reference: string }) => entry.reference === reference;
  const numbers = new Set(books.deliveries.filter(isOf).map(({ number }) => number));
  const sales = books.sales.filter(isOf);
  const received = books.arrivals.filter(
    ({ id, body }) =>
      numbers.has(numberOf(id) ?? 0) || sales.some(({ transactionId }) => body.includes(transactionId)),
  );
  const lines = (name: string, rows: readonly object[]) =>
    rows.map((row) => `    ${name} ${JSON.stringify(row)}`);
  return [
    ...lines('client   ', books.entries.filter(isOf)),
    ...lines('cancel   ', books.cancels.filter(isOf)),
    ...lines('event    ', books.events.filter(isOf)),
    ...lines('sale     ', sales),
    ...lines('movement ', books.movements.filter(isOf)),
    ...lines('delivery ', books.deliveries.filter(isOf)),
    ...lines('arrival  ', received),
  ].join('\n');
}

/** The number of the delivery that a `webhook-id` names: the last 62 bits of it. Null: it is no such id. */
export function numberOf(id: string): number | null {
  const bits = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-([89ab][0-9a-f]{3})-([0-9a-f]{12})$/.exec(id);
  if (bits === null) return null;
  return Number(BigInt(`0x${bits[1]}${bits[2]}`) & 0x3fff_ffff_ffff_ffffn);
}
