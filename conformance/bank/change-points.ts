import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from '../http-client.ts';
import { expect, expectAnswer, fieldOf, skipUnless, textForm } from '../point.ts';
import {
  afterAll,
  type BankBench,
  type BankPoint,
  type Boleto,
  boleto,
  cancel,
  lookUp,
  register,
} from './bench.ts';

const AT_ONCE = 8;
/** More pages are a bank that does not come to an end. */
const MOST_PAGES = 10_000;
const LIMIT = 500;

type Item = Readonly<Record<string, unknown>>;
type Page = { readonly exchange: Exchange; readonly items: readonly Item[]; readonly next: string };

type Asked = {
  readonly merchantId?: string;
  readonly cursor?: string;
  readonly until?: string;
  readonly limit?: number;
};

async function pageOf(
  { bank }: BankBench,
  { merchantId, cursor, until = afterAll(), limit = LIMIT }: Asked,
): Promise<Page> {
  const query = new URLSearchParams({ until, limit: String(limit) });
  if (merchantId !== undefined) query.set('merchantId', merchantId);
  if (cursor !== undefined) query.set('cursor', cursor);
  const exchange = await bank.get(`/changes?${query}`);
  expectAnswer(exchange, 200, { next: textForm('a cursor', /^[\w.:-]{1,64}$/) });
  const items = fieldOf(exchange, 'items');
  expect(Array.isArray(items) && items.length <= limit, `at most ${limit} items`, exchange);
  expect(typeof fieldOf(exchange, 'hasMore') === 'boolean', 'hasMore, true or false', exchange);
  return { exchange, items: items as Item[], next: String(fieldOf(exchange, 'next')) };
}

/** All pages up to the end, and the cursor there. */
async function readAll(bench: BankBench, asked: Asked): Promise<{ items: Item[]; last: Page }> {
  const items: Item[] = [];
  let last = await pageOf(bench, asked);
  items.push(...last.items);
  for (let pages = 1; fieldOf(last.exchange, 'hasMore') === true; pages += 1) {
    const page = await pageOf(bench, { ...asked, cursor: last.next });
    expect(page.next !== last.next && pages < MOST_PAGES, 'pages that move on', page.exchange);
    last = page;
    items.push(...page.items);
  }
  return { items, last };
}

/** Where the changes of the merchant end now, also of what falls due later. */
async function endOfChanges(bench: BankBench): Promise<string> {
  return (await readAll(bench, { merchantId: bench.merchantId })).last.next;
}

const changesOf = (items: readonly Item[], { ourNumber }: Boleto) =>
  items.filter((item) => item.ourNumber === ourNumber);

export const CHANGE_POINTS: readonly BankPoint[] = [
  {
    paragraph: '1.8',
    sentence: 'a boleto is canceled once, however many ask, and stays canceled',
    async run(bench) {
      const cursor = await endOfChanges(bench);
      const asked = boleto(bench);
      const { ourNumber } = asked;
      expectAnswer(await register(bench, asked), 200, { outcome: 'issued' });
      const all = await Promise.all(Array.from({ length: AT_ONCE }, () => cancel(bench, asked)));
      for (const exchange of all) expectAnswer(exchange, 200, { ourNumber, outcome: 'canceled' });
      expectAnswer(await cancel(bench, asked), 200, { ourNumber, outcome: 'canceled' });
      expectAnswer(await lookUp(bench, asked), 200, { ourNumber, status: 'canceled' });
      const { items, last } = await readAll(bench, { merchantId: asked.merchantId, cursor });
      const events = changesOf(items, asked).map(({ event }) => event);
      expect(isDeepStrictEqual(events, ['canceled']), 'one change: canceled', last.exchange);
    },
  },
  {
    paragraph: '1.8',
    sentence: 'a cancel of a number that was never registered is refused',
    async run(bench) {
      const asked = boleto(bench);
      const { ourNumber } = asked;
      const refused = { ourNumber, outcome: 'refused', reason: 'unknownBoleto' };
      expectAnswer(await cancel(bench, asked), 200, refused);
      expectAnswer(await register(bench, asked), 200, { outcome: 'issued' });
    },
  },
  {
    paragraph: '1.7',
    sentence: 'a payment is reported with its amount and its day, and the boleto is paid',
    async run(bench) {
      skipUnless(bench.paidValue !== null, 'no value was named that is paid');
      const cursor = await endOfChanges(bench);
      const asked = boleto(bench, { amount: bench.paidValue });
      expectAnswer(await register(bench, asked), 200, { outcome: 'issued' });
      const { items, last } = await readAll(bench, { merchantId: asked.merchantId, cursor });
      const [paid] = changesOf(items, asked);
      const { merchantId, ourNumber, amount, dueOn } = asked;
      const wanted = { merchantId, ourNumber, event: 'paid', amount, paidOn: dueOn };
      const isFit = Object.entries(wanted).every(([name, value]) => paid?.[name] === value);
      expect(isFit, `a change with ${JSON.stringify(wanted)}`, last.exchange);
      const { fee, creditedOn } = paid ?? {};
      const isTold = (fee === null || Number.isInteger(fee)) && (creditedOn === null || isDay(creditedOn));
      expect(isTold, 'fee in cents or null, creditedOn a day or null', last.exchange);
      expectAnswer(await lookUp(bench, asked), 200, { status: 'paid' });
      expectAnswer(await cancel(bench, asked), 200, { outcome: 'refused', reason: 'paid' });
    },
  },
  {
    paragraph: '1.7',
    sentence: 'pages follow each other without a gap, and the same question gets the same answer',
    async run(bench) {
      const cursor = await endOfChanges(bench);
      const all = Array.from({ length: 5 }, () => boleto(bench));
      for (const asked of all) await register(bench, asked);
      for (const asked of all) expectAnswer(await cancel(bench, asked), 200, { outcome: 'canceled' });
      const asked = { merchantId: bench.merchantId, cursor, until: afterAll() };
      const byTwo = await readAll(bench, { ...asked, limit: 2 });
      const whole = await readAll(bench, asked);
      const numbers = whole.items.map(({ ourNumber }) => ourNumber);
      const wanted = all.map(({ ourNumber }) => ourNumber);
      expect(isDeepStrictEqual(numbers, wanted), 'the five in their order', whole.last.exchange);
      expect(isDeepStrictEqual(byTwo.items, whole.items), 'the same in pages of two', byTwo.last.exchange);
      const ids = new Set(whole.items.map(({ changeId }) => changeId));
      expect(ids.size === all.length, 'a changeId for each', whole.last.exchange);
      const behind = await pageOf(bench, { ...asked, cursor: whole.last.next });
      expect(behind.items.length === 0, 'nothing behind the end', behind.exchange);
    },
  },
  {
    paragraph: '1.7',
    sentence: 'no change is later than what was asked for, and of one merchant there are only its own',
    async run(bench) {
      const cursor = await endOfChanges(bench);
      const asked = boleto(bench);
      const ofOther = boleto(bench, { merchantId: bench.otherMerchantId });
      for (const one of [asked, ofOther]) {
        await register(bench, one);
        expectAnswer(await cancel(bench, one), 200, { outcome: 'canceled' });
      }
      const early = { merchantId: bench.merchantId, cursor, until: '2020-01-01T00:00:00.000Z' };
      const before = await pageOf(bench, early);
      expect(before.items.length === 0, 'no change before it happened', before.exchange);
      const own = await readAll(bench, { merchantId: bench.merchantId, cursor });
      expect(changesOf(own.items, asked).length === 1, 'the change', own.last.exchange);
      const isOwn = own.items.every(({ merchantId }) => merchantId === bench.merchantId);
      expect(isOwn, 'no change of another merchant', own.last.exchange);
    },
  },
];

function isDay(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
}
