import type { ChaosBench } from '../chaos-bench.ts';
import type { Fleet, Gateway } from '../gateways.ts';
import { type FedMovement, newMovements } from '../movement-feed.ts';
import { again } from '../recurrence/patience.ts';
import type { BookedDelivery, NotifiedView } from '../webhooks/notified-view.ts';
import type { Registration } from '../webhooks/registrations.ts';
import { type BankCharge, type BankLedger, type BankPix, readPixLedger } from './bank-ledger.ts';
import type { PixDesk, PixEntry, ShownPix } from './client.ts';

/** A Pix that was made here, as the merchant reads it, and as the bank has it. */
export type PixView = {
  readonly pixId: string;
  readonly txid: string;
  /** Null: it was never sent, and nobody sees it. */
  readonly shown: ShownPix | null;
  readonly atBank: BankCharge | null;
  /** What arrived for it at the bank. */
  readonly arrived: readonly BankPix[];
  readonly movements: readonly FedMovement[];
  readonly callbacks: number;
};

export type EntryView = { readonly entry: PixEntry; readonly pix: readonly PixView[] };

export type PixBooks = {
  readonly views: readonly EntryView[];
  readonly ledger: BankLedger;
  /** Of everything that was made here. */
  readonly txids: ReadonlySet<string>;
  readonly notified: NotifiedView;
};

/** What was read of the feed of movements, by payment. */
export type FedBefore = Map<string, FedMovement[]>;

const ROWS = `select p.pix_id as "pixId", p.txid, p.reference_transaction as reference from pix_charges p
  where starts_with(p.reference_transaction, $1) order by p.pix_id`;

const DELIVERIES = `select d.delivery_number::float8 as number, d.merchant_id as "merchantId", d.account_number as "accountNumber",
    d.transaction_id as "transactionId", p.reference_transaction as reference, d.installment_number as "installmentNumber",
    d.kind, d.endpoint, d.url, d.body, d.state, d.tries,
    (select coalesce(json_agg(y.status order by y.try_number), '[]') from delivery_tries y
     where y.merchant_id = d.merchant_id and y.delivery_number = d.delivery_number) as statuses
  from pix_charges p join deliveries d on d.merchant_id = p.merchant_id and d.transaction_id = p.pix_id
  where starts_with(p.reference_transaction, $1) order by d.delivery_number`;

export type Reading = {
  readonly bench: ChaosBench;
  readonly desk: PixDesk;
  readonly fleet: Pick<Fleet, 'pair'>;
  readonly registrations: readonly Registration[];
  readonly fed: FedBefore;
};

/** The books of every Pix of these rounds: as merchants read them by the API, and the bank's. */
export async function readPixBooks(reading: Reading, rounds: string): Promise<PixBooks> {
  const { bench, desk, fleet, fed } = reading;
  const [gateway] = await fleet.pair();
  const ledger = await readPixLedger(bench);
  const charges = new Map(ledger.charges.map((charge) => [charge.txid, charge]));
  const arrived = Map.groupBy(ledger.arrived, ({ txid }) => txid ?? '');
  const rows = (await bench.query(ROWS, [rounds])) as { pixId: string; txid: string; reference: string }[];
  const deliveries = (await bench.query(DELIVERIES, [rounds])) as unknown as BookedDelivery[];
  await readFeed(bench, gateway, fed);
  const callbacks = Map.groupBy(
    deliveries.filter(({ kind }) => kind === 'callback'),
    ({ transactionId }) => transactionId,
  );
  const byReference = Map.groupBy(rows, ({ reference }) => reference);
  const views = await inTurns(
    desk.entries.filter(({ round }) => `${round}.`.startsWith(rounds)),
    async (entry): Promise<EntryView> => {
      const pix: PixView[] = [];
      for (const { pixId, txid } of byReference.get(entry.reference) ?? [])
        pix.push({
          ...{ pixId, txid, atBank: charges.get(txid) ?? null, arrived: arrived.get(txid) ?? [] },
          shown: await again(() => desk.read(gateway, entry, pixId)),
          movements: fed.get(pixId) ?? [],
          callbacks: callbacks.get(pixId)?.length ?? 0,
        });
      return { entry, pix };
    },
  );
  const all = await bench.query(ROWS, ['']);
  return {
    ...{ views, ledger, txids: new Set(all.map(({ txid }) => String(txid))) },
    notified: notifiedOf(reading, views, deliveries),
  };
}

async function readFeed(bench: ChaosBench, gateway: Gateway, fed: FedBefore): Promise<void> {
  for (const shop of bench.shops)
    for (const movement of await newMovements(bench, shop, async () => gateway))
      fed.getOrInsertComputed(movement.paymentId, () => []).push(movement);
}

/** For the judges of notifications. */
function notifiedOf(
  { bench, registrations }: Reading,
  views: readonly EntryView[],
  deliveries: readonly BookedDelivery[],
): NotifiedView {
  return {
    ...{ registrations, deliveries, sales: [], entries: [], cancels: [], events: [], isCalm: false },
    arrivals: bench.systems
      .flatMap(({ arrivals }) => arrivals)
      .toSorted((one, other) => one.place - other.place),
    movements: views.flatMap(({ entry, pix }) =>
      pix.flatMap(({ pixId, movements }) =>
        movements.map(({ movementId, installmentNumber }) => ({
          ...{ movementId, installmentNumber, transactionId: pixId, type: 'Pix' },
          ...{ merchantId: entry.shop.merchantId, reference: entry.reference },
        })),
      ),
    ),
  };
}

const READERS = 12;

async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const found: R[] = [];
  const left = items.entries();
  const reader = async () => {
    for (const [place, item] of left) found[place] = await work(item);
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  return found;
}
