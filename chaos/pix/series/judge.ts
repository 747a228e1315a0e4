import type { Finding } from '../../judge/finding.ts';
import { dayAfter } from '../../recurrence/days.ts';
import { centsIn } from '../bank-ledger.ts';
import type { BillingRow, SeriesBooks } from './books.ts';
import type { PlanType, Series } from './series.ts';

const LIVE = ['CRIADA', 'ATIVA'];
const HELD = ['active', 'blocked'];
/** Behind its due day: three tries in seven days, and a day in which the bank says so. */
const DAYS_OF_TRIES = 9;

const WORDS: Readonly<Record<string, string>> = {
  opened: 'Opened',
  paymentInvalid: 'PaymentInvalid',
  canceled: 'Canceled',
  denied: 'Denied',
  paid: 'Paid',
};

const txidsOf = ({ collections }: SeriesBooks, { billingId }: BillingRow) =>
  new Set(collections.filter((one) => one.billingId === billingId).map(({ txid }) => txid));

const sorted = (list: readonly (string | number)[]) => list.map(String).sort().join();

/** The scheme goes on with the 28th behind later days. */
function dueAfter(day: string, planType: PlanType): string {
  if (planType === 'Weekly') return dayAfter(day, 7);
  const [year = 0, month = 0, of = 0] = day.split('-').map(Number);
  return new Date(Date.UTC(year, month, Math.min(of, 28))).toISOString().slice(0, 10);
}

/** Of what the merchant gave back of one payment; null: each was wished, once. */
function notWished(amounts: readonly number[], { backs }: Series, endToEndId: string): string | null {
  const wishes = backs.filter((one) => one.endToEndId === endToEndId).map(({ amount }) => amount);
  for (const amount of amounts) {
    const exact = wishes.indexOf(amount);
    const at = exact >= 0 ? exact : wishes.indexOf(null);
    if (at < 0) return `${amount} is given back, and not wished`;
    wishes.splice(at, 1);
  }
  return null;
}

/** A promise, and what is wrong with one series; null: nothing. */
type Promised = readonly [promise: string, check: (books: SeriesBooks) => string | null];

/** The first of several faults. */
function first<T>(items: readonly T[], check: (item: T) => string | null): string | null {
  return items.map(check).find((text) => text !== null) ?? null;
}

const PROMISES: readonly Promised[] = [
  [
    'no billing is charged twice',
    (books) =>
      first(books.billings, (billing) => {
        const txids = txidsOf(books, billing);
        const { forced } = books.series;
        const paid = books.bank.arrived.filter(
          ({ txid, endToEndId }) =>
            txids.has(txid ?? '') && forced.every((one) => one.endToEndId !== endToEndId),
        );
        const lost = forced.filter((one) => one.endToEndId === null && txids.has(one.txid));
        return paid.length > 1 + lost.length ? `billing ${billing.installment} by ${paid.length}` : null;
      }),
  ],
  [
    'what arrived is known, once, and nothing else',
    ({ bank, payments }) => {
      const theirs = sorted(bank.arrived.map(({ endToEndId, amount }) => `${endToEndId} ${amount}`));
      const ours = sorted(payments.map(({ endToEndId, amount }) => `${endToEndId} ${amount}`));
      return ours === theirs ? null : `here ${ours}, at the bank ${theirs}`;
    },
  ],
  [
    'what arrived has paid its billing, or is an exception',
    (books) =>
      first(books.payments, ({ pixId, endToEndId, isSurprise, hasException, isPaying }) => {
        if (isSurprise) return hasException ? null : `${endToEndId} has no exception`;
        const collection = books.collections.find((one) => one.pixId === pixId);
        const billing = books.billings.find(({ billingId }) => billingId === collection?.billingId);
        const isFine = isPaying && collection?.state === 'paid' && billing?.state === 'paid';
        return isFine ? null : `${endToEndId} paid a try that is ${collection?.state}, ${billing?.state}`;
      }),
  ],
  [
    'a billing is paid by what arrived for it, in its amount',
    (books) =>
      first(books.billings, (billing) => {
        const ids = books.collections.filter(
          ({ billingId, state }) => billingId === billing.billingId && state === 'paid',
        );
        const paying = books.payments.filter(
          ({ pixId, isPaying }) => isPaying && ids.some((one) => one.pixId === pixId),
        );
        if (billing.state !== 'paid') return ids.length === 0 ? null : `${billing.state}, and a try paid it`;
        const isFine = paying.length === 1 && paying[0]?.amount === billing.amount;
        return isFine ? null : `billing ${billing.installment} is paid by ${paying.length}`;
      }),
  ],
  [
    'what was given back at the bank is known, once, and wished',
    ({ series, bank, payments }) =>
      first(bank.arrived, ({ endToEndId, amount, devolucoes = [] }) => {
        const done = devolucoes.filter(({ status }) => status === 'DEVOLVIDO');
        const sum = done.reduce((all, { valor }) => all + centsIn(valor), 0);
        const own = done.filter(({ natureza = '' }) => !natureza.startsWith('MED'));
        const unwished = notWished(
          own.map(({ valor }) => centsIn(valor)),
          series,
          endToEndId,
        );
        const known = payments.find((one) => one.endToEndId === endToEndId);
        if (unwished !== null) return `${endToEndId}: ${unwished}`;
        if (sum > amount) return `${sum} of ${amount}`;
        return known?.returned === sum && known.held === sum ? null : `${known?.returned} here, ${sum} there`;
      }),
  ],
  [
    'an authorization is here what it is at the bank',
    ({ subscriptions, bank }) =>
      first(subscriptions, ({ subscriptionId, subscription, recId }) => {
        const own = bank.recs.filter(
          ({ vinculo }) => vinculo.contrato === subscriptionId.replaceAll('-', ''),
        );
        const [approved, waiting] = ['APROVADA', 'CRIADA'].map((word) =>
          own.filter(({ status }) => status === word).map(({ idRec }) => idRec),
        ) as [string[], string[]];
        const text = `${subscription}, at the bank ${own.map(({ status }) => status)}`;
        if (HELD.includes(subscription)) return approved.join() === recId ? null : text;
        if (subscription === 'pending') return approved.length === 0 ? null : text;
        return approved.length + waiting.length === 0 ? null : text;
      }),
  ],
  [
    'nothing stays unknown',
    ({ subscriptions, collections, receiptsLeft }) =>
      first(subscriptions, ({ state, unknownReason }) =>
        state === 'asking' || state === 'ending' || unknownReason !== null
          ? `${state}: ${unknownReason}`
          : null,
      ) ??
      first(collections, ({ isUntold, unknownReason, state }) =>
        isUntold || unknownReason !== null ? `a try is ${state}: ${unknownReason}` : null,
      ) ??
      (receiptsLeft === 0 ? null : `${receiptsLeft} wait to be applied`),
  ],
  [
    'each billing comes to an end that has a reason',
    ({ billings, collections, today, subscriptions }) =>
      first(billings, ({ billingId, installment, state, dueOn, subscriptionId }) => {
        const own = collections.filter((one) => one.billingId === billingId);
        const { subscription } = subscriptions.find((one) => one.subscriptionId === subscriptionId) ?? {};
        if (state === 'opened' && dayAfter(dueOn, DAYS_OF_TRIES) < today)
          return `billing ${installment} of ${dueOn} is open on ${today}`;
        if (state === 'opened' && !['active', 'blocked', 'pending'].includes(subscription ?? ''))
          return `billing ${installment} is open, and its subscription ${subscription}`;
        const isOpen = own.some((one) => one.state === 'open');
        return state !== 'opened' && isOpen ? `billing ${installment} is ${state}, and a try is open` : null;
      }),
  ],
  [
    'each cycle has one billing, on its day and in the amount of the plan',
    ({ billings, series }) =>
      first([...billings.keys()], (at) => {
        const [before, { installment, dueOn, amount }] = [billings[at - 1], billings[at] as BillingRow];
        const expected = before === undefined ? dueOn : dueAfter(before.dueOn, series.planType);
        const isFine = installment === at + 1 && dueOn === expected && amount === series.amount;
        return isFine
          ? null
          : `${installment} of ${amount} due ${dueOn}, and not ${series.amount} ${expected}`;
      }),
  ],
  [
    'what the bank may still collect is known here',
    ({ bank, collections, today }) =>
      first([...bank.cobrs, ...bank.charges], (charge) => {
        const { txid, status } = charge;
        const own = collections.filter((one) => one.txid === txid);
        if (own.length === 0) return `${txid} is ${status}, and nothing here`;
        const isOpen = own.some(({ state }) => state === 'open');
        const isOver = 'endsAt' in charge && charge.endsAt.slice(0, 10) < today;
        return !LIVE.includes(status) || isOver || isOpen
          ? null
          : `${txid} is ${status}, here ${own.at(-1)?.state}`;
      }),
  ],
  [
    'an answer of yes names a subscription, and one with a key is one',
    ({ series, subscriptions }) => {
      const told = series.answers.flatMap(({ status, body }) =>
        status === 200 ? [(body as { id?: string }).id ?? String(body)] : [],
      );
      const unknown = told.find((id) => subscriptions.every(({ subscriptionId }) => subscriptionId !== id));
      if (unknown !== undefined) return `${unknown} is not here`;
      return subscriptions.length > 1 ? `${subscriptions.length} subscriptions` : null;
    },
  ],
  [
    'what the merchant reads is what is on record',
    ({ billings, shown }) => {
      const ours = sorted(billings.map(({ billingId, state }) => `${billingId} ${WORDS[state]}`));
      const theirs = sorted(shown.map(({ id, status }) => `${id} ${status}`));
      return ours === theirs ? null : `told ${theirs}, here ${ours}`;
    },
  ],
];

/** Everything that is promised of a series and is not so. */
export function checkSeries(books: SeriesBooks): Finding[] {
  const reference = `${books.series.round} ${books.series.merchantId}`;
  return PROMISES.flatMap(([invariant, check]) => {
    const text = check(books);
    return text === null ? [] : [{ invariant, reference, text: text + viewsOf(books) }];
  });
}

function viewsOf({ series, today, subscriptions, billings, collections, payments, bank }: SeriesBooks) {
  const { answers, happened, journey } = series;
  const lines = (name: string, rows: readonly object[]) =>
    rows.map((row) => `    ${name} ${JSON.stringify(row)}`);
  return [
    `\n    ${today}, journey ${journey}, answered ${answers.map(({ status, lostBy }) => status ?? lostBy)}: ${happened.join('; ')}`,
    ...lines('subscription ', subscriptions),
    ...lines('billing      ', billings),
    ...lines('try          ', collections),
    ...lines('payment      ', payments),
    ...lines('authorization', bank.recs),
    ...lines('collected    ', bank.cobrs),
    ...lines('charge       ', bank.charges),
    ...lines('arrived      ', bank.arrived),
  ].join('\n');
}
