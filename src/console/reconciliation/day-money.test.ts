import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Day } from '../../values/instant.ts';
import { consoleWording } from '../console-wording.ts';
import { type ListedMoney, moneyOfDay, sumOfDays, whySentence } from './day-money.ts';

const TODAY = '2026-12-10' as Day;
const listed = (of: Partial<ListedMoney>): ListedMoney => ({
  day: '2026-12-04',
  expectedValue: 0,
  expectedFee: 0,
  openValue: 0,
  receivedValue: 0,
  receivedWithoutValue: 0,
  takenValue: 0,
  difference: 0,
  ...of,
});
const said = (of: Partial<ListedMoney>) =>
  whySentence(moneyOfDay(listed(of), TODAY), consoleWording('pt')).replaceAll('\u00a0', ' ');

test('what has not come of a day to come is to be received, and is missing once the day is over', () => {
  const of = { expectedValue: 97.5, expectedFee: 2.5, openValue: 97.5 };
  const ahead = moneyOfDay(listed({ ...of, day: TODAY }), TODAY);
  assert.deepEqual([ahead.gross, ahead.fees, ahead.net], [10_000, -250, 9_750]);
  assert.deepEqual([ahead.toCome, ahead.missing], [9_750, 0]);
  const over = moneyOfDay(listed(of), TODAY);
  assert.deepEqual([over.toCome, over.missing], [0, 9_750]);
  assert.equal(sumOfDays([ahead, over]).net, 19_500);
});

test('one sentence says why less or more came than was expected, to the cent', () => {
  assert.equal(said({}), '');
  assert.equal(
    said({ day: TODAY, expectedValue: 97.5, expectedFee: 2.5, openValue: 97.5 }),
    'R$ 97,50 a receber: R$ 100,00 bruto, menos R$ 2,50 de taxas.',
  );
  assert.equal(said({ expectedValue: 97.5, receivedValue: 97.5 }), 'O esperado foi recebido.');
  assert.equal(
    said({ expectedValue: 200, openValue: 50, receivedValue: 134, takenValue: 10, difference: -6 }),
    'R$ 66,00 a menos do que o esperado: R$ 50,00 ainda não recebidos; R$ 10,00 descontados por estornos e chargebacks; R$ 6,00 abaixo do combinado.',
  );
  assert.equal(
    said({ expectedValue: 100, receivedValue: 195.64, difference: 95.64 }),
    'R$ 95,64 a mais do que o esperado: R$ 95,64 acima do combinado.',
  );
  assert.equal(
    said({ expectedValue: 100, receivedValue: 40 }),
    'R$ 60,00 a menos do que o esperado: R$ 60,00 recebidos em outro dia.',
  );
});
