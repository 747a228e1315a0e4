import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Day } from '../../values/instant.ts';
import { consoleWording } from '../console-wording.ts';
import { type ListedMoney, moneyOfDay, type Standing, sumOfDays, whySentence } from './day-money.ts';

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
const FILED: Standing = { today: TODAY, covered: new Set(['2026-12-04']) };
const said = (of: Partial<ListedMoney>, standing = FILED) =>
  whySentence(moneyOfDay(listed(of), standing), consoleWording()('pt')).replaceAll('\u00a0', ' ');

test('what has not come is to be received, waits for its file, and is missing where files tell of the day', () => {
  const of = { expectedValue: 97.5, expectedFee: 2.5, openValue: 97.5 };
  const ahead = moneyOfDay(listed({ ...of, day: TODAY }), FILED);
  assert.deepEqual([ahead.gross, ahead.fees, ahead.net], [10_000, -250, 9_750]);
  assert.deepEqual([ahead.toCome, ahead.missing], [9_750, 0]);
  const over = moneyOfDay(listed(of), FILED);
  assert.deepEqual([over.toCome, over.awaited, over.missing], [0, 0, 9_750]);
  const early = moneyOfDay(listed({ ...of, day: '2026-12-09' }), FILED);
  assert.deepEqual([early.toCome, early.awaited, early.missing], [0, 9_750, 0], 'its file has not come yet');
  const { came, net, toCome, awaited, missing, taken, differing, otherDays } = early;
  assert.equal(net - toCome - awaited - missing + taken + differing + otherDays, came);
  assert.equal(sumOfDays([ahead, over]).net, 19_500);
});

test('one sentence says why less or more came than was expected, to the cent', () => {
  assert.equal(said({}), '');
  assert.equal(
    said({ day: TODAY, expectedValue: 97.5, expectedFee: 2.5, openValue: 97.5 }),
    'R$ 97,50 a receber: R$ 100,00 de bruto, menos R$ 2,50 de taxas.',
  );
  assert.equal(said({ expectedValue: 97.5, receivedValue: 97.5 }), 'O esperado foi recebido.');
  assert.equal(
    said({ expectedValue: 200, openValue: 50, receivedValue: 134, takenValue: 10, difference: -6 }),
    'R$ 66,00 a menos do que o esperado: não recebido: R$ 50,00; descontado nos arquivos: R$ 10,00; abaixo do previsto: R$ 6,00.',
  );
  assert.equal(
    said({ expectedValue: 100, receivedValue: 195.64, difference: 95.64 }),
    'R$ 95,64 a mais do que o esperado: acima do previsto: R$ 95,64.',
  );
  assert.equal(
    said({ expectedValue: 100, receivedValue: 40 }),
    'R$ 60,00 a menos do que o esperado: saldo com outros dias: -R$ 60,00.',
  );
});

test('the sentence claims no cause that its sums do not tell', () => {
  assert.equal(
    said({ expectedValue: 97.5, openValue: 97.5, day: '2026-12-09' }),
    'Ainda sem arquivo da adquirente: R$ 97,50.',
  );
  assert.equal(
    said({ expectedValue: 200, openValue: 50, receivedValue: 150, day: '2026-12-09' }),
    'Ainda sem arquivo da adquirente: R$ 50,00. O esperado foi recebido.',
  );
  // Of this day 30,00 came elsewhere, and 10,00 of another day came on it.
  assert.match(said({ expectedValue: 100, receivedValue: 80 }), /saldo com outros dias: -R\$ 20,00\.$/);
  // A fee for coming earlier breaks no agreement.
  assert.match(
    said({ expectedValue: 100, receivedValue: 96, difference: -4 }),
    /esperado: abaixo do previsto: R\$ 4,00\.$/,
  );
  // A pledge is taken too.
  assert.match(
    said({ expectedValue: 100, receivedValue: 40, takenValue: 60 }),
    /esperado: descontado nos arquivos: R\$ 60,00\.$/,
  );
});
