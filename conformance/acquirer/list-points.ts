import type { Exchange } from '../http-client.ts';
import { expect, expectAnswer, fieldOf, skipUnless } from '../point.ts';
import { capabilitiesOf } from './about-points.ts';
import { type AcquirerPoint, type Bench, CODE, MOMENT, NSU } from './bench.ts';
import { AMOUNT, approve, cancel, voiding } from './requests.ts';

const NO_LIST = 'it does not say that it lists charges';
/** Clocks of both sides may differ by so much. */
const MARGIN_MILLISECONDS = 60 * 60 * 1_000;
const MOST_PAGES = 10_000;

type Item = Readonly<Record<string, unknown>>;

async function skipUnlessItLists(bench: Bench): Promise<void> {
  skipUnless((await capabilitiesOf(bench)).listCharges === true, NO_LIST);
}

function pageOf(
  { bridge, merchantId }: Bench,
  since: string,
  after: unknown,
  limit: number,
): Promise<Exchange> {
  const query = new URLSearchParams({ since, limit: String(limit), merchantId });
  if (after !== null) query.set('after', String(after));
  return bridge.get(`/charges?${query}`);
}

/** All pages from a while ago on. */
async function listed(bench: Bench, limit: number): Promise<{ items: Item[]; last: Exchange }> {
  const since = new Date(Date.now() - MARGIN_MILLISECONDS).toISOString();
  const items: Item[] = [];
  let last = await pageOf(bench, since, null, limit);
  for (let pages = 1; ; pages += 1) {
    const found = fieldOf(last, 'items');
    expect(Array.isArray(found) && found.length <= limit, `a list of at most ${limit} items`, last);
    items.push(...(found as Item[]));
    if (fieldOf(last, 'hasMore') !== true) return { items, last };
    expect(pages < MOST_PAGES, 'an end of the list', last);
    last = await pageOf(bench, since, fieldOf(last, 'next'), limit);
  }
}

export const LIST_POINTS: readonly AcquirerPoint[] = [
  {
    paragraph: '1.12',
    sentence: 'a list has each charge once, as it is now, with its cancellations, page by page',
    async run(bench) {
      await skipUnlessItLists(bench);
      const kept = await approve(bench, { installments: 2 });
      const undone = await approve(bench);
      const canceled = await approve(bench);
      const cancellationReference = bench.newReference();
      expectAnswer(await voiding(bench, undone), 200, { status: 'undone' });
      expectAnswer(await cancel(bench, cancellationReference, canceled, 500), 200, { outcome: 'canceled' });
      const { items, last } = await listed(bench, 2);
      const itemOf = (reference: string) => {
        const found = items.filter((item) => item.reference === reference);
        expect(found.length === 1, `${reference} once`, last);
        return { ...last, body: found[0] };
      };
      const moments = { soldAt: MOMENT, authorizedAt: MOMENT, changedAt: MOMENT };
      const codes = { authorizationCode: CODE, nsu: NSU };
      const money = { amount: AMOUNT, authorizedAmount: AMOUNT, canceledAmount: 0 };
      const sale = { merchantId: bench.merchantId, merchantReference: `conformance of ${kept}` };
      const card = { firstSix: bench.card.number.slice(0, 6), lastFour: bench.card.number.slice(-4) };
      expectAnswer(itemOf(kept), 200, {
        ...{ ...sale, ...card, ...moments, ...codes, ...money, status: 'approved', installments: 2 },
        ...{ captureLater: false, initiator: 'cardholder', cancellations: [], captures: [] },
      });
      expectAnswer(itemOf(undone), 200, { status: 'undone' });
      const given500 = { cancellationReference, amount: 500, outcome: 'canceled' };
      const cancellations = fieldOf(itemOf(canceled), 'cancellations');
      const [first = {}] = Array.isArray(cancellations) ? (cancellations as Item[]) : [];
      expectAnswer({ ...last, body: first }, 200, { ...given500, requestedAt: MOMENT });
    },
  },
  {
    paragraph: '1.12',
    sentence: 'the list of a merchant has no charge of another',
    async run(bench) {
      await skipUnlessItLists(bench);
      const other = await approve(bench, { merchantId: bench.otherMerchantId });
      const { items, last } = await listed(bench, 100);
      const foreign = items.filter(({ merchantId }) => merchantId !== bench.merchantId);
      expect(foreign.length === 0, `nothing of ${bench.otherMerchantId}, such as ${other}`, last);
    },
  },
  {
    paragraph: '1.12',
    sentence: 'a list has nothing that was changed before the instant that was asked for',
    async run(bench) {
      await skipUnlessItLists(bench);
      const reference = await approve(bench);
      const later = new Date(Date.now() + 24 * MARGIN_MILLISECONDS).toISOString();
      const page = await pageOf(bench, later, null, 100);
      expectAnswer(page, 200, { items: [], hasMore: false });
      const { items, last } = await listed(bench, 100);
      expect(
        items.some((item) => item.reference === reference),
        `${reference} in the list`,
        last,
      );
    },
  },
];
