import type { Subscriber } from './cohorts.ts';
import type { Enrolled } from './enrol.ts';
import type { AcquirerCharge, YearShop } from './year-shop.ts';

/** As the API shows it. */
export type Billing = {
  readonly id: string;
  readonly status: 'Opened' | 'PaymentInvalid' | 'Canceled' | 'Denied' | 'Paid';
  readonly expireAt: string;
  readonly amount: number;
  readonly installment: number;
  readonly paymentId: string | null;
  readonly nsu: string | null;
  readonly subscription: Subscription;
};

export type Subscription = {
  readonly id: string;
  readonly status: string;
  readonly statusReason?: string;
};

export type Charged = {
  readonly type: string;
  readonly at: string;
  readonly attempt: number | null;
  readonly outcome: string | null;
  readonly rule: string | null;
  readonly nextChargeOn: string | null;
  readonly reason?: string;
};

/** One billing whose story is to be told: with what happened to it. */
export type WholeBilling = Billing & {
  readonly timeline: readonly Charged[];
  readonly nextChargeOn?: string;
};

/** As the simulated bank has it. */
export type BankPix = {
  readonly txid?: string;
  readonly endToEndId: string;
  readonly amount: number;
  readonly horario: string;
};
type BankRec = { readonly idRec: string; readonly status: string };
type BankTry = { readonly dataLiquidacao: string; readonly status: string };
export type BankCobR = {
  readonly txid: string;
  readonly idRec: string;
  readonly status: string;
  readonly calendario: { readonly dataDeVencimento: string };
  readonly tentativas?: readonly BankTry[];
};

/** One subscriber, as the API, the acquirer and the bank have him. */
export type Account = {
  readonly subscriber: Subscriber;
  readonly subscription: Subscription;
  readonly createdOn: string;
  readonly billings: readonly WholeBilling[];
  /** By the billing that they name. */
  readonly charges: ReadonlyMap<string, readonly AcquirerCharge[]>;
  readonly recStatus: string | null;
  readonly cobrs: readonly BankCobR[];
};

export type Books = {
  readonly today: string;
  readonly accounts: readonly Account[];
  /** All that arrived by Pix, by the last twenty of its end-to-end id. */
  readonly arrived: ReadonlyMap<string, BankPix>;
  readonly arrivedFor: ReadonlyMap<string | undefined, readonly BankPix[]>;
  readonly charges: readonly AcquirerCharge[];
};

const PAGE = 100;
const LENGTH_OF_NSU = 20;
const PATH = '/v1/recurrences';

export async function readBooks(shop: YearShop, enrolled: readonly Enrolled[]): Promise<Books> {
  const billings = Map.groupBy(await readBillings(shop), ({ subscription }) => subscription.id);
  const charges = await shop.acquirerLedger();
  const ofBilling = Map.groupBy(charges, ({ reference }) => reference);
  const recs = new Map(
    (await shop.bankLedger<BankRec>('authorizations')).map((rec) => [rec.idRec, rec.status]),
  );
  const cobrs = Map.groupBy(await shop.bankLedger<BankCobR>('recurring'), ({ idRec }) => idRec);
  const arrived = await shop.bankLedger<BankPix>('pix');
  const accounts: Account[] = [];
  for (const { subscriber, subscriptionId, idRec } of enrolled) {
    const subscription = await shop.ask(`${PATH}/subscriptions/${subscriptionId}`);
    const own = (billings.get(subscriptionId) ?? []).toSorted(
      (one, other) => one.installment - other.installment,
    );
    accounts.push({
      ...{ subscriber, subscription, createdOn: subscription.createdDate.slice(0, 10), charges: ofBilling },
      billings: await Promise.all(own.map((billing) => readWhole(shop, billing, ofBilling))),
      recStatus: idRec === null ? null : (recs.get(idRec) ?? null),
      cobrs: idRec === null ? [] : (cobrs.get(idRec) ?? []),
    });
  }
  return {
    ...{ accounts, charges, today: await shop.today() },
    arrived: new Map(arrived.map((pix) => [pix.endToEndId.slice(-LENGTH_OF_NSU), pix])),
    arrivedFor: Map.groupBy(arrived, ({ txid }) => txid),
  };
}

async function readBillings(shop: YearShop): Promise<Billing[]> {
  const found: Billing[] = [];
  for (let page = 1; ; page += 1) {
    const { items, total } = await shop.ask(`${PATH}/billing?limit=${PAGE}&page=${page}&orderBy=expireAt`);
    found.push(...items);
    if (found.length >= total || items.length === 0) return found;
  }
}

/** What was paid at the first try says all that there is to say in the list. */
async function readWhole(
  shop: YearShop,
  billing: Billing,
  charges: ReadonlyMap<string, readonly AcquirerCharge[]>,
): Promise<WholeBilling> {
  const isPlain = billing.status === 'Paid' && (charges.get(billing.id)?.length ?? 1) === 1;
  return isPlain ? { ...billing, timeline: [] } : await shop.ask(`${PATH}/billing/${billing.id}`);
}
