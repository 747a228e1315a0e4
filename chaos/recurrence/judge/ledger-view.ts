import type { ChaosBench } from '../../chaos-bench.ts';

export type BookedSubscription = {
  readonly subscriptionId: string;
  readonly planId: string;
  readonly orderNumber: string;
  readonly state: 'active' | 'blocked' | 'canceled' | 'completed';
  readonly reason: string | null;
  readonly intervalDays: number;
  /** 0: no end. */
  readonly installments: number;
  /** How many retries. */
  readonly maxRetries: number;
  readonly firstDueOn: string;
};

export type BookedBilling = {
  readonly billingId: string;
  readonly subscriptionId: string;
  readonly installment: number;
  readonly state: 'opened' | 'paymentInvalid' | 'canceled' | 'denied' | 'paid';
  readonly isSkipped: boolean;
  readonly amount: number;
  readonly dueOn: string;
  readonly chargeOn: string | null;
  readonly chargesMade: number;
  readonly isCharging: boolean;
  /** São Paulo day of its making. */
  readonly createdOn: string;
};

/** One try to collect, as `billing_charges` has it. */
export type BookedTry = {
  readonly billingId: string;
  readonly number: number;
  /** Null: by hand. */
  readonly attemptNumber: number | null;
  readonly transactionId: string | null;
  readonly startedOn: string;
  readonly outcome: string | null;
  readonly rule: string | null;
  readonly nextChargeOn: string | null;
  /** Somebody is still to look what came of it. */
  readonly isWatched: boolean;
};

export type BookedCollection = {
  readonly transactionId: string;
  /** The billing. */
  readonly reference: string;
  readonly state: 'charging' | 'unresolved' | 'approved' | 'declined' | 'voided';
  readonly amount: number;
  readonly brand: string;
  readonly responseCode: string | null;
  readonly vaultId: string | null;
  /** Cents that were taken back. */
  readonly canceledAmount: number;
  /** Movements that say that nothing of it is left. */
  readonly ends: number;
  readonly initiator: string;
  readonly nsu: string | null;
  readonly authorizationCode: string | null;
  /** Movements that say that it was authorized. */
  readonly movements: number;
  /** Real milliseconds since 1970. */
  readonly createdAt: number;
};

/** A charge as the acquirer has it. */
export type LedgerLine = {
  readonly reference: string | null;
  readonly paymentId: string;
  readonly amount: number | null;
  readonly canceledAmount: number;
  readonly nsu: string | null;
  readonly authorizationCode: string | null;
  readonly status: 'approved' | 'declined' | 'undone' | 'canceled';
};

/** A change of a subscription's state, as its timeline has it. */
export type BookedEvent = {
  readonly type: 'activated' | 'canceled' | 'blocked' | 'completed';
  readonly subscriptionId: string;
  readonly billingId: string | null;
};

/** A notice that was written for the merchant. */
export type BookedNotice = {
  readonly event: string;
  readonly subscriptionId: string;
  readonly billingId: string | null;
  readonly attempt: number | null;
  readonly paymentId: string | null;
  /** São Paulo day of the merchant's clock. */
  readonly on: string;
};

/** All that one merchant has: our database, and the acquirer's ledger. */
export type ShopBooks = {
  /** The day of the merchant's clock. */
  readonly today: string;
  readonly subscriptions: readonly BookedSubscription[];
  /** By subscription, installment and making. */
  readonly billings: readonly BookedBilling[];
  /** By billing, in their order. */
  readonly tries: readonly BookedTry[];
  readonly transactions: readonly BookedCollection[];
  readonly ledger: readonly LedgerLine[];
  readonly events: readonly BookedEvent[];
  readonly notices: readonly BookedNotice[];
};

const TODAY = `(now() + coalesce((select shift_milliseconds from merchant_clocks where merchant_id = $1), 0)
    * interval '1 millisecond') at time zone 'America/Sao_Paulo'`;

const UNDER_WAY = `select
    (select count(*) from merchant_clocks where merchant_id = $1 and target_at is not null)::int as jumps,
    (select count(*) from transactions where merchant_id = $1 and due_at is not null)::int as unresolved,
    (select count(*) from billings where merchant_id = $1 and state = 'opened' and charge_on <= (${TODAY})::date)::int as due,
    (select count(*) from billings where merchant_id = $1 and transaction_id is not null)::int as charging,
    (select count(*) from plan_cancellations where merchant_id = $1)::int as endings,
    (select count(*) from billing_charges where merchant_id = $1 and due_at is not null)::int as watched,
    (select count(*) from transactions where merchant_id = $1 and unprocessed_chargeback_at is not null)::int as unheard,
    (select count(*) from webhook_endpoints where merchant_id = $1 and kind = 'alerts'
      and coalesce(alerted_on, '-infinity'::date) < (${TODAY})::date)::int as looks,
    (select count(*) from acquirer_changes where merchant_id = $1 and state = 'waiting')::int as changes`;

/** What keeps a merchant from being judged, by its kind: how many of it. */
export async function whatIsUnderWay(
  bench: ChaosBench,
  merchantId: string,
): Promise<Record<string, unknown>> {
  const [row] = await bench.query(UNDER_WAY, [merchantId]);
  return row ?? {};
}

export async function isQuiet(bench: ChaosBench, merchantId: string): Promise<boolean> {
  return Object.values(await whatIsUnderWay(bench, merchantId)).every((count) => count === 0);
}

const SUBSCRIPTIONS = `select subscription_id as "subscriptionId", plan_id as "planId",
    order_number as "orderNumber", state, reason, interval_days as "intervalDays", installments,
    max_retries as "maxRetries", to_char(first_due_on, 'YYYY-MM-DD') as "firstDueOn"
  from subscriptions where merchant_id = $1 order by subscription_id`;

const BILLINGS = `select billing_id as "billingId", subscription_id as "subscriptionId", installment, state,
    is_skipped as "isSkipped", amount::float8 as amount, to_char(due_on, 'YYYY-MM-DD') as "dueOn",
    to_char(charge_on, 'YYYY-MM-DD') as "chargeOn", charges_made as "chargesMade",
    transaction_id is not null as "isCharging",
    to_char(created_at at time zone 'America/Sao_Paulo', 'YYYY-MM-DD') as "createdOn"
  from billings where merchant_id = $1 order by subscription_id, installment, created_at, billing_id`;

const TRIES = `select billing_id as "billingId", charge_number as number, attempt_number as "attemptNumber",
    transaction_id as "transactionId",
    to_char(started_at at time zone 'America/Sao_Paulo', 'YYYY-MM-DD') as "startedOn", outcome, rule,
    to_char(next_charge_on, 'YYYY-MM-DD') as "nextChargeOn", due_at is not null as "isWatched"
  from billing_charges where merchant_id = $1 order by billing_id, charge_number`;

const TRANSACTIONS = `select transaction_id as "transactionId", reference_transaction as reference, state, amount::float8 as amount,
    card_brand as brand, response_code as "responseCode", vault_id as "vaultId",
    canceled_amount::float8 as "canceledAmount", initiator, nsu, authorization_code as "authorizationCode",
    (select count(*) from movements m where m.merchant_id = t.merchant_id and m.transaction_id = t.transaction_id
       and m.type = 'Autorizacao')::int as movements,
    (select count(*) from movements m where m.merchant_id = t.merchant_id and m.transaction_id = t.transaction_id
       and m.new_state = 'canceled')::int as ends,
    (extract(epoch from created_at) * 1000)::float8 as "createdAt"
  from transactions t where merchant_id = $1 order by transaction_id`;

const EVENTS = `select type, subscription_id as "subscriptionId", billing_id as "billingId"
  from subscription_events where merchant_id = $1 and type in ('activated', 'canceled', 'blocked', 'completed')
  order by event_number`;

const NOTICES = `select n.body ->> 'event' as event, n.body ->> 'subscriptionId' as "subscriptionId",
    n.body ->> 'billingId' as "billingId", (n.body ->> 'attempt')::int as attempt, n.body ->> 'paymentId' as "paymentId",
    to_char(n.scheduled_at at time zone 'America/Sao_Paulo', 'YYYY-MM-DD') as on
  from (
    select body::jsonb as body, scheduled_at, delivery_number from deliveries where merchant_id = $1 and kind = 'notice'
  ) n order by n.delivery_number`;

export async function readShopBooks(
  bench: ChaosBench,
  merchantId: string,
  ledger: readonly LedgerLine[],
): Promise<ShopBooks> {
  const read = async <T>(text: string) => (await bench.query(text, [merchantId])) as unknown as T[];
  const [now] = await read<{ today: string }>(`select to_char(${TODAY}, 'YYYY-MM-DD') as today`);
  return {
    today: now?.today ?? '',
    subscriptions: await read<BookedSubscription>(SUBSCRIPTIONS),
    billings: await read<BookedBilling>(BILLINGS),
    tries: await read<BookedTry>(TRIES),
    transactions: await read<BookedCollection>(TRANSACTIONS),
    ledger,
    events: await read<BookedEvent>(EVENTS),
    notices: await read<BookedNotice>(NOTICES),
  };
}

const MOST_LINES = 1_000;

/** A merchant's charges as the acquirer booked them. Throws when there are more than one page holds. */
export async function readShopLedger(bench: ChaosBench, merchantId: string): Promise<LedgerLine[]> {
  const url = `${bench.simulatorUrl}/ledger?merchantId=${merchantId}&limit=${MOST_LINES}`;
  // A connection that nobody used for long may close at the very moment in which it is used again:
  // then once more.
  const read = async () => (await (await fetch(url)).json()) as { readonly items: LedgerLine[] };
  const { items } = await read().catch(read);
  if (items.length >= MOST_LINES) throw new Error(`${merchantId} has too many charges for one page`);
  return items;
}
