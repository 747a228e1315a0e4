import { expect, expectAnswer, fieldOf, skipUnless, textForm } from '../point.ts';
import {
  type BankBench,
  type BankPoint,
  barCodeOf,
  boleto,
  cancel,
  changeDueDay,
  dayFromNow,
  lookUp,
  PIX_CODE,
  register,
} from './bench.ts';

const AT_ONCE = 8;

async function bankCodeOf({ bank }: BankBench): Promise<string> {
  return String(fieldOf(await bank.get('/about'), 'bankCode'));
}

export const REGISTRATION_POINTS: readonly BankPoint[] = [
  {
    paragraph: '1.4',
    sentence: 'it says which bank it is, and that it speaks version 1',
    async run({ bank }) {
      const about = await bank.get('/about');
      const name = textForm('a name', /^[^\p{Cc}]{1,64}$/u);
      expectAnswer(about, 200, { protocol: 1, name, bankCode: textForm('three digits', /^\d{3}$/) });
      expect(typeof fieldOf(about, 'simulator') === 'boolean', 'simulator, true or false', about);
    },
  },
  {
    paragraph: '1.5',
    sentence: 'a boleto is registered with a bar code of this bank, its value and its due day',
    async run(bench) {
      const bankCode = await bankCodeOf(bench);
      for (const changed of [{}, { amount: 12_990 }, { amount: 1 }, { dueOn: dayFromNow(0) }]) {
        const asked = boleto(bench, changed);
        const { ourNumber, amount, dueOn } = asked;
        const barCode = barCodeOf(bankCode, asked);
        const wanted = { ourNumber, outcome: 'issued', amount, dueOn, barCode, pixEmv: PIX_CODE };
        expectAnswer(await register(bench, asked), 200, wanted);
      }
    },
  },
  {
    paragraph: '1.5',
    sentence: 'fields that it does not know are ignored',
    async run(bench) {
      const asked = boleto(bench, { comesLater: { of: 'another version' } });
      expectAnswer(await register(bench, asked), 200, { ourNumber: asked.ourNumber, outcome: 'issued' });
    },
  },
  {
    paragraph: '1.5',
    sentence: 'a refusal has its reason, is repeated, and registers nothing',
    async run(bench) {
      skipUnless(bench.refusedValue !== null, 'no value was named that it refuses');
      const asked = boleto(bench, { amount: bench.refusedValue });
      const reason = textForm('payerRefused, termsRefused or amountRefused', /^(payer|terms|amount)Refused$/);
      const { ourNumber } = asked;
      const first = await register(bench, asked);
      expectAnswer(first, 200, { ourNumber, outcome: 'refused', reason });
      const again = { ourNumber, outcome: 'refused', reason: fieldOf(first, 'reason') };
      expectAnswer(await register(bench, asked), 200, again);
      expectAnswer(await lookUp(bench, asked), 404, { error: 'notFound' });
    },
  },
  {
    paragraph: '1.2.1',
    sentence: 'a number that many ask for at once is one boleto',
    async run(bench) {
      const asked = boleto(bench);
      const all = await Promise.all(Array.from({ length: AT_ONCE }, () => register(bench, asked)));
      const [first] = all;
      for (const exchange of all) {
        const barCode = first === undefined ? null : fieldOf(first, 'barCode');
        expectAnswer(exchange, 200, { ourNumber: asked.ourNumber, outcome: 'issued', barCode });
      }
      expectAnswer(await lookUp(bench, asked), 200, { status: 'issued', amount: asked.amount });
    },
  },
  {
    paragraph: '1.2.1',
    sentence: 'a repetition gets the booked answer, also when the boleto was canceled since',
    async run(bench) {
      const asked = boleto(bench);
      const first = await register(bench, asked);
      const booked = { ourNumber: asked.ourNumber, outcome: 'issued', barCode: fieldOf(first, 'barCode') };
      expectAnswer(await register(bench, asked), 200, booked);
      expectAnswer(await cancel(bench, asked), 200, { outcome: 'canceled' });
      expectAnswer(await register(bench, asked), 200, booked);
      expectAnswer(await lookUp(bench, asked), 200, { status: 'canceled' });
    },
  },
  {
    paragraph: '1.3',
    sentence: 'another registration under the same number is refused, and the first one stays',
    async run(bench) {
      const asked = boleto(bench);
      const first = await register(bench, asked);
      expectAnswer(first, 200, { outcome: 'issued' });
      for (const changed of [{ amount: 25_001 }, { dueOn: dayFromNow(6) }, { instructions: [] }]) {
        const other = await register(bench, { ...asked, ...changed });
        expectAnswer(other, 409, { error: 'referenceReused' });
      }
      const barCode = fieldOf(first, 'barCode');
      expectAnswer(await lookUp(bench, asked), 200, { status: 'issued', amount: asked.amount, barCode });
    },
  },
  {
    paragraph: '1.1',
    sentence: 'the same number of another merchant is another boleto',
    async run(bench) {
      const asked = boleto(bench);
      const ofOther = { ...asked, merchantId: bench.otherMerchantId, amount: 77_700 };
      expectAnswer(await register(bench, asked), 200, { outcome: 'issued', amount: 25_000 });
      expectAnswer(await lookUp(bench, ofOther), 404, { error: 'notFound' });
      expectAnswer(await register(bench, ofOther), 200, { outcome: 'issued', amount: 77_700 });
      expectAnswer(await cancel(bench, ofOther), 200, { outcome: 'canceled' });
      expectAnswer(await lookUp(bench, asked), 200, { status: 'issued', amount: 25_000 });
    },
  },
  {
    paragraph: '1.3',
    sentence: 'what is not of the protocol is refused with its first wrong field, and leaves its number free',
    async run(bench) {
      const asked = boleto(bench);
      for (const [field, changed] of [
        ['amount', { amount: '250.00' }],
        ['dueOn', { dueOn: '2026-02-30' }],
        ['payer', { payer: null }],
        ['ourNumber', { ourNumber: '123' }],
      ] as const) {
        const exchange = await register(bench, { ...asked, ...changed } as typeof asked);
        expectAnswer(exchange, 400, { error: 'malformed', field });
      }
      expectAnswer(await lookUp(bench, asked), 404, { error: 'notFound' });
      expectAnswer(await register(bench, asked), 200, { outcome: 'issued' });
    },
  },
  {
    paragraph: '1.6',
    sentence: 'a registered boleto is found as it was answered, and a number never seen is not',
    async run(bench) {
      const asked = boleto(bench);
      expectAnswer(await lookUp(bench, asked), 404, { error: 'notFound' });
      const first = await register(bench, asked);
      const { ourNumber, amount, dueOn } = asked;
      const [barCode, pixEmv] = [fieldOf(first, 'barCode'), fieldOf(first, 'pixEmv')];
      const wanted = { ourNumber, status: 'issued', amount, dueOn, barCode, pixEmv };
      expectAnswer(await lookUp(bench, asked), 200, wanted);
    },
  },
  {
    paragraph: '1.9',
    sentence: 'a due day is changed once, from the day that the boleto has, and its bar code follows',
    async run(bench) {
      const asked = boleto(bench);
      expectAnswer(await register(bench, asked), 200, { outcome: 'issued' });
      const wanted = { ...asked, dueOn: dayFromNow(20) };
      const { ourNumber, amount, dueOn } = wanted;
      const days = { dueOnBefore: String(asked.dueOn), dueOn, payableUntil: dayFromNow(40) };
      const first = await changeDueDay(bench, asked, days);
      skipUnless(first.status !== 404, 'it changes no due days');
      const barCode = barCodeOf(await bankCodeOf(bench), wanted);
      const changed = { ourNumber, outcome: 'changed', amount, dueOn, barCode, pixEmv: PIX_CODE };
      expectAnswer(first, 200, changed);
      expectAnswer(await changeDueDay(bench, asked, days), 200, changed);
      const late = { ...days, dueOn: dayFromNow(30) };
      expectAnswer(await changeDueDay(bench, asked, late), 200, { outcome: 'refused', reason: 'notAllowed' });
      expectAnswer(await lookUp(bench, asked), 200, { status: 'issued', amount, dueOn, barCode });
    },
  },
  {
    paragraph: '1.3',
    sentence: 'a path that it does not have is said to be unknown',
    async run({ bank }) {
      expectAnswer(await bank.get('/boletos-of-tomorrow'), 404, { error: 'unknownPath' });
    },
  },
];
