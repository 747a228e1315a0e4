import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account, BankCobR, BankPix, Books, Charged, WholeBilling } from './books.ts';
import type { CardSubscriber, PixSubscriber } from './cohorts.ts';
import { judge } from './judge.ts';
import type { AcquirerCharge } from './year-shop.ts';

const TODAY = '2027-03-15';
const CREATED_ON = '2027-01-20';
const CARD: CardSubscriber = {
  ...{ number: 0, amount: 5_000, trialDays: 0, endsIn: 5, method: 'card', kind: 'good', attempts: 2 },
  ...{ planType: 'Monthly', intervalDays: 30, installments: 12, cardNumber: null },
};
const PIX: PixSubscriber = {
  ...{ number: 1, amount: 7_000, trialDays: 0, endsIn: 5, method: 'pix', kind: 'agrees', attempts: 1 },
  ...{ planType: 'Monthly', journey: 2, steps: [] },
};

type BillingFields = Partial<Omit<WholeBilling, 'subscription'>>;
const billing = (id: string, fields: BillingFields): WholeBilling => ({
  ...{ id, status: 'Paid', expireAt: TODAY, amount: 50, installment: 1, paymentId: id, nsu: null },
  ...{ subscription: { id: 'S', status: 'Active' }, timeline: [], ...fields },
});

const charge = (nsu: string, reference: string, fields: Partial<AcquirerCharge> = {}): AcquirerCharge => ({
  ...{ paymentId: `P-${nsu}`, nsu, reference, amount: 5_000, status: 'approved', ...fields },
});

const tried = (at: string, fields: Partial<Charged> = {}): Charged => ({
  ...{ type: 'Charged', at: `${at}T12:00:00Z`, attempt: 1, outcome: 'Declined', rule: 'Retry' },
  ...{ nextChargeOn: null, ...fields },
});

/** A good card of which two billings are paid, and the third lies ahead. */
function cardBooks(charges: AcquirerCharge[], billings?: WholeBilling[]): Books {
  const own = billings ?? [
    billing('B1', { expireAt: '2027-01-20', nsu: 'N1' }),
    billing('B2', { expireAt: '2027-02-19', installment: 2, nsu: 'N2' }),
    billing('B3', { status: 'Opened', expireAt: '2027-03-21', installment: 3, nextChargeOn: '2027-03-21' }),
  ];
  const account: Account = {
    ...{ subscriber: CARD, subscription: { id: 'S', status: 'Active' }, createdOn: CREATED_ON },
    ...{ billings: own, charges: Map.groupBy(charges, ({ reference }) => reference) },
    ...{ recStatus: null, cobrs: [] },
  };
  return { today: TODAY, accounts: [account], arrived: new Map(), arrivedFor: new Map(), charges };
}

const FIRST_DUE = '2027-01-27';
const NSU = 'E2026-01-27-00000001';
const came = (fields: Partial<BankPix> = {}): BankPix => ({
  ...{ txid: 'T1', endToEndId: `E000${NSU}`, amount: 7_000, horario: '2027-01-27T09:00:00-03:00', ...fields },
});
const cobr = (fields: Partial<BankCobR> = {}): BankCobR => ({
  ...{ txid: 'T1', idRec: 'R', status: 'CONCLUIDA', calendario: { dataDeVencimento: FIRST_DUE } },
  ...{ tentativas: [{ dataLiquidacao: FIRST_DUE, status: 'PAGA' }], ...fields },
});

/** A payer of Pix Automático whose first billing is paid, and the second lies ahead. */
function pixBooks(
  arrived: BankPix[],
  cobrs: BankCobR[],
  fields: { readonly first?: BillingFields; readonly recStatus?: string } = {},
): Books {
  const account: Account = {
    ...{ subscriber: PIX, subscription: { id: 'S', status: 'Active' }, createdOn: CREATED_ON },
    billings: [
      billing('B1', { expireAt: FIRST_DUE, amount: 70, nsu: NSU, ...fields.first }),
      billing('B2', { status: 'Opened', expireAt: '2027-02-27', amount: 70, installment: 2 }),
    ],
    ...{ charges: new Map(), recStatus: fields.recStatus ?? 'APROVADA', cobrs },
  };
  return {
    ...{ today: '2027-02-01', accounts: [account], charges: [] },
    arrived: new Map(arrived.map((pix) => [pix.endToEndId.slice(-20), pix])),
    arrivedFor: Map.groupBy(arrived, ({ txid }) => txid),
  };
}

const BOTH = [charge('N1', 'B1'), charge('N2', 'B2')];

test('a year in which nothing went wrong has no complaint', () => {
  assert.deepEqual([...judge(cardBooks(BOTH)), ...judge(pixBooks([came()], [cobr()]))], []);
});

test('of cards, each mistake in money is told', () => {
  for (const [charges, told] of [
    [[...BOTH, charge('N3', 'B2')], /approved 2 charges/],
    [[charge('N1', 'B1')], /it is Paid, and the acquirer approved 0/],
    [[...BOTH, charge('N3', 'B3')], /Opened, and the acquirer approved 1/],
    [[...BOTH, charge('N3', 'B3', { status: 'declined' })], /charged before its day/],
    [[charge('N1', 'B1'), charge('N9', 'B2')], /names N2, paid by N9/],
    [[charge('N1', 'B1'), charge('N2', 'B2', { amount: 4_999 })], /4999 were charged/],
    [[...BOTH, charge('N4', 'of nobody')], /the acquirer has P-N4 for of nobody/],
  ] as const)
    assert.match(judge(cardBooks([...charges])).join('\n'), told);
});

test('of cards, each mistake in days, tries and states is told', () => {
  const [first, second, third] = cardBooks(BOTH).accounts.flatMap((account) => account.billings);
  if (first === undefined || second === undefined || third === undefined) throw new Error('three billings');
  const unpaid = { ...second, status: 'Denied', nsu: null } as const;
  const days = ['2027-02-19', '2027-02-21', '2027-02-23', '2027-02-27'];
  for (const [billings, told] of [
    [[first, { ...second, expireAt: '2027-02-20' }, third], /it is due on 2027-02-19/],
    [[first, { ...second, installment: 3 }, third], /installment 3 is the 2th/],
    [[first, { ...second, amount: 49.99 }, third], /is of 49.99/],
    [[first, second], /0 billings are open/],
    [[first, second, { ...third, nextChargeOn: undefined }], /waits for no day/],
    [[first, { ...unpaid, timeline: days.map((day) => tried(day)) }, third], /4 tries, and 2 retries/],
    [[first, { ...unpaid, timeline: [tried('2027-02-20')] }, third], /made on 2027-02-20.*not on 2027-02-19/],
    [[first, { ...unpaid, timeline: [tried('2027-02-19')] }, third], /Denied by the rule Retry/],
    [
      [first, { ...unpaid, timeline: [tried('2027-02-19', { rule: 'NoRetriesLeft' })] }, third],
      /given up after 1/,
    ],
    [[first, { ...second, status: 'Canceled', nsu: null }, third], /with a good card/],
  ] as const)
    assert.match(judge(cardBooks(BOTH, [...billings] as WholeBilling[])).join('\n'), told);
});

test('of Pix Automático, each mistake is told', () => {
  const second = { ...came(), endToEndId: 'E000E2026-01-27-00000002' };
  const late = [{ dataLiquidacao: '2027-01-28', status: 'PAGA' }];
  for (const [books, told] of [
    [pixBooks([], [cobr()]), /which never came/],
    [pixBooks([came(), second], [cobr()]), /2 came for its charge/],
    [pixBooks([came(), { ...second, txid: 'T9' }], [cobr()]), /came for T9, and paid nothing/],
    [pixBooks([came({ amount: 6_999 })], [cobr()]), /6999 came/],
    [pixBooks([came()], [cobr(), cobr({ txid: 'T2' })]), /the bank has 2 charges for it/],
    [pixBooks([came()], [cobr({ tentativas: late })]), /try 1 is on 2027-01-28/],
    [pixBooks([came()], [cobr({ calendario: { dataDeVencimento: '2027-01-28' } })]), /asked for 2027-01-28/],
    [pixBooks([came()], [cobr()], { recStatus: 'CANCELADA' }), /its authorization CANCELADA/],
    [pixBooks([came()], [cobr()], { first: { status: 'Denied', nsu: null } }), /Denied, and E000.* came/],
    [pixBooks([came()], [cobr()], { first: { expireAt: '2027-01-28' } }), /it is due on 2027-01-27/],
  ] as const)
    assert.match(judge(books).join('\n'), told);
});
