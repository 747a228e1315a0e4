import type { ChaosBench } from '../../chaos-bench.ts';
import type { Gateway } from '../../gateways.ts';
import { type BankOfSeries, readBankOfSeries } from './bank.ts';
import { readForSeries, type Series } from './series.ts';

type SubscriptionRow = {
  readonly subscriptionId: string;
  readonly subscription: string;
  /** Of its authorization. */
  readonly state: string;
  readonly recId: string | null;
  readonly unknownReason: string | null;
};

export type BillingRow = {
  readonly billingId: string;
  readonly subscriptionId: string;
  readonly installment: number;
  readonly state: string;
  readonly amount: number;
  readonly dueOn: string;
};

type CollectionRow = {
  readonly pixId: string;
  readonly billingId: string;
  readonly txid: string;
  readonly attemptNumber: number;
  readonly state: string;
  readonly isSent: boolean;
  /** It is decided, and its billing is not told. */
  readonly isUntold: boolean;
  readonly unknownReason: string | null;
};

type PaymentRow = {
  readonly pixId: string;
  readonly endToEndId: string;
  readonly amount: number;
  readonly returned: number;
  readonly held: number;
  readonly isSurprise: boolean;
  readonly hasException: boolean;
  /** What paid its Pix. */
  readonly isPaying: boolean;
};

/** One series: as it is here, as its merchant reads it, and as the bank has it. */
export type SeriesBooks = {
  readonly series: Series;
  readonly today: string;
  readonly subscriptions: readonly SubscriptionRow[];
  readonly billings: readonly BillingRow[];
  readonly collections: readonly CollectionRow[];
  readonly payments: readonly PaymentRow[];
  readonly receiptsLeft: number;
  readonly shown: readonly { readonly id: string; readonly status: string }[];
  readonly bank: BankOfSeries;
};

const SUBSCRIPTIONS = `select s.subscription_id as "subscriptionId", s.state as subscription, a.state, a.rec_id as "recId",
    a.unknown_reason as "unknownReason"
  from subscriptions s join pix_authorizations a using (merchant_id, subscription_id) where s.merchant_id = $1`;

const BILLINGS = `select b.billing_id as "billingId", b.subscription_id as "subscriptionId", b.installment, b.state,
    b.amount::float8 as amount, b.due_on::text as "dueOn"
  from billings b where b.merchant_id = $1 order by b.installment`;

const COLLECTIONS = `select c.pix_id as "pixId", c.billing_id as "billingId", c.txid, c.attempt_number as "attemptNumber", c.state,
    c.is_sent as "isSent", c.state <> 'open' and c.look_at is not null as "isUntold", c.unknown_reason as "unknownReason"
  from pix_collections c where c.merchant_id = $1 order by c.pix_id`;

const PAYMENTS = `select y.pix_id as "pixId", y.end_to_end_id as "endToEndId", y.amount::float8 as amount,
    y.returned_amount::float8 as returned, y.held_amount::float8 as held, y.surprise is not null as "isSurprise",
    p.end_to_end_id is not distinct from y.end_to_end_id as "isPaying",
    exists (select from reconciliation_exceptions e where e.merchant_id = y.merchant_id and e.pix_id = y.pix_id
      and e.exception_key = 'pix:' || y.pix_id || ':' || y.end_to_end_id) as "hasException"
  from pix_payments y join pix_charges p using (merchant_id, pix_id) where y.merchant_id = $1`;

const OTHERS = `select to_char((now() + coalesce((select k.shift_milliseconds from merchant_clocks k where k.merchant_id = $1), 0)
      * interval '1 millisecond') at time zone 'America/Sao_Paulo', 'YYYY-MM-DD') as today,
    (select count(*) from collected_pix_receipts r where r.merchant_id = $1)::int
      + (select count(*) from pix_receipts r where r.merchant_id = $1 and r.state = 'waiting')::int
      + (select count(*) from pix_refunds f where f.merchant_id = $1 and f.due_at is not null)::int as left`;

export async function readSeriesBooks(
  bench: ChaosBench,
  series: Series,
  any: () => Promise<Gateway>,
): Promise<SeriesBooks> {
  const rows = async <T>(text: string) => (await bench.query(text, [series.merchantId])) as T[];
  const [others] = await rows<{ today: string; left: number }>(OTHERS);
  const path = '/v1/recurrences/billing?limit=100';
  const shown = await readForSeries<{ items: SeriesBooks['shown'] }>(series, any, path);
  return {
    series,
    today: others?.today ?? '',
    receiptsLeft: others?.left ?? 0,
    subscriptions: await rows<SubscriptionRow>(SUBSCRIPTIONS),
    billings: await rows<BillingRow>(BILLINGS),
    collections: await rows<CollectionRow>(COLLECTIONS),
    payments: await rows<PaymentRow>(PAYMENTS),
    shown: shown.items,
    bank: await readBankOfSeries(bench, series.merchantId),
  };
}
