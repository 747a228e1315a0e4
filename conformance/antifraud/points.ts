import { randomUUID } from 'node:crypto';
import { expect, expectAnswer, skipUnless } from '../point.ts';
import { type AntiFraudPoint, buyer, decide, question, REASONS, SCORE, VERDICT } from './bench.ts';

const NO_BUYER = 'no such buyer was named';
const AT_ONCE = 8;

/** What every provider must do, in the order of docs/antifraud-protocol.md. */
export const ANTI_FRAUD_POINTS: readonly AntiFraudPoint[] = [
  {
    paragraph: '2',
    sentence: 'it says who it is, and that it speaks version 1',
    async run({ provider }) {
      const about = await provider.get('/about');
      expectAnswer(about, 200, { protocol: 1 });
      const { name, simulator } = Object(about.body) as Record<string, unknown>;
      expect(typeof name === 'string' && typeof simulator === 'boolean', 'a name, and simulator', about);
    },
  },
  {
    paragraph: '3',
    sentence: 'a sale gets a verdict for its own transaction',
    async run(bench) {
      const asked = question(bench);
      const { transactionId } = asked;
      expectAnswer(await decide(bench, asked), 200, {
        ...{ transactionId, verdict: VERDICT, score: SCORE, reasons: REASONS },
      });
    },
  },
  {
    paragraph: '3',
    sentence: 'a sale of which little is known gets a verdict too',
    async run(bench) {
      const customer = Object.fromEntries(Object.keys(buyer(null)).map((name) => [name, null]));
      const asked = question(bench, { customer, merchantReference: null, installments: 1 });
      const { transactionId } = asked;
      expectAnswer(await decide(bench, asked), 200, { transactionId, verdict: VERDICT });
    },
  },
  {
    paragraph: '3',
    sentence: 'a sale that is divided, by a stored card and with a device, gets a verdict too',
    async run(bench) {
      const { card } = question(bench) as { card: { fingerprints: string[] } };
      const { fingerprints } = card;
      const asked = question(bench, {
        card: { ...card, isStored: true, fingerprints: [...fingerprints, ...fingerprints] },
        session: { addressFingerprints: fingerprints, deviceFingerprints: fingerprints },
        split: { kind: 'net', entries: [{ beneficiary: '11222333000181', portion: 2_500 }] },
      });
      const { transactionId } = asked;
      expectAnswer(await decide(bench, asked), 200, { transactionId, verdict: VERDICT });
    },
  },
  {
    paragraph: '3',
    sentence: 'fields that it does not know are ignored',
    async run(bench) {
      const asked = question(bench, { comesLater: { of: 'another version' } });
      const { transactionId } = asked;
      expectAnswer(await decide(bench, asked), 200, { transactionId, verdict: VERDICT });
    },
  },
  {
    paragraph: '3',
    sentence: 'a buyer is reviewed',
    async run(bench) {
      skipUnless(bench.reviewEmail !== null, NO_BUYER);
      const asked = question(bench, { customer: buyer(bench.reviewEmail) });
      expectAnswer(await decide(bench, asked), 200, { verdict: 'review', score: SCORE, reasons: REASONS });
    },
  },
  {
    paragraph: '3',
    sentence: 'a buyer is rejected',
    async run(bench) {
      skipUnless(bench.rejectEmail !== null, NO_BUYER);
      const asked = question(bench, { customer: buyer(bench.rejectEmail) });
      expectAnswer(await decide(bench, asked), 200, { verdict: 'reject', score: SCORE, reasons: REASONS });
    },
  },
  {
    paragraph: '4',
    sentence: 'a question that is repeated, also many times at once, gets the same answer',
    async run(bench) {
      const asked = question(bench, { customer: buyer(bench.rejectEmail) });
      const first = await decide(bench, asked);
      expectAnswer(first, 200, { verdict: VERDICT });
      const { verdict, score, reasons } = first.body as Record<string, unknown>;
      const again = await Promise.all(Array.from({ length: AT_ONCE }, () => decide(bench, asked)));
      for (const exchange of again) expectAnswer(exchange, 200, { verdict, score, reasons });
    },
  },
  {
    paragraph: '4',
    sentence: 'another question under the same id is refused, and the first keeps its answer',
    async run(bench) {
      const asked = question(bench);
      const first = await decide(bench, asked);
      expectAnswer(first, 200, { verdict: VERDICT });
      expectAnswer(await decide(bench, { ...asked, amount: 1 }), 409, { error: 'transactionReused' });
      const { verdict } = first.body as Record<string, unknown>;
      expectAnswer(await decide(bench, asked), 200, { verdict });
    },
  },
  {
    paragraph: '4',
    sentence: 'the same id of another merchant is another sale',
    async run(bench) {
      const asked = question(bench);
      expectAnswer(await decide(bench, asked), 200, { verdict: VERDICT });
      const ofOther = { ...asked, merchantId: bench.otherMerchantId, amount: 1 };
      expectAnswer(await decide(bench, ofOther), 200, { verdict: VERDICT });
    },
  },
  {
    paragraph: '5',
    sentence: 'what is not of the protocol is refused with its first wrong field, and leaves its id free',
    async run(bench) {
      const transactionId = randomUUID();
      const sound = question(bench, { transactionId });
      for (const [field, changed] of [
        ['amount', { amount: '129.90' }],
        ['merchantId', { merchantId: null }],
        ['card.firstSix', { card: { ...(sound.card as object), firstSix: '4111111111' } }],
      ] as const) {
        const exchange = await decide(bench, { ...sound, ...changed });
        expectAnswer(exchange, 400, { error: 'malformed', field });
      }
      expectAnswer(await decide(bench, sound), 200, { transactionId, verdict: VERDICT });
    },
  },
  {
    paragraph: '5',
    sentence: 'a path that it does not have is said to be unknown',
    async run({ provider }) {
      expectAnswer(await provider.get('/decisions-of-tomorrow'), 404, { error: 'unknownPath' });
    },
  },
];
