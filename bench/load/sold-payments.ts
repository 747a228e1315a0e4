import pg from 'pg';
import { withBareTables } from '../recurrence/bare-tables.ts';
import { createShop, type LoadTools, STATEMENT_TIMEOUT_MILLISECONDS } from '../recurrence/load-enrolments.ts';

export type WantedPayments = {
  readonly payments: number;
  /** Ordinary ones, that share one half evenly; the other half is the giant's. */
  readonly merchants: number;
  /** Milliseconds since 1970: when the last was sold. The first was a year before, or so many days. */
  readonly now: number;
  readonly days?: number;
  /** Whether `loadEnrolments` has made the merchants, with its seed 1. */
  readonly areShopsThere?: boolean;
};

export type SoldPayments = {
  readonly giant: string;
  readonly ordinary: string;
  readonly seconds: number;
};

/** Rows that are written beside the payments, by the values that these are made of: see `PAYMENTS`. */
export type BesidePayments = { readonly table: string; readonly insert: string };

/** As `loadEnrolments` names those of its seed 1: the giant is the first. */
const GIANT = 'gigante-1';
const SHOP = 'loja-1-';
const shopName = (number: number) => `${SHOP}${number + 1}`;
export const ACCOUNT = '1000001';
const DAY = 86_400_000;
const YEAR_DAYS = 365;
const CARDS = 50_000;
/** Rows that are written at a time. */
const BATCH = 250_000;
/** Batches at a time: a processor for each. */
const LOADERS = 2;

/**
 * $1, $2: the first and the last that are written now; $3: how many there are in all, $4: of how many
 * ordinary merchants, $5: when the first was sold, $6: within how many seconds, $7: when the last was.
 *
 * Payment n of $3 in order of their sale; of ten one is declined. What the acquirer does later goes
 * by the age of a payment: its first installment is paid a month after its sale, each other a month
 * after the one before.
 */
export const PAYMENTS = `
  select n,
    case when n % 2 = 0 then '${GIANT}' else '${SHOP}' || (n / 2 % $4::int + 2) end as merchant_id,
    (lpad(to_hex((extract(epoch from moment) * 1000)::bigint >> 16), 8, '0') || '-'
      || lpad(to_hex((extract(epoch from moment) * 1000)::bigint & 65535), 4, '0')
      || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as transaction_id,
    moment, n % 10 = 3 as is_declined, case when n % 3 = 0 then 3 else 1 end as parts,
    case when n % 97 = 0 then 'canceled' when n % 10007 = 0 then 'blocked' end as special
  from (
    select n, $5::timestamptz + n * interval '1 second' * ($6::float8 / $3::float8) as moment
    from generate_series($1::bigint, $2::bigint) n
  ) numbers`;

/** Of an installment: what became of it, else by its age. */
export const STATE_OF_PART = `coalesce(special, case when moment + part * interval '30 days' < $7::timestamptz
    then 'paid' else 'authorized' end)`;

const INSERT_PAYMENTS = `
  insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
    reference_transaction, card_brand, card_first_six, card_last_four, card_fingerprint, created_by, sold_at,
    created_at, decided_at, approved_at, authorization_code, nsu, response_code, vault_id, installments_state)
  select merchant_id, transaction_id, '${ACCOUNT}', 'payment', case when is_declined then 'declined' else 'approved' end,
    n % 100000 + 3, parts, 'PEDIDO-' || n, 'visa', '411111', lpad((n * 7919 % 10000)::text, 4, '0'),
    decode(md5(n::text), 'hex'), merchant_id, moment, moment, moment, case when not is_declined then moment end,
    case when not is_declined then upper(substr(md5('a' || n), 1, 6)) end,
    case when not is_declined then (1000000000 + n)::text end, case when is_declined then '51' end,
    case when n % 20 < 2 then ('00000000-0000-7000-8000-' || lpad((n / 2 % ${CARDS})::text, 12, '0'))::uuid end,
    case when is_declined then 'authorized' else (
      select case when bool_or(state = 'authorized') then 'authorized' else min(state) end
      from (select ${STATE_OF_PART} as state from generate_series(1, parts) part) states
    ) end
  from (${PAYMENTS}) p order by n`;

const INSERT_PARTS = `
  insert into installments (merchant_id, transaction_id, installment_number, amount, state, canceled_amount,
    state_before_block)
  select merchant_id, transaction_id, part, amount, state, case when state = 'canceled' then amount else 0 end,
    case when state = 'blocked' then 'authorized' end
  from (
    select merchant_id, transaction_id, part, (n % 100000 + 3) / parts as amount, ${STATE_OF_PART} as state, n
    from (${PAYMENTS}) p cross join lateral generate_series(1, parts) part where not is_declined
  ) q order by n, part`;

/** A year of payments with what the acquirer made of them since, as the service would have left it. */
export async function loadSoldPayments(
  tools: LoadTools,
  wanted: WantedPayments,
  beside: readonly BesidePayments[] = [],
): Promise<SoldPayments> {
  const startedAt = performance.now();
  const { payments, merchants, now, days = YEAR_DAYS, areShopsThere = false } = wanted;
  const shops = [GIANT, ...Array.from({ length: merchants }, (_, index) => shopName(index + 1))];
  for (const merchantId of areShopsThere ? [] : shops)
    await createShop(tools, { merchantId, accountNumber: ACCOUNT });
  const clients = Array.from({ length: LOADERS }, () => {
    const client = new pg.Client({ ...tools.address, statement_timeout: STATEMENT_TIMEOUT_MILLISECONDS });
    return client.on('error', () => {});
  });
  const [client] = clients as [pg.Client];
  try {
    for (const one of clients) await one.connect();
    const [from, to] = [now - days * DAY, now].map((moment) => new Date(moment).toISOString());
    const tables = ['transactions', 'installments', ...beside.map(({ table }) => table)];
    const inserts = [INSERT_PAYMENTS, INSERT_PARTS, ...beside.map(({ insert }) => insert)];
    await withBareTables(client, tables, async () => {
      let next = 1;
      const load = async (loader: pg.Client) => {
        while (next <= payments) {
          const first = next;
          next += BATCH;
          const last = Math.min(next - 1, payments);
          const values = [first, last, payments, merchants, from, (days * DAY) / 1_000, to];
          for (const insert of inserts) await loader.query(insert, values);
          tools.say?.(`${Math.round((performance.now() - startedAt) / 1_000)} s: ${last} payments`);
        }
      };
      await Promise.all(clients.map(load));
    });
    for (const table of tables) await client.query(`vacuum (analyze) ${table}`);
  } finally {
    await Promise.all(clients.map((one) => one.end()));
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  return { giant: GIANT, ordinary: shopName(1), seconds };
}
