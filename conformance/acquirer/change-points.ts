import type { Exchange } from '../http-client.ts';
import { expect, expectAnswer, type Form, fieldOf, orAbsent, skipUnless } from '../point.ts';
import { type AcquirerPoint, type Bench, MOMENT } from './bench.ts';
import { approve, cancel, find } from './requests.ts';

const NO_CHANGES = 'the bridge has no GET /changes (404 unknownPath)';
const NONE_TOLD = 'it tells of no cancellations, and nothing else happens here';
const NO_PAYOUTS = 'it tells of no payout of a charge that was sold forty days ago';
const TYPES = ['settled', 'blocked', 'unblocked', 'chargeback', 'canceled', 'cancellationFailed'];
const CHANGE_ID = /^[A-Za-z0-9_.:-]{1,64}$/;
const LONGEST_WALK = 1_000;
const DAY_MILLISECONDS = 86_400_000;

const CENTS: Form = {
  form: 'cents',
  isFit: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};
const DAY: Form = {
  form: 'a day',
  isFit: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value),
};
const PAYOUT = { fee: orAbsent(CENTS), net: orAbsent(CENTS), bankOn: orAbsent(DAY) };

type Change = Readonly<Record<string, unknown>>;

async function readChanges({ bridge, merchantId }: Bench, asked: string): Promise<Exchange> {
  const answer = await bridge.get(`/changes?merchantId=${encodeURIComponent(merchantId)}${asked}`);
  skipUnless(answer.status !== 404 || fieldOf(answer, 'error') !== 'unknownPath', NO_CHANGES);
  expectAnswer(answer, 200, {
    items: { form: 'a list', isFit: Array.isArray },
    next: { form: 'an integer or a text', isFit: isCursor },
    hasMore: { form: 'true or false', isFit: (value: unknown) => typeof value === 'boolean' },
  });
  return answer;
}

const isCursor = (value: unknown) =>
  Number.isSafeInteger(value) || (typeof value === 'string' && CHANGE_ID.test(value));
const itemsOf = (page: Exchange) => fieldOf(page, 'items') as readonly Change[];
const cursorOf = (page: Exchange) => encodeURIComponent(String(fieldOf(page, 'next')));

/** Where the list of changes ends now. */
async function endOfChanges(bench: Bench): Promise<string> {
  let page = await readChanges(bench, '&limit=1000');
  for (let walked = 0; fieldOf(page, 'hasMore') === true && walked < LONGEST_WALK; walked += 1)
    page = await readChanges(bench, `&limit=1000&after=${cursorOf(page)}`);
  return cursorOf(page);
}

/**
 * Gives back so many parts of one charge, which are changes wherever a bridge reports
 * cancellations.
 */
async function cancelInParts(bench: Bench, parts: number): Promise<string> {
  const reference = await approve(bench);
  for (let part = 1; part <= parts; part += 1)
    expectAnswer(await cancel(bench, bench.newReference(), reference, part), 200, { outcome: 'canceled' });
  return reference;
}

export const CHANGE_POINTS: readonly AcquirerPoint[] = [
  {
    paragraph: '1.9',
    sentence: 'what happened to charges is told in items of their form',
    async run(bench) {
      const after = await endOfChanges(bench);
      const reference = await cancelInParts(bench, 2);
      const page = await readChanges(bench, `&after=${after}&limit=1000`);
      for (const item of itemsOf(page)) {
        const isWhole = item.type === 'canceled';
        const isNumbered = Number.isSafeInteger(item.installmentNumber);
        const isGiven = Number.isSafeInteger(item.amount);
        const isFit =
          CHANGE_ID.test(String(item.changeId)) &&
          TYPES.includes(String(item.type)) &&
          item.merchantId === bench.merchantId &&
          MOMENT.isFit(item.at) &&
          (isWhole ? item.installmentNumber === null && isGiven : isNumbered);
        expect(isFit, `items of the form of 1.9, and not ${JSON.stringify(item)}`, page);
      }
      const reported = itemsOf(page).filter((item) => item.reference === reference);
      const isEach = reported.length === 0 || reported.map(({ amount }) => amount).join() === '1,2';
      expect(isEach, 'each cancellation once and in order, or none', page);
    },
  },
  {
    paragraph: '1.9',
    sentence: 'changes are read on from a cursor, page by page, and asking twice is answered alike',
    async run(bench) {
      const after = await endOfChanges(bench);
      await cancelInParts(bench, 5);
      const whole = itemsOf(await readChanges(bench, `&after=${after}&limit=1000`));
      skipUnless(whole.length > 0, NONE_TOLD);
      const walked: Change[] = [];
      let page: Exchange;
      let cursor = after;
      do {
        page = await readChanges(bench, `&after=${cursor}&limit=2`);
        expect(itemsOf(page).length <= 2, 'no more items than were asked for', page);
        const again = await readChanges(bench, `&after=${cursor}&limit=2`);
        expect(JSON.stringify(again.body) === JSON.stringify(page.body), 'the same page again', again);
        walked.push(...itemsOf(page));
        cursor = cursorOf(page);
      } while (fieldOf(page, 'hasMore') === true && walked.length < LONGEST_WALK);
      expect(JSON.stringify(walked) === JSON.stringify(whole), 'all items of the whole list, in order', page);
      const ids = new Set(walked.map(({ changeId }) => changeId));
      expect(ids.size === walked.length, 'a changeId for each change', page);
    },
  },
  {
    paragraph: '1.9',
    sentence: 'nothing behind `until` is told, and nothing before it is stepped over',
    async run(bench) {
      const after = await endOfChanges(bench);
      await cancelInParts(bench, 2);
      const before = await readChanges(bench, `&after=${after}&until=2020-01-01T00:00:00Z`);
      expect(itemsOf(before).length === 0, 'no item', before);
      const passed = await readChanges(bench, `&after=${cursorOf(before)}`);
      const whole = await readChanges(bench, `&after=${after}`);
      expect(
        JSON.stringify(itemsOf(passed)) === JSON.stringify(itemsOf(whole)),
        'all that came since',
        passed,
      );
    },
  },
  {
    paragraph: '1.9',
    sentence: 'a merchant is told its own changes only',
    async run(bench) {
      const other = { ...bench, merchantId: bench.otherMerchantId };
      const after = await endOfChanges(bench);
      const reference = await cancelInParts(other, 1);
      const page = await readChanges(bench, `&after=${after}`);
      expect(
        !itemsOf(page).some((item) => item.reference === reference),
        'nothing of another merchant',
        page,
      );
      expectAnswer(await find(other, reference), 200, { canceledAmount: 1 });
    },
  },
  {
    paragraph: '1.9',
    sentence: 'what a payout reports of its money is of its form',
    async run(bench) {
      const soldAt = new Date(Date.now() - 40 * DAY_MILLISECONDS).toISOString();
      const reference = await approve(bench, { soldAt });
      const payouts = () => itemsOf(page).filter(({ type }) => type === 'settled');
      const isPaid = () => payouts().some((item) => item.reference === reference);
      let page = await readChanges(bench, '&limit=1000');
      for (
        let walked = 0;
        !isPaid() && fieldOf(page, 'hasMore') === true && walked < LONGEST_WALK;
        walked += 1
      )
        page = await readChanges(bench, `&limit=1000&after=${cursorOf(page)}`);
      skipUnless(isPaid(), NO_PAYOUTS);
      for (const item of payouts())
        for (const [name, { isFit, form }] of Object.entries(PAYOUT))
          expect(isFit(item[name]), `${name}: ${form}, and not ${JSON.stringify(item)}`, page);
    },
  },
];
