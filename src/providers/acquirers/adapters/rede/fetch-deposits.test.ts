import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Day } from '../../../../values/instant.ts';
import { fetchDeposits } from './fetch-deposits.ts';

const DAY = '2026-11-20' as Day;
const PV = '12345678';

const payment = (change: object = {}) => ({
  ...{ paymentId: 'P1', paymentDate: DAY, status: 'PAID', type: 'CREDIT', brandCode: 2, netAmount: 97.5 },
  ...change,
});
const installment = (change: object = {}) => ({
  ...{
    nsu: 41,
    saleDate: '2026-10-20',
    installmentNumber: 1,
    installmentQuantity: 1,
    rvNumber: 700,
    tid: 'T1',
  },
  amountInfo: { amount: 0.29, discountAmount: 0.01, netAmount: 0.28 },
  ...change,
});
const page = (member: string, all: readonly object[], nextKey?: string) => ({
  content: { [member]: all },
  cursor: nextKey === undefined ? { hasNextKey: false } : { hasNextKey: true, nextKey },
});

/** Answers by the end of the path, and by the key of the page. */
function fetched(answers: Readonly<Record<string, unknown>>) {
  const wire = {
    async get(path: string, query: Readonly<Record<string, string>>): Promise<unknown> {
      const name = `${path.split('/').slice(-2).join('/')}${query.pageKey ? ` ${query.pageKey}` : ''}`;
      return answers[name] ?? null;
    },
  };
  return Array.fromAsync(fetchDeposits(wire, PV, DAY));
}

test('all pages of deposits and installments are read, cents are exact, and reasons have their words', async () => {
  const found = await fetched({
    'v1/payments': page('payments', [payment()], 'two'),
    'v1/payments two': page('payments', [payment({ paymentId: 'P2', netAmount: -0.05 })]),
    [`${PV}/P1`]: page('installments', [installment()], 'more'),
    [`${PV}/P1 more`]: page('installments', [installment({ nsu: '42' })]),
    'charges/P2': { charges: [{ adjustmentTypeCode: 23, debitCompensatedAmount: 0.05 }] },
    'charges/adjustment-types': [{ code: 23, description: 'Aluguel de equipamento' }],
  });
  assert.deepEqual(
    found.map(({ deposit, net, installments, debits }) => [
      ...[deposit, net, installments.map(({ nsu, gross, fee, net: paid }) => [nsu, gross, fee, paid])],
      debits,
    ]),
    [
      [
        'P1',
        9_750,
        [
          ['41', 29, 1, 28],
          ['42', 29, 1, 28],
        ],
        [],
      ],
      ['P2', -5, [], [{ reason: '23', amount: 5, description: 'Aluguel de equipamento' }]],
    ],
  );
});

test('what cannot be used is named, and nothing is guessed', async () => {
  const cases: [RegExp, Readonly<Record<string, unknown>>][] = [
    [
      /deposit P1 is of another day/,
      { 'v1/payments': page('payments', [payment({ paymentDate: '2026-11-21' })]) },
    ],
    [/netAmount has no value/, { 'v1/payments': page('payments', [payment({ netAmount: 1.001 })]) }],
    [/netAmount has no value/, { 'v1/payments': page('payments', [payment({ netAmount: '97.50' })]) }],
    [/paymentId has no value/, { 'v1/payments': page('payments', [payment({ paymentId: null })]) }],
    [/status has no value/, { 'v1/payments': page('payments', [payment({ status: {} })]) }],
    [
      /saleDate has no value/,
      {
        'v1/payments': page('payments', [payment()]),
        [`${PV}/P1`]: page('installments', [installment({ saleDate: '20/10/2026' })]),
      },
    ],
    [
      /the same page was named twice/,
      { 'v1/payments': page('payments', [], 'a'), 'v1/payments a': page('payments', [], 'a') },
    ],
  ];
  for (const [wanted, answers] of cases) await assert.rejects(fetched(answers), wanted);
  assert.deepEqual(await fetched({}), [], 'an empty day');
});
