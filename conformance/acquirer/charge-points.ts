import type { Exchange } from '../http-client.ts';
import { expect, expectAnswer, fieldOf, orAbsent, skipUnless } from '../point.ts';
import { type AcquirerPoint, ADVICE_CODE, CODE, LINK, MOMENT, NO_LINK, NSU, RESPONSE_CODE } from './bench.ts';
import { AMOUNT, approve, authorize, find, voiding } from './requests.ts';

const AT_ONCE = 30;
export const NO_DECLINE = 'nothing is known here that the acquirer declines (--declined-amount)';

/** What an answer says of the charge, however often it is given. */
const reportOf = ({ status, body }: Exchange) => JSON.stringify([status, body]);

const linkOf = (answer: Exchange) => fieldOf(answer, 'transactionLinkId') ?? null;

export const CHARGE_POINTS: readonly AcquirerPoint[] = [
  {
    paragraph: '1.5',
    sentence: 'an approval tells code, NSU, network transaction and time, and can be asked for',
    async run(bench) {
      const reference = bench.newReference();
      const answer = await authorize(bench, reference);
      const transactionLinkId = linkOf(answer);
      const reported = { reference, amount: AMOUNT };
      const codes = { authorizationCode: CODE, nsu: NSU, networkTransactionId: CODE, authorizedAt: MOMENT };
      const approved = { ...reported, outcome: 'approved', ...codes };
      expectAnswer(answer, 200, { ...approved, transactionLinkId: orAbsent(LINK) });
      const same = Object.fromEntries(Object.keys(codes).map((name) => [name, fieldOf(answer, name)]));
      const without = { canceledAmount: 0, responseCode: null, adviceCode: null };
      expectAnswer(await find(bench, reference), 200, {
        ...reported,
        status: 'approved',
        ...same,
        ...without,
        transactionLinkId: transactionLinkId ?? NO_LINK,
      });
    },
  },
  {
    paragraph: '1.5',
    sentence: 'every approval has an NSU of its own',
    async run(bench) {
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => authorize(bench, bench.newReference())),
      );
      const nsus = new Set(answers.map((answer) => fieldOf(answer, 'nsu')));
      for (const answer of answers) expectAnswer(answer, 200, { outcome: 'approved' });
      expect(nsus.size === answers.length, 'an NSU that no other charge has', answers[0] as Exchange);
    },
  },
  {
    paragraph: '1.5',
    sentence: 'a charge in installments, and one of a stored card without its holder, are taken',
    async run(bench) {
      await approve(bench, { installments: 3 });
      const first = bench.newReference();
      const answer = await authorize(bench, first, { storedCard: 'first', storedCardReason: 'unscheduled' });
      expectAnswer(answer, 200, { outcome: 'approved' });
      await approve(bench, {
        ...{ initiator: 'merchant', storedCard: 'later', storedCardReason: 'unscheduled' },
        card: { ...bench.card, securityCode: null },
        networkTransactionId: fieldOf(answer, 'networkTransactionId'),
        transactionLinkId: bench.card.brand === 'mastercard' ? linkOf(answer) : null,
      });
    },
  },
  {
    paragraph: '1.1',
    sentence: 'fields that it does not know are ignored',
    async run(bench) {
      await approve(bench, { fieldOfALaterVersion: { some: ['thing'] } });
    },
  },
  {
    paragraph: '1.5',
    sentence: 'a decline tells the code, is booked, and is told again',
    async run(bench) {
      skipUnless(bench.decline !== null, NO_DECLINE);
      const { amount } = bench.decline;
      const reference = bench.newReference();
      const answer = await authorize(bench, reference, bench.decline);
      const codes = { responseCode: RESPONSE_CODE, adviceCode: ADVICE_CODE };
      expectAnswer(answer, 200, { reference, outcome: 'declined', amount, ...codes });
      const again = await authorize(bench, reference, bench.decline);
      expect(reportOf(again) === reportOf(answer), `the same as before: ${reportOf(answer)}`, again);
      const responseCode = fieldOf(answer, 'responseCode');
      const adviceCode = fieldOf(answer, 'adviceCode');
      const booked = { status: 'declined', amount, responseCode, adviceCode, nsu: null };
      expectAnswer(await find(bench, reference), 200, booked);
    },
  },
  {
    paragraph: '1.2.1',
    sentence: 'however often and however many at once, one reference is one charge and one answer',
    async run(bench) {
      const reference = bench.newReference();
      const sold = { soldAt: new Date().toISOString() };
      const send = () => authorize(bench, reference, sold);
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, send));
      answers.push(await send());
      for (const answer of answers) {
        expectAnswer(answer, 200, { reference, outcome: 'approved' });
        const first = reportOf(answers[0] as Exchange);
        expect(reportOf(answer) === first, `the same as before: ${first}`, answer);
      }
    },
  },
  {
    paragraph: '1.5',
    sentence: 'another amount, number of installments or card under a used reference is refused',
    async run(bench) {
      const reference = await approve(bench);
      for (const changed of [
        { amount: AMOUNT + 1 },
        { installments: 2 },
        { card: bench.otherCard },
        { card: { ...bench.card, expirationYear: '31' } },
      ]) {
        const answer = await authorize(bench, reference, changed);
        expectAnswer(answer, 409, { error: 'referenceReused' });
      }
      expectAnswer(await find(bench, reference), 200, { status: 'approved', amount: AMOUNT });
    },
  },
  {
    paragraph: '1.1',
    sentence: 'a reference belongs to its merchant',
    async run(bench) {
      const { otherMerchantId } = bench;
      const reference = await approve(bench);
      expectAnswer(await find(bench, reference, otherMerchantId), 404, { error: 'notFound' });
      expectAnswer(await voiding(bench, reference, otherMerchantId), 200, { reference, status: 'undone' });
      expectAnswer(await find(bench, reference), 200, { status: 'approved' });
      const own = bench.newReference();
      await approveOf(own, bench.merchantId);
      await approveOf(own, otherMerchantId);
      expectAnswer(await voiding(bench, own), 200, { status: 'undone' });
      expectAnswer(await find(bench, own, otherMerchantId), 200, { status: 'approved' });

      async function approveOf(one: string, merchantId: string): Promise<void> {
        expectAnswer(await authorize(bench, one, { merchantId }), 200, { outcome: 'approved' });
      }
    },
  },
  {
    paragraph: '1.8',
    sentence: 'of a reference that was never seen it says that nothing is known',
    async run(bench) {
      expectAnswer(await find(bench, bench.newReference()), 404, { error: 'notFound' });
    },
  },
];
