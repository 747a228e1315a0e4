import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startBank } from '../../../../../simulators/bank/running-simulator.ts';
import { openChannel } from '../../../../platform/channels/open-channel.ts';
import { parseBarCode } from '../../../../values/bar-code.ts';
import { type Cents, cents } from '../../../../values/cents.ts';
import { type Day, instant } from '../../../../values/instant.ts';
import type { BoletoRequest } from '../../bank.ts';
import type { BankOptions } from './bank-connections.ts';
import { BANK_CONNECT_MILLISECONDS, type BridgeBank, bridgeBank } from './bridge.ts';

/** For what answers, and for what is silent. */
const TIMEOUT = 10_000;
const SHORT = 1_000;
const NO_FILES = { authority: null, certificate: null, certificateKey: null, token: null };
const UNTIL = instant(Date.UTC(2027, 0, 1));

async function bankAt(
  t: TestContext,
  url: string,
  { isRealOnly = false, observe = () => {} }: Partial<BankOptions> = {},
): Promise<BridgeBank> {
  const options = { connectTimeoutMilliseconds: BANK_CONNECT_MILLISECONDS, onFault: () => {} };
  const channel = await openChannel(NO_FILES, options);
  const bank = bridgeBank(url, channel, { isRealOnly, observe });
  t.after(async () => {
    await bank.close();
    channel.close();
  });
  return bank;
}

async function openBoth(t: TestContext, options: readonly string[] = []) {
  const simulator = await startBank(t, { options });
  return { simulator, bank: await bankAt(t, simulator.url) };
}

let last = 0;

function request(changed: Partial<BoletoRequest> = {}): BoletoRequest {
  last += 1;
  return {
    merchantId: 'M1',
    ourNumber: String(last).padStart(11, '0'),
    amount: cents(25_000),
    issuedOn: '2026-11-02' as Day,
    dueOn: '2026-11-10' as Day,
    payableUntil: '2026-12-10' as Day,
    payer: {
      name: 'Ana Souza',
      documentNumber: '52998224725',
      email: 'ana@example.com',
      address: {
        ...{ street: 'Rua das Flores', number: '100', complement: null, district: 'Centro' },
        ...{ city: 'São Paulo', state: 'SP', zipCode: '01001000' },
      },
    },
    instructions: ['Não receber depois do vencimento'],
    finePortion: 200,
    interestPortion: 100,
    discount: null,
    ...changed,
  };
}

const all = { merchantId: 'M1', cursor: null, until: UNTIL, limit: 100 };

test('a boleto is registered, found, and repeated as the same', async (t) => {
  const { bank } = await openBoth(t);
  const asked = request({ amount: cents(12_990) });
  const issued = await bank.issue(asked, TIMEOUT);
  assert.equal(issued.kind, 'issued');
  if (issued.kind !== 'issued') return;
  const read = parseBarCode(issued.barCode, asked.dueOn);
  assert.ok(read.kind === 'barCode' && read.amount === 12_990 && read.dueOn === '2026-11-10');
  assert.equal(bank.bankCode, '237');
  assert.match(issued.pixEmv ?? '', /^000201.*5406129\.90.*6304[0-9A-F]{4}$/);
  assert.deepEqual(await bank.issue(asked, TIMEOUT), issued);
  assert.deepEqual(await bank.find(asked, TIMEOUT), { ...issued, dueOn: asked.dueOn });
  assert.deepEqual(await bank.find(request(), TIMEOUT), { kind: 'notFound' });
});

test('the bar codes of both sides agree in every era of the due factor', async (t) => {
  const { bank } = await openBoth(t);
  const days = ['2025-02-21', '2025-02-22', '2026-02-28', '2031-12-31', '2049-10-12', '2049-10-13'];
  for (const day of days) {
    const dueOn = day as Day;
    const asked = request({ issuedOn: '2025-01-01' as Day, dueOn, payableUntil: dueOn });
    assert.equal((await bank.issue(asked, TIMEOUT)).kind, 'issued', day);
  }
  for (const amount of [1, 99, 9_999_999_999, ...Array.from({ length: 50 }, (_, index) => 3_000 + 7 * index)])
    assert.equal((await bank.issue(request({ amount: cents(amount) }), TIMEOUT)).kind, 'issued', `${amount}`);
});

test('what the bank refuses has its reason', async (t) => {
  const { bank } = await openBoth(t);
  const reasonOf = async (changed: Partial<BoletoRequest>) => {
    const answer = await bank.issue(request(changed), TIMEOUT);
    return answer.kind === 'refused' ? answer.reason : answer.kind;
  };
  assert.equal(await reasonOf({ amount: cents(2_011) }), 'payerRefused');
  assert.equal(await reasonOf({ amount: cents(2_012) }), 'termsRefused');
  assert.equal(await reasonOf({ amount: cents(2_013) }), 'amountRefused');
  assert.equal(await reasonOf({ payableUntil: '2026-11-09' as Day }), 'termsRefused');
  const { payer } = request();
  assert.equal(await reasonOf({ payer: { ...payer, documentNumber: '52998224726' } }), 'payerRefused');
});

test('an answer that is not what was asked for is unknown, never a boleto', async (t) => {
  const { simulator, bank } = await openBoth(t);
  const faults = {
    wrongCheckDigit: /checkDigit/,
    wrongAmount: /another amount/,
    wrongDueDay: /another due day/,
    wrongBank: /another bank/,
    wrongNumber: /another number/,
    garbage: /not JSON/,
    unavailable: /503/,
    reset: /connection failed/,
    silent: /no answer in time/,
    booksButSilent: /no answer in time/,
  };
  for (const [fault, reason] of Object.entries(faults)) {
    await simulator.post('/script', { merchantId: 'M1', steps: [{ fault }] });
    const asked = request();
    const isSilent = fault === 'silent' || fault === 'booksButSilent';
    const answer = await bank.issue(asked, isSilent ? SHORT : TIMEOUT);
    assert.equal(answer.kind, 'unknown', fault);
    assert.match(answer.kind === 'unknown' ? answer.reason : '', reason, fault);
    const found = await bank.find(asked, TIMEOUT);
    assert.equal(found.kind, fault === 'silent' ? 'notFound' : 'issued', fault);
    assert.equal((await bank.issue(asked, TIMEOUT)).kind, 'issued', fault);
  }
});

test('our number for another boleto is unknown, and the first one stays', async (t) => {
  const { bank } = await openBoth(t);
  const asked = request();
  const issued = await bank.issue(asked, TIMEOUT);
  const other = await bank.issue({ ...asked, amount: cents(25_001) }, TIMEOUT);
  assert.equal(other.kind, 'unknown');
  assert.equal((await bank.find({ ...asked, amount: cents(25_001) as Cents }, TIMEOUT)).kind, 'unknown');
  assert.deepEqual(await bank.find(asked, TIMEOUT), { ...issued, dueOn: asked.dueOn });
});

test('a due day is changed once, from the day that the boleto has', async (t) => {
  const { bank } = await openBoth(t);
  const asked = request();
  const issued = await bank.issue(asked, TIMEOUT);
  const wanted = { dueOn: '2026-11-20' as Day, payableUntil: '2026-12-20' as Day };
  const requestedAt = instant(Date.parse('2026-11-03T12:00:00Z'));
  const change = { ...asked, number: 1, before: asked, wanted, requestedAt };
  const changed = await bank.changeDueDay(change, TIMEOUT);
  assert.ok(changed.kind === 'changed' && issued.kind === 'issued');
  assert.equal(changed.barCode.slice(9), issued.barCode.slice(9));
  assert.notEqual(changed.barCode, issued.barCode);
  assert.deepEqual(await bank.changeDueDay(change, TIMEOUT), changed);
  const late = { ...change, wanted: { ...wanted, dueOn: '2026-11-30' as Day } };
  assert.deepEqual(await bank.changeDueDay(late, TIMEOUT), { kind: 'refused', reason: 'notAllowed' });
  assert.deepEqual(await bank.find(asked, TIMEOUT), { ...changed, kind: 'issued', dueOn: wanted.dueOn });
});

test('a cancel is repeated without harm, and refused by what is paid or unknown', async (t) => {
  const { simulator, bank } = await openBoth(t);
  const [canceled, paid] = [request(), request()];
  const at = instant(Date.UTC(2026, 10, 5, 12));
  for (const asked of [canceled, paid]) await bank.issue(asked, TIMEOUT);
  const cancel = ({ ourNumber }: BoletoRequest) => bank.cancel('M1', ourNumber, at, TIMEOUT);
  assert.deepEqual(await cancel(canceled), { kind: 'canceled' });
  assert.deepEqual(await cancel(canceled), { kind: 'canceled' });
  assert.deepEqual(await bank.find(canceled, TIMEOUT), { kind: 'canceled' });
  const { ourNumber } = paid;
  const change = { merchantId: 'M1', ourNumber, event: 'paid', at: '2026-11-05T12:00:00Z' };
  assert.equal((await simulator.post('/changes', change)).status, 200);
  assert.deepEqual(await cancel(paid), { kind: 'refused', reason: 'paid' });
  assert.deepEqual(await cancel(request()), { kind: 'refused', reason: 'unknownBoleto' });
  assert.equal((await bank.find(paid, TIMEOUT)).kind, 'paid');
});

test('changes come in pages, with what was paid, and again from any cursor', async (t) => {
  const { bank } = await openBoth(t);
  const late = request({ amount: cents(102_023) });
  const twice = request({ amount: cents(2_025) });
  const unpaid = request();
  for (const asked of [late, twice, unpaid]) await bank.issue(asked, TIMEOUT);
  const first = await bank.changesSince({ ...all, limit: 2 }, TIMEOUT);
  assert.ok(first.kind === 'changes' && first.hasMore && first.unreadable.length === 0);
  if (first.kind !== 'changes') return;
  assert.deepEqual(
    first.changes.map(({ ourNumber, event, amount, paidOn, creditedOn }) => [
      ...[ourNumber, event, amount, paidOn, creditedOn],
    ]),
    [1, 2].map(() => [twice.ourNumber, 'paid', 2_025, '2026-11-10', '2026-11-11']),
  );
  const rest = await bank.changesSince({ ...all, cursor: first.cursor }, TIMEOUT);
  assert.ok(rest.kind === 'changes' && !rest.hasMore);
  if (rest.kind !== 'changes') return;
  // 2 % once, and 1 % a month for five days.
  const owed = 102_023 + 2_040 + 170;
  assert.deepEqual(
    rest.changes.map(({ ourNumber, event, amount }) => [ourNumber, event, amount]),
    [
      [late.ourNumber, 'paid', owed],
      [unpaid.ourNumber, 'expired', null],
    ],
  );
  assert.deepEqual(await bank.changesSince({ ...all, limit: 2 }, TIMEOUT), first);
});

test('a bank that does not say who it is, or is a simulator in production, is asked for nothing', async (t) => {
  const { simulator } = await openBoth(t);
  const seen: string[] = [];
  const observe: BankOptions['observe'] = (operation, { kind, cause, reason }) =>
    void seen.push(`${operation} ${kind}: ${cause ?? reason}`);
  const real = await bankAt(t, simulator.url, { isRealOnly: true, observe });
  const asked = request();
  assert.deepEqual(await real.issue(asked, TIMEOUT), {
    kind: 'notConnected',
    cause: 'notAsked',
    reason: 'the bank does not say that it is no simulator',
  });
  assert.equal((await real.find(asked, TIMEOUT)).kind, 'unknown');
  assert.deepEqual(seen.slice(0, 2), [
    'about unknown: the bank does not say that it is no simulator',
    'issue notConnected: notAsked',
  ]);
  assert.equal((await simulator.get('/ledger')).body.items.length, 0);
  await simulator.end('SIGKILL');
  const away = await bankAt(t, simulator.url);
  assert.equal((await away.issue(asked, TIMEOUT)).kind, 'notConnected');
  assert.equal((await away.changesSince(all, TIMEOUT)).kind, 'unknown');
});
