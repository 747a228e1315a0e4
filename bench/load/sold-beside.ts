import { ACCOUNT, type BesidePayments, PAYMENTS, STATE_OF_PART } from './sold-payments.ts';

/** So long ago what is due about now was sold, in three installments. */
const DAYS_OF_RECEIVABLES = 125;
const DAYS_OF_DELIVERIES = 30;
/** Hundredths of a percent. */
const FEE = 249;

/** Numbers of the movements of payment n: of its sale, and of its payouts. */
const NUMBER = 'n * 8 + part';
const NUMBER_OF_PAYOUT = 'n * 8 + 4 + part';

const PARTS = `select *, ${STATE_OF_PART} as state, (n % 100000 + 3) / parts as gross,
    moment + part * interval '30 days' as paid_at
  from (${PAYMENTS}) p cross join lateral generate_series(1, parts) part where not is_declined`;

/** What was sold and what was paid; a block or a cancel is left out. */
const MOVEMENTS = `
  insert into movements (merchant_id, movement_id, account_number, transaction_id, installment_number, type, old_state,
    new_state, nsu, authorization_code, moment)
  select merchant_id, k.number, '${ACCOUNT}', transaction_id, part, k.type, k.old_state, k.new_state,
    (1000000000 + n)::text, upper(substr(md5('a' || n), 1, 6)), k.at
  from (${PARTS}) q cross join lateral (
    select ${NUMBER} as number, 'Autorizacao' as type, null as old_state, 'authorized' as new_state, moment as at
    union all
    select ${NUMBER_OF_PAYOUT}, 'Pagamento', 'authorized', 'paid', paid_at where state = 'paid'
  ) k order by k.number`;

/** Of the last days: what was sent when something was sold, all of it delivered but for a few. */
const DELIVERIES = `
  insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, transaction_id, installment_number,
    nsu, body, state, tries, due_at, scheduled_at, created_at, ended_at)
  select merchant_id, ${NUMBER}, 'movement', 'account:${ACCOUNT}', '${ACCOUNT}', transaction_id, part,
    (1000000000 + n)::text, '{"movementId":' || ${NUMBER} || ',"type":"Autorizacao","newValue":"Autorizada"}',
    case when n % 50 = 1 then 'givenUp' else 'delivered' end, 1, null, moment, moment, moment
  from (${PARTS}) q where moment > $7::timestamptz - interval '${DAYS_OF_DELIVERIES} days' order by n, part`;

const TRIES = `
  insert into delivery_tries (merchant_id, delivery_number, try_number, tried_at, milliseconds, status, failure)
  select merchant_id, ${NUMBER}, 1, moment, 40, case when n % 50 = 1 then 500 else 200 end,
    case when n % 50 = 1 then 'status' end
  from (${PARTS}) q where moment > $7::timestamptz - interval '${DAYS_OF_DELIVERIES} days' order by n, part`;

/** Of what was sold in the last months: the rest is due and paid long before the days that are looked at. */
const RECEIVABLES = `
  insert into receivables (merchant_id, transaction_id, installment_number, installment_count, account_number,
    reference_transaction, nsu, authorization_code, brand, card_first_six, card_last_four, sold_at, sold_on, sale_amount,
    gross, canceled, installment_state, fee_portion, expected_fee, expected_net, expected_on, paid_on, reported_fee,
    reported_net, reported_bank_on)
  select merchant_id, transaction_id, part, parts, '${ACCOUNT}', 'PEDIDO-' || n, (1000000000 + n)::text,
    upper(substr(md5('a' || n), 1, 6)), 'visa', '411111', lpad((n * 7919 % 10000)::text, 4, '0'), moment,
    (moment at time zone 'America/Sao_Paulo')::date, n % 100000 + 3, gross,
    case when state = 'canceled' then gross else 0 end, state, ${FEE}, fee, case when state = 'canceled' then 0 else gross - fee end,
    paid_on, case when state = 'paid' then paid_on end, case when state = 'paid' then fee end,
    case when state = 'paid' then gross - fee end, case when state = 'paid' then paid_on end
  from (
    select *, gross * ${FEE} / 10000 as fee, (paid_at at time zone 'America/Sao_Paulo')::date as paid_on from (${PARTS}) q
  ) r where moment > $7::timestamptz - interval '${DAYS_OF_RECEIVABLES} days' order by n, part`;

/** What stands beside payments, made from the same numbers. */
export const BESIDE_PAYMENTS: readonly BesidePayments[] = [
  { table: 'movements', insert: MOVEMENTS },
  { table: 'deliveries', insert: DELIVERIES },
  { table: 'delivery_tries', insert: TRIES },
  { table: 'receivables', insert: RECEIVABLES },
];

/** Behind all numbers of movements of so many payments. */
export const firstFreeNumber = (payments: number): number => (payments + 1) * 8;
