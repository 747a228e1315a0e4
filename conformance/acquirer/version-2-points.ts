import type { Exchange } from '../http-client.ts';
import { expect, expectAnswer, type Form, fieldOf, skipUnless } from '../point.ts';
import type { AcquirerPoint, Bench } from './bench.ts';
import { approve, cancel, find, voiding } from './requests.ts';

const VERSION_1 = 'it speaks version 1 only';
const NO_PENDING = 'nothing is known here that is accepted and decided later (--pending-amount)';
const NO_PAYOUTS = 'it tells of no payout of a charge that was sold forty days ago';
const DAY_MILLISECONDS = 86_400_000;

const FLAG: Form = { form: 'true or false', isFit: (value) => typeof value === 'boolean' };
const numberTo = (most: number): Form => ({
  form: `an integer of 1 to ${most}`,
  isFit: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most,
});
const BRANDS: Form = {
  form: 'a list with a brand of 1.5',
  isFit: (value) =>
    Array.isArray(value) && value.some((brand) => /^(visa|mastercard|amex|elo|hipercard)$/.test(brand)),
};

const orAbsent = ({ form, isFit }: Form): Form => ({
  form: `${form}, or absent`,
  isFit: (value) => value === undefined || value === null || isFit(value),
});

const CAPABILITIES: Readonly<Record<string, Form>> = {
  largestInstallments: numberTo(99),
  brands: BRANDS,
  captureLater: FLAG,
  partialCancel: FLAG,
  zeroVerification: FLAG,
  longestReference: numberTo(64),
  lookUpDays: numberTo(36_500),
  customer: FLAG,
  listCharges: FLAG,
};

/** The bench, asking in version 2; the point is skipped where the bridge does not speak it. */
export async function inVersion2(bench: Bench): Promise<{ readonly bench: Bench; readonly about: Exchange }> {
  const about = await bench.bridge.inProtocol(2).get('/about');
  skipUnless(fieldOf(about, 'protocol') === 2, VERSION_1);
  return { bench: { ...bench, bridge: bench.bridge.inProtocol(2) }, about };
}

const CENTS: Form = {
  form: 'cents',
  isFit: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};
const DAY: Form = {
  form: 'a day',
  isFit: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value),
};

export const VERSION_2_POINTS: readonly AcquirerPoint[] = [
  {
    paragraph: '1.4',
    sentence: 'asked in version 2, it reports what its acquirer can do',
    async run(bench) {
      const { about } = await inVersion2(bench);
      const capabilities = Object(fieldOf(about, 'capabilities')) as Record<string, unknown>;
      for (const [name, form] of Object.entries(CAPABILITIES)) {
        const { isFit, form: words } = orAbsent(form);
        expect(isFit(capabilities[name]), `capabilities.${name}: ${words}`, about);
      }
    },
  },
  {
    paragraph: '1.7',
    sentence: 'a cancellation that is pending holds its amount, gives nothing back yet, and is told again',
    async run(given) {
      const { bench } = await inVersion2(given);
      const { pendingAmount: amount } = bench;
      skipUnless(amount !== null, NO_PENDING);
      const reference = await approve(bench, { amount: amount + 1 });
      const accepted = bench.newReference();
      const pending = { cancellationReference: accepted, outcome: 'pending', amount, canceledAmount: 0 };
      for (let time = 1; time <= 2; time += 1)
        expectAnswer(await cancel(bench, accepted, reference, amount), 200, pending);
      expectAnswer(await find(bench, reference), 200, { status: 'approved', canceledAmount: 0 });
      const beyond = await cancel(bench, bench.newReference(), reference, 2);
      expectAnswer(beyond, 200, { outcome: 'refused', reason: 'exceedsRemaining' });
      expectAnswer(await voiding(bench, reference), 409, { error: 'canceled' });
      const asked = await cancel(given, accepted, reference, amount);
      expect(asked.status === 503, 'status 503 to a caller that speaks version 1', asked);
    },
  },
  {
    paragraph: '1.9',
    sentence: 'what a payout reports of its money is of its form',
    async run(given) {
      const { bench } = await inVersion2(given);
      const soldAt = new Date(Date.now() - 40 * DAY_MILLISECONDS).toISOString();
      const reference = await approve(bench, { soldAt });
      const merchant = encodeURIComponent(bench.merchantId);
      let page = await bench.bridge.get(`/changes?merchantId=${merchant}&limit=1000`);
      const items = () => (fieldOf(page, 'items') ?? []) as Readonly<Record<string, unknown>>[];
      const isPaid = () => items().some((item) => item.reference === reference && item.type === 'settled');
      for (let walked = 0; !isPaid() && fieldOf(page, 'hasMore') === true && walked < 1_000; walked += 1) {
        const after = encodeURIComponent(String(fieldOf(page, 'next')));
        page = await bench.bridge.get(`/changes?merchantId=${merchant}&limit=1000&after=${after}`);
      }
      skipUnless(isPaid(), NO_PAYOUTS);
      for (const item of items().filter(({ type }) => type === 'settled')) {
        for (const [name, form] of Object.entries({ fee: CENTS, net: CENTS, bankOn: DAY })) {
          const { isFit, form: words } = orAbsent(form);
          expect(isFit(item[name]), `${name}: ${words}, and not ${JSON.stringify(item)}`, page);
        }
      }
    },
  },
];
