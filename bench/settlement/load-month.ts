import pg from 'pg';
import type { Charge, Charges } from '../../simulators/acquirer/charges.ts';
import { tidOf } from '../../simulators/acquirer/tid.ts';
import { bankDayFrom } from '../../simulators/kit/bank-days.ts';
import { newParts } from '../../simulators/kit/cards/installments.ts';
import { saoPauloDayOf } from '../../simulators/kit/days.ts';
import { type CopyTarget, type CopyValue, copyRows } from '../recurrence/copy-rows.ts';
import { createShop, type LoadTools, STATEMENT_TIMEOUT_MILLISECONDS } from '../recurrence/load-enrolments.ts';
import { FEES, type Happening, type Month, type WantedMonth } from './month.ts';

const ACCOUNT = '1000001';
const FEES_FROM = '2000-01-01T00:00:00Z';
const BENEFICIARIES = ['11444777000161', '52998224725'];

const TRANSACTIONS: CopyTarget = {
  table: 'transactions',
  columns: (
    'merchant_id transaction_id account_number origin state amount installment_count reference_transaction card_brand ' +
    'card_first_six card_last_four card_fingerprint created_by sold_at created_at decided_at approved_at ' +
    'authorization_code nsu canceled_amount installments_state tid'
  ).split(' '),
};
const INSTALLMENTS: CopyTarget = {
  table: 'installments',
  columns: 'merchant_id transaction_id installment_number amount state canceled_amount fee net bank_on'.split(
    ' ',
  ),
};
const SHARES: CopyTarget = {
  table: 'shares',
  columns: 'merchant_id transaction_id installment_number position beneficiary amount canceled_amount'.split(
    ' ',
  ),
};
const MOVEMENTS: CopyTarget = {
  table: 'movements',
  columns: (
    'merchant_id movement_id account_number transaction_id installment_number type old_state new_state nsu ' +
    'authorization_code moment'
  ).split(' '),
};
const CANCELS: CopyTarget = {
  table: 'cancels',
  columns: (
    'merchant_id cancel_id transaction_id state amount created_by requested_at created_at decided_at canceled_at ' +
    'recorded_number'
  ).split(' '),
};

const CHANGES: CopyTarget = {
  table: 'acquirer_changes',
  columns:
    'merchant_id change_id reference installment_number event happened_at state due_at ended_at amount fee net bank_on source'.split(
      ' ',
    ),
};

/** Writes the month into the books, as the service and the acquirer's feed would have left it. */
export async function loadMonth(tools: LoadTools, wanted: WantedMonth, month: Month): Promise<void> {
  for (const merchantId of wanted.merchants) await createShop(tools, { merchantId, accountNumber: ACCOUNT });
  const client = new pg.Client({ ...tools.address, statement_timeout: STATEMENT_TIMEOUT_MILLISECONDS });
  client.on('error', () => {});
  await client.connect();
  try {
    await setFees(client, wanted.feesChangeAt);
    const { charges, happenings } = month;
    await copyRows(client, TRANSACTIONS, rowsOfTransactions(charges));
    await copyRows(client, INSTALLMENTS, rowsOfInstallments(charges, payoutsOf(charges)));
    await copyRows(client, SHARES, rowsOfShares(charges));
    const { movements, cancels } = numberedRows(happenings);
    await copyRows(client, MOVEMENTS, movements);
    await copyRows(client, CANCELS, cancels);
    await copyRows(client, CHANGES, rowsOfChanges(charges));
    await client.query(`select setval('movement_ids', $1)`, [movements.length + cancels.length + 1]);
    for (const { table } of [TRANSACTIONS, INSTALLMENTS, SHARES, MOVEMENTS, CANCELS]) {
      await client.query(`vacuum (analyze) ${table}`);
    }
  } finally {
    await client.end();
  }
}

async function setFees(client: pg.Client, changeAt: number): Promise<void> {
  await client.query('delete from fee_tables');
  for (const [index, from] of [FEES_FROM, new Date(changeAt).toISOString()].entries()) {
    await client.query(
      `insert into fee_tables (merchant_id, valid_from, rules, source, created_by) values ('', $1, $2, 'setting', 'bench')`,
      [from, FEES[index]?.rules],
    );
  }
}

const text = (at: number): string => new Date(at).toISOString();

type Payouts = ReadonlyMap<Charge, ReadonlyMap<number, { fee: number; net: number; bankOn: string }>>;

function payoutsOf(charges: Charges): Payouts {
  const payouts = new Map<Charge, Map<number, { fee: number; net: number; bankOn: string }>>();
  for (const { type, charge, installmentNumber, payout, at } of charges.changesOf(null)) {
    if (type !== 'settled' || payout === undefined || installmentNumber === null) continue;
    const { fee, net } = payout;
    const bankOn = bankDayFrom(saoPauloDayOf(at));
    payouts.getOrInsertComputed(charge, () => new Map()).set(installmentNumber, { fee, net, bankOn });
  }
  return payouts;
}

/** What the books have of each installment. */
function* partsOf(
  charge: Charge,
): Generator<{ number: number; amount: number; canceled: number; state: string }> {
  const sold = newParts(charge.amount, charge.installments);
  for (const [index, { rest: amount }] of sold.entries()) {
    const part = charge.parts?.[index];
    const canceled = amount - (part?.rest ?? amount);
    const state = canceled === amount ? 'canceled' : part?.state === 'settled' ? 'paid' : 'authorized';
    yield { number: index + 1, amount, canceled, state };
  }
}

function* rowsOfTransactions({ inOrder }: Charges): Generator<CopyValue[]> {
  for (const charge of inOrder) {
    const { merchantId, reference, amount, installments, cardMark, soldAt, decision, canceledAmount } =
      charge;
    if (decision.outcome !== 'approved') continue;
    const states = [...partsOf(charge)].map(({ state }) => state).sort();
    const shown = states.includes('authorized') ? 'authorized' : (states[0] ?? 'authorized');
    const sold = text(soldAt);
    const card = [cardMark.slice(15), cardMark.slice(0, 6), cardMark.slice(6, 10)];
    const fingerprint = `\\x${reference.replaceAll('-', '')}`;
    const sale = [merchantId, reference, ACCOUNT, 'payment', 'approved', amount, installments];
    const order = `PEDIDO-${decision.nsu}`;
    const times = [sold, sold, sold, sold];
    const approval = [decision.authorizationCode, String(decision.nsu), canceledAmount, shown, tidOf(charge)];
    yield [...sale, order, ...card, fingerprint, merchantId, ...times, ...approval];
  }
}

function* rowsOfInstallments({ inOrder }: Charges, payouts: Payouts): Generator<CopyValue[]> {
  for (const charge of inOrder) {
    for (const { number, amount, canceled, state } of partsOf(charge)) {
      const { fee = null, net = null, bankOn = null } = payouts.get(charge)?.get(number) ?? {};
      yield [charge.merchantId, charge.reference, number, amount, state, canceled, fee, net, bankOn];
    }
  }
}

/** What the acquirer's feed brought, all of it applied. */
function* rowsOfChanges(charges: Charges): Generator<CopyValue[]> {
  for (const { cursor, type, charge, installmentNumber, amount, payout, at } of charges.changesOf(null)) {
    if ((type !== 'settled' && type !== 'chargeback') || installmentNumber === null) continue;
    const { merchantId, reference } = charge;
    const event = type === 'settled' ? 'settle' : 'chargeback';
    const named = [merchantId, String(cursor), reference, installmentNumber, event, text(at)];
    const { fee = null, net = null } = payout ?? {};
    const bankOn = payout === undefined ? null : bankDayFrom(saoPauloDayOf(at));
    const amountTaken = type === 'settled' ? null : amount;
    yield [...named, 'applied', null, text(at), amountTaken, fee, net, bankOn, 'feed'];
  }
}

/** Of ten sales one is divided between two beneficiaries. */
function* rowsOfShares({ inOrder }: Charges): Generator<CopyValue[]> {
  for (const [index, charge] of inOrder.entries()) {
    if (index % 10 !== 0) continue;
    for (const { number, amount, canceled } of partsOf(charge)) {
      const halves = [Math.ceil(amount / 2), Math.floor(amount / 2)];
      const given = [Math.ceil(canceled / 2), Math.floor(canceled / 2)];
      for (const [position, beneficiary] of BENEFICIARIES.entries()) {
        const money = [halves[position] ?? 0, given[position] ?? 0];
        yield [charge.merchantId, charge.reference, number, position + 1, beneficiary, ...money];
      }
    }
  }
}

/** Movements, and the cancels with numbers of theirs, in the order in which all of it happened. */
function numberedRows(happenings: readonly Happening[]): {
  movements: CopyValue[][];
  cancels: CopyValue[][];
} {
  const [movements, cancels] = [[] as CopyValue[][], [] as CopyValue[][]];
  let number = 0;
  const move = (
    charge: Charge,
    part: number,
    [type, before, after]: readonly [string, string | null, string],
    at: number,
  ) => {
    const { merchantId, reference, decision } = charge;
    if (decision.outcome !== 'approved') return;
    number += 1;
    const named = [merchantId, number, ACCOUNT, reference, part, type, before, after];
    movements.push([...named, String(decision.nsu), decision.authorizationCode, text(at)]);
  };
  for (const happening of happenings) {
    const { kind, charge } = happening;
    if (kind === 'sold') {
      for (let part = 1; part <= charge.installments; part += 1) {
        move(charge, part, ['Autorizacao', null, 'authorized'], charge.soldAt);
      }
    } else if (kind === 'paid') {
      move(charge, happening.installmentNumber, ['Pagamento', 'authorized', 'paid'], happening.at);
    } else {
      for (const part of happening.ended)
        move(charge, part, ['Cancelamento', 'authorized', 'canceled'], happening.at);
      if (kind !== 'canceled') continue;
      number += 1;
      const { merchantId, reference } = charge;
      const at = text(happening.at);
      const cancelId = `${reference.slice(0, 15)}000-9000-${number.toString(16).padStart(12, '0')}`;
      cancels.push([
        merchantId,
        cancelId,
        reference,
        'canceled',
        happening.amount,
        merchantId,
        at,
        at,
        at,
        at,
        number,
      ]);
    }
  }
  return { movements, cancels };
}
