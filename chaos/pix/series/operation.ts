import { randomUUID } from 'node:crypto';
import type { Chance } from '../../chance.ts';
import type { ChaosBench } from '../../chaos-bench.ts';
import type { Gateway } from '../../gateways.ts';
import type { Calls, Operation } from '../../operations/operation.ts';
import { copyMerchant, logIn } from '../../recurrence/open-chaos-merchant.ts';
import { pause } from '../../recurrence/patience.ts';
import { isFinal } from '../client.ts';
import { orderForSeries, readBankOfSeries } from './bank.ts';
import {
  callForSeries,
  moveOn,
  PLAN_TYPES,
  rowOf,
  SERIES_PREFIX,
  type Series,
  type SeriesRow,
  seriesOf,
} from './series.ts';
import { spoilBankOfSeries } from './trouble.ts';

const PATH = '/v1/recurrences';
const MOST_TRIES = 60;
const PAUSE_MILLISECONDS = 250;
const HOURS_OF_A_DAY = 24;
/** A payer has three days to agree, a bank a further week to try. */
const LAST_DAYS = 5;

/** A subscriber who pays by Pix Automático, over due days of a clock of his merchant's own. */
export const PAY_IN_SERIES: Operation = {
  name: 'payInSeries',
  weight: 2,
  async prepare({ till, gateway, round, chance }) {
    const { bench } = till;
    const series = await openSeries(bench, gateway, round, chance);
    return async (calls) => {
      await enrol(series, calls.to(), chance);
      const acts = payerActs(bench, series, chance);
      // The fault of the round strikes here as well as in the enrolment.
      await Promise.race([acts, pause(LONGEST_WAIT_MILLISECONDS)]);
      const days = chance.whole(1, 8);
      await moveOnce(series, calls.to(), days);
      calls.later(async () => {
        for (let tries = 0; tries < MOST_TRIES && series.key !== null; tries += 1) {
          const last = series.answers.at(-1);
          if (last !== undefined && isFinal(last)) break;
          await pause(PAUSE_MILLISECONDS);
          await enrol(series, await calls.again(), chance);
        }
        await acts;
        await liveOn(bench, series, calls, chance);
      });
    };
  },
};

const LONGEST_WAIT_MILLISECONDS = 1_500;

async function openSeries(
  bench: ChaosBench,
  gateway: Gateway,
  round: string,
  chance: Chance,
): Promise<Series> {
  const all = seriesOf(bench);
  const merchantId = `${SERIES_PREFIX}${randomUUID().slice(0, 8)}`;
  await copyMerchant(bench, merchantId);
  const token = await logIn(bench, gateway, merchantId);
  const order = `${round}.${all.length + 1}`;
  // Clear of the amounts with which the bank does something by itself.
  const draft = {
    ...{ round, merchantId, token, planId: '', order, key: chance.isIn(0.7) ? randomUUID() : null },
    ...{
      journey: chance.pick([1, 2, 2, 3, 3, 3] as const),
      answers: [],
      happened: [],
      backs: [],
      forced: [],
    },
    ...{
      planType: chance.pick(PLAN_TYPES),
      amount: chance.whole(1, 900) * 10_000 + chance.whole(3_000, 9_900),
    },
  };
  const plan = await callForSeries(draft, gateway, `${PATH}/plans`, {
    body: {
      ...{ name: 'Academia', description: 'Mensalidade', paymentMethod: 'PixAutomatic' },
      ...{ planType: draft.planType, attempts: chance.whole(0, 3), amount: draft.amount / 100 },
    },
  });
  if (plan.status !== 200)
    throw new Error(`a plan was answered ${plan.status}: ${JSON.stringify(plan.body)}`);
  if (chance.isIn(SHARE_OF_SPOILED)) await spoilBankOfSeries(bench, merchantId, chance, 0.4);
  const series: Series = { ...draft, planId: plan.body as string };
  all.push(series);
  return series;
}

const SHARE_OF_SPOILED = 0.5;

async function enrol(series: Series, gateway: Gateway, chance: Chance): Promise<void> {
  const { planId, order, journey, key } = series;
  const account = { ispb: '12345678', branch: '0001', number: String(chance.whole(1, 99_999)) };
  // With its key it must be the same again.
  const pixAutomatic = journey === 1 ? { journey, account: { ...account, number: '4711' } } : { journey };
  const customer = { name: 'Ana Souza', documentNumber: '52998224725' };
  const body = { planId, orderNumber: order.slice(0, 50), customer, pixAutomatic };
  series.answers.push(await callForSeries(series, gateway, `${PATH}/subscriptions`, { body, key }));
}

/** Waits for what a payer sees, and does what payers do. */
async function payerActs(bench: ChaosBench, series: Series, chance: Chance): Promise<void> {
  const own = chance.fork('payer');
  const row = await seenRow(bench, series);
  if (row === null || row.recId === null) return note(series, 'nobody was asked');
  if (own.isIn(0.5)) await layOut(bench, series, row.recId, own);
  if (own.isIn(0.1)) return note(series, 'ignored');
  if (own.isIn(0.1)) return decide(bench, series, row.recId, 'reject');
  if (series.journey !== 3 || own.isIn(0.1)) return decide(bench, series, row.recId, 'accept');
  const paid = await orderForSeries(bench, series.merchantId, 'payments', { code: row.pixEmv });
  note(series, `paid by the code: ${paid?.status ?? 'lost'}`);
}

async function seenRow(bench: ChaosBench, series: Series): Promise<SeriesRow | null> {
  for (let tries = 0; tries < 2 * MOST_TRIES; tries += 1) {
    const row = await rowOf(bench, series);
    const isOver = row?.state === 'ended' || row?.state === 'ending';
    if (row?.pixEmv != null || isOver) return row;
    await pause(PAUSE_MILLISECONDS);
  }
  return rowOf(bench, series);
}

const PLANS = ['pays', 'lacksFunds', 'ignores', 'rejects'] as const;
const CODES = ['AM02', 'AC06', 'AB10', 'AC05', 'DENC'] as const;

/** What becomes of the next tries. */
async function layOut(bench: ChaosBench, series: Series, idRec: string, chance: Chance): Promise<void> {
  const steps = Array.from({ length: chance.whole(1, 5) }, () => {
    const plan = chance.pick(PLANS);
    return plan === 'rejects' ? { plan, code: chance.pick(CODES) } : { plan };
  });
  await orderForSeries(bench, series.merchantId, 'payers', { idRec, steps });
  note(series, `tries: ${steps.map(({ plan }) => plan).join()}`);
}

async function decide(bench: ChaosBench, series: Series, idRec: string, act: string): Promise<void> {
  const answer = await orderForSeries(bench, series.merchantId, 'authorizations', { idRec, act });
  note(series, `${act}: ${answer?.status ?? 'lost'}`);
}

/** Asked for once: whoever is struck meanwhile goes on by itself, or is asked again below. */
async function moveOnce(series: Series, gateway: Gateway, days: number): Promise<void> {
  await callForSeries(series, gateway, '/homologation/clock', { body: { advanceDays: days } });
}

/** Weeks, with what payers and merchants do of their own, and then days in which all is well. */
async function liveOn(bench: ChaosBench, series: Series, calls: Calls, chance: Chance): Promise<void> {
  for (let weeks = chance.whole(1, 4); weeks > 0; weeks -= 1) {
    if (chance.isIn(0.5)) await somethingHappens(bench, series, calls, chance);
    const days = chance.whole(3, 9);
    if (!(await moveOn(series, calls.again, days * HOURS_OF_A_DAY))) note(series, 'a clock did not arrive');
  }
  await spoilBankOfSeries(bench, series.merchantId, chance, 0);
  await moveOn(series, calls.again, LAST_DAYS * HOURS_OF_A_DAY);
  note(series, 'lived');
}

async function somethingHappens(
  bench: ChaosBench,
  series: Series,
  calls: Calls,
  chance: Chance,
): Promise<void> {
  const { merchantId } = series;
  const row = await rowOf(bench, series);
  if (row === null) return;
  const { arrived, cobrs, charges } = await readBankOfSeries(bench, merchantId);
  const happens: (() => Promise<void>)[] = [
    async () => {
      const body = { status: 'Canceled' };
      const path = `${PATH}/subscriptions/${row.subscriptionId}/status`;
      const { status } = await callForSeries(series, calls.to(), path, { body });
      note(series, `canceled by its merchant: ${status ?? 'lost'}`);
    },
  ];
  if (row.recId !== null) happens.push(() => decide(bench, series, row.recId as string, 'cancel'));
  const open = cobrs.find(({ status }) => status === 'ATIVA' || status === 'CRIADA');
  if (open !== undefined)
    happens.push(async () => {
      const answer = await orderForSeries(bench, merchantId, 'removals', { txid: open.txid });
      note(series, `the bank takes a charge away: ${answer?.status ?? 'lost'}`);
    });
  const first = charges[0];
  if (first !== undefined)
    happens.push(async () => {
      const paid = await orderForSeries(bench, merchantId, 'payments', { txid: first.txid, force: true });
      const { endToEndId = null } = (paid?.body ?? {}) as { endToEndId?: string };
      series.forced.push({ txid: first.txid, endToEndId });
      note(series, `its first code is paid once more: ${paid?.status ?? 'lost'}`);
    });
  const paid = arrived.length === 0 ? undefined : chance.pick(arrived);
  if (paid !== undefined)
    happens.push(
      () => giveBack(bench, series, calls, chance, paid.endToEndId),
      async () => {
        const { endToEndId } = paid;
        const amount = (chance.whole(1, paid.amount) / 100).toFixed(2);
        const taken = await orderForSeries(bench, merchantId, 'taken-back', { endToEndId, amount });
        note(series, `taken back: ${taken?.status ?? 'lost'}`);
      },
    );
  await chance.pick(happens)();
}

const OF_PAYMENT = 'select pix_id as id from pix_payments where end_to_end_id = $1';

async function giveBack(
  bench: ChaosBench,
  series: Series,
  calls: Calls,
  chance: Chance,
  endToEndId: string,
): Promise<void> {
  const [pix] = await bench.query(OF_PAYMENT, [endToEndId]);
  if (pix === undefined) return;
  const amount = chance.isIn(0.4) ? chance.whole(1, 3_000) : null;
  const body = { endToEndId, ...(amount === null ? {} : { amount }) };
  series.backs.push({ endToEndId, amount });
  const key = randomUUID();
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const gateway = tries === 0 ? calls.to() : await calls.again();
    const answered = await callForSeries(series, gateway, `/v1/payments/${pix.id}/cancel`, { body, key });
    note(series, `given back: ${answered.status ?? 'lost'}`);
    if (isFinal(answered)) return;
    await pause(PAUSE_MILLISECONDS);
  }
}

function note({ happened }: Series, what: string): void {
  happened.push(what);
}
