import { expectAnswer } from '../point.ts';
import type { AcquirerPoint } from './bench.ts';
import { approve, authorization, authorize, find } from './requests.ts';

const UNKNOWN_PATHS = ['/', '/charge/a', '/toString', '/authorizations'];

export const ERROR_POINTS: readonly AcquirerPoint[] = [
  {
    paragraph: '1.3',
    sentence: 'a malformed charge is refused with its first wrong field, and nothing is booked',
    async run(bench) {
      const { card } = bench;
      const reference = bench.newReference();
      const lastDigit = Number(card.number.at(-1));
      const broken = `${card.number.slice(0, -1)}${(lastDigit + 1) % 10}`;
      const wrong: readonly (readonly [object, string])[] = [
        [{ reference: 'no blanks' }, 'reference'],
        [{ merchantId: '' }, 'merchantId'],
        [{ amount: 0 }, 'amount'],
        [{ amount: '100' }, 'amount'],
        [{ amount: 1.5 }, 'amount'],
        [{ amount: 10_000_000_000 }, 'amount'],
        [{ installments: 0 }, 'installments'],
        [{ installments: 100 }, 'installments'],
        [{ initiator: 'bank' }, 'initiator'],
        [{ card: null }, 'card'],
        [{ card: { ...card, number: broken } }, 'card.number'],
        [{ card: { ...card, expirationMonth: '13' } }, 'card.expirationMonth'],
        [{ card: { ...card, brand: 'Visa' } }, 'card.brand'],
      ];
      for (const [changed, field] of wrong)
        expectAnswer(await authorize(bench, reference, changed), 400, { error: 'malformed', field });
      expectAnswer(await find(bench, reference), 404, { error: 'notFound' });
    },
  },
  {
    paragraph: '1.3',
    sentence: 'a body that is no object is refused as a whole',
    async run({ bridge }) {
      for (const path of ['/authorizations', '/undos', '/cancellations'])
        for (const body of [null, [], 'text'])
          expectAnswer(await bridge.post(path, body), 400, { error: 'malformed', field: '' });
    },
  },
  {
    paragraph: '1.3',
    sentence: 'a question without its merchant, or with a wrong parameter, is refused by its name',
    async run(bench) {
      const { bridge } = bench;
      const reference = await approve(bench);
      expectAnswer(await bridge.get(`/charges/${reference}`), 400, {
        error: 'malformed',
        field: 'merchantId',
      });
    },
  },
  {
    paragraph: '1.3',
    sentence: 'an unknown path is not mistaken for an unknown charge',
    async run({ bridge }) {
      for (const path of UNKNOWN_PATHS) expectAnswer(await bridge.get(path), 404, { error: 'unknownPath' });
    },
  },
  {
    paragraph: '1.3',
    sentence: 'a body over 64 KiB is refused',
    async run(bench) {
      const large = authorization(bench, bench.newReference(), { merchantReference: 'x'.repeat(70_000) });
      expectAnswer(await bench.bridge.post('/authorizations', large), 413, { error: 'tooLarge' });
    },
  },
];
