import pg from 'pg';
import { firstFreeNumber } from '../load/sold-beside.ts';
import { ACCOUNT } from '../load/sold-payments.ts';
import { type LoadTools, STATEMENT_TIMEOUT_MILLISECONDS } from '../recurrence/load-enrolments.ts';

export type WantedBeside = {
  readonly payments: number;
  /** Boletos, exceptions and differences, of each so many. */
  readonly count: number;
  readonly giant: string;
  /** Of any merchant with sales. */
  readonly ordinary: string;
};

/** Behind every movement: nothing is followed, for all of it is there. */
const BEHIND_ALL = 9_000_000_000_000_000n;
/** Valid, and that of every loaded boleto: nothing looks for one by it. */
const BAR_CODE = '00193373700000001000500940144816060680935031';

/** The others are healed, or have ended. */
const OPEN = 1_000;
const FILES = 4_000;
const LINES = 10_000;
/** After an outage of some minutes. */
const UNRESOLVED = 2_000;

const turn = (every: number, column: string) =>
  `case when n % ${every} = 0 then ${column} else $2::text end as merchant_id`;

/** One payer has them all. */
const PAYER = JSON.stringify({
  name: 'Ana Souza',
  documentNumber: '52998224725',
  email: null,
  address: {
    street: 'Rua da Praia',
    number: '12',
    complement: null,
    district: 'Centro',
    city: 'Santos',
    state: 'SP',
    zipCode: '11010000',
  },
});

/** Of every second one the giant's; a tenth of all are to be paid within the next weeks. */
const BOLETOS = `
  insert into boletos (merchant_id, boleto_id, account_number, our_number, page_key, state, amount, issued_on, due_on,
    payable_until, payer, instructions, created_by, requested_at, changed_at, bar_code, paid_amount, paid_on, acts_at)
  select merchant_id, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '${ACCOUNT}',
    lpad((20000000000 + n)::text, 11, '0'), md5(n::text), case when is_open then 'issued' else 'paid' end, 10000,
    due_on - 10, due_on, due_on + 30, '${PAYER}', '{}', 'bench', due_on - interval '10 days', due_on - interval '10 days',
    '${BAR_CODE}', case when not is_open then 10000 end, case when not is_open then due_on end,
    case when is_open then due_on + interval '1 day' end
  from (
    select n, ${turn(2, '$1::text')}, n % 10 = 0 as is_open,
      current_date + case when n % 10 = 0 then 3 + n % 20 else -1 - n % 360 end::integer as due_on
    from generate_series(1, $3::bigint) n
  ) b`;

/** A third can be paid. */
const LINKS = `
  insert into payment_links (merchant_id, link_id, account_number, page_key, description, amount, most_installments,
    expires_at, state, disable_reason, created_by, created_at)
  select merchant_id, ('00000000-0000-7000-a000-' || lpad(to_hex(n), 12, '0'))::uuid, '${ACCOUNT}', md5('link ' || n),
    'Pedido ' || n, 10000, 3, now() + interval '30 days', case when n % 3 = 0 then 'open' else 'disabled' end,
    case when n % 3 > 0 then 'Engano' end, 'bench', now() - n % 90 * interval '1 day'
  from (select n, ${turn(2, '$1::text')} from generate_series(1, $3::bigint) n) l`;

const CLASSES = `array['notInFile', 'notInParcela', 'amountDiffers', 'feeDiffers', 'dateDiffers', 'duplicateInFile']`;

/** All but the first are healed. */
const EXCEPTIONS = `
  insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, account_number,
    transaction_id, installment_number, file_number, line_number, amount, expected, found, day, opened_at, ended_at)
  select merchant_id, ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, 'bench:' || n,
    (${CLASSES})[1 + n % 6], case when n <= ${OPEN} then 'open' else 'healed' end, '${ACCOUNT}', null, null, 1,
    1 + n % ${LINES}, (n * 7919 % 1000000) - 500000, '10.00', '9.99', current_date - (n % 90)::integer,
    now() - n % 90 * interval '1 day', case when n > ${OPEN} then now() end
  from (select n, ${turn(2, '$1::text')} from generate_series(1, $3::bigint) n) e`;

const DIFFERENCES = `
  insert into truth_differences (merchant_id, transaction_id, installment_number, class, amount, expected, found, opened_at, ended_at)
  select merchant_id, ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, 'booksDiffer',
    (n * 7919 % 1000000) - 500000, '10.00', '9.99', now() - n % 90 * interval '1 day',
    case when n > ${OPEN} then now() end
  from (select n, ${turn(2, '$1::text')} from generate_series(1, $3::bigint) n) d`;

const SETTLEMENT_FILES = `
  insert into settlement_files (sha256, name, format, version, establishment, made_on, from_on, to_on, sequence,
    is_repetition, entries, gross, net, taken_at, taken_by, matched_at)
  select sha256(n::text::bytea), 'adiq-' || n || '.txt', 'adiq', '3.1', '1234567', current_date - (n % 365)::integer,
    current_date - (n % 365)::integer, current_date - (n % 365)::integer, n, false, ${LINES}, 100000000, 97000000,
    now() - (${FILES} - n) * interval '1 hour', 'bench', now()
  from generate_series(1, ${FILES}) n`;

const ENTRIES = `
  insert into settlement_entries (file_number, line_number, kind, establishment, gross, fee, net, line)
  select 1, n, 'payout', '1234567', 10000, 249, 9751, 'line ' || n from generate_series(1, ${LINES}) n`;

/** The acquirer is asked for them tomorrow. */
const UNRESOLVED_CHARGES = `
  insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
    card_brand, card_first_six, card_last_four, card_fingerprint, created_by, sold_at, created_at, due_at, unresolved_since,
    unknown_reason, resolve_tries)
  select merchant_id, ('00000000-0000-7000-a000-' || lpad(to_hex(n), 12, '0'))::uuid, '${ACCOUNT}', 'payment', 'unresolved',
    10000, 1, 'visa', '411111', '1111', decode(md5(n::text), 'hex'), 'bench', now() - interval '1 hour',
    now() - interval '1 hour', now() + interval '1 day', now() - interval '1 hour', 'no answer', 3
  from (select n, ${turn(2, '$1::text')} from generate_series(1, $3::bigint) n) u`;

const ENDPOINTS = `
  insert into webhook_endpoints (merchant_id, endpoint, url, created_by)
  select merchant_id, 'account:' || account_number, 'https://shop.example/notifications', 'bench' from accounts
  on conflict do nothing`;

const FOLLOWED = `
  insert into receivable_cursors (merchant_id, after_number) select merchant_id, $1::bigint from merchants
  on conflict (merchant_id) do update set after_number = excluded.after_number`;

/** The nights around now are over: pages are measured, not the verification. */
const NIGHTS = `
  insert into truth_runs (merchant_id, day, cause, from_on, ended_at, due_at)
  select merchant_id, current_date + d, 'night', current_date, now(), null from merchants, generate_series(-2, 2) d
  on conflict do nothing`;

/** Midnight comes, and what lies ahead falls due: pages are measured, not a night of charges. */
const HELD = `
  update merchants m set billings_held_at = now()
  where exists (select from subscriptions s where s.merchant_id = m.merchant_id)`;

/** What a merchant and the operator have beside payments and subscriptions, without a service at work. */
export async function fillBeside({ address, say }: LoadTools, wanted: WantedBeside): Promise<void> {
  const { payments, count, giant, ordinary } = wanted;
  const client = new pg.Client({ ...address, statement_timeout: STATEMENT_TIMEOUT_MILLISECONDS });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(BOLETOS, [giant, ordinary, count]);
    await client.query(LINKS, [giant, ordinary, count]);
    await client.query(EXCEPTIONS, [giant, ordinary, count]);
    await client.query(DIFFERENCES, [giant, ordinary, count]);
    await client.query(SETTLEMENT_FILES);
    await client.query(ENTRIES);
    await client.query(UNRESOLVED_CHARGES, [giant, ordinary, UNRESOLVED]);
    await client.query(ENDPOINTS);
    await client.query(FOLLOWED, [BEHIND_ALL]);
    await client.query(NIGHTS);
    await client.query(HELD);
    await client.query(`select setval('movement_ids', $1)`, [firstFreeNumber(payments)]);
    for (const table of TABLES) await client.query(`vacuum (analyze) ${table}`);
    say?.('the rest is there');
  } finally {
    await client.end();
  }
}

const TABLES = [
  ...[
    'boletos',
    'payment_links',
    'reconciliation_exceptions',
    'truth_differences',
    'settlement_files',
    'settlement_entries',
  ],
  ...['transactions', 'webhook_endpoints', 'receivable_cursors', 'truth_runs', 'merchants', 'accounts'],
];
