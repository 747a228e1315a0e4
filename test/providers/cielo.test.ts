import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { shortReference } from '../../src/providers/acquirers/short-reference.ts';
import { runParcela } from '../audit/audit-service.ts';
import type { Reply } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import {
  type AcquirerService,
  type Booked,
  ESTABLISHMENT,
  idOf,
  KEY,
  openAcquirerService,
  payByStored,
} from './acquirer-service.ts';

/** The adapter of Cielo, which books a reference as often as it comes, at the simulated Cielo. */

let cielo: AcquirerService;

before(async () => {
  const settings = ['networkId=latest', 'horizonSeconds=3', 'apartSeconds=1'];
  const simulator = [
    '--last-digit',
    '0',
    '--replica-lag-milliseconds',
    '100',
    '--horizon-milliseconds',
    '1500',
  ];
  cielo = await openAcquirerService('cielo', { settings, simulator });
  await cielo.waitForNoon();
});
after(() => cielo?.close());

const live = (booked: readonly Booked[]) => booked.reduce((sum, { liveAmount = 0 }) => sum + liveAmount, 0);

/** The states of what is booked under a lost payment that was voided. */
async function statesOfVoided(order: string): Promise<string[]> {
  const row = await cielo.untilState(order, 'voided');
  const booked = await cielo.booked(String(row.transaction_id));
  assert.equal(live(booked), 0);
  return booked.map(({ state }) => state);
}

/** While Cielo's look-up is behind, nothing is sent. */
function untilSent(ask: () => Promise<Reply>): Promise<Reply> {
  return until('the look-up is no longer behind', async () => {
    const reply = await ask();
    return reply.status !== 503 && reply;
  });
}

test("an authentication by the family's names reaches Cielo, of a pre-authorization too", async () => {
  const xid = randomUUID();
  const proof = { eci: '1', cavvUcaf: 'AAABBZEEBgAAAAAAAAQGAAAAAAA=', xid, programProtocol: '2.1.0' };
  const reply = await cielo.pay(12_313, { sellerInfo: { codeAntiFraud: randomUUID(), ...proof } });
  assert.equal(reply.status, 200, reply.text);
  const shown = { eci: '01', version: '2.1.0', result: 'attempted' };
  assert.deepEqual(reply.body.paymentAuthorization.threeDSecure, shown);
  assert.deepEqual((await cielo.read(idOf(reply))).threeDSecure, shown);
  const [sale] = await cielo.booked(idOf(reply));
  assert.equal(sale?.notes.eci, '1');
});

test('a later use of a Mastercard names the first by its link, and by the network id the latest where that is set', async () => {
  const uses = await payByStored(cielo, 'latest');
  const [first, second] = uses;
  assert.deepEqual(
    uses.map(({ told }) => [told.issuerTransactionId, told.transactionLinkId]),
    [
      [undefined, undefined],
      [first?.id, first?.link],
      [second?.id, first?.link],
    ],
  );
});

test('a payment is authorized, then captured: one live sale', async () => {
  const reply = await cielo.pay(12_300);
  assert.equal(reply.status, 200, reply.text);
  const booked = await cielo.booked(idOf(reply));
  assert.deepEqual(
    booked.map(({ state, capturedAmount }) => [state, capturedAmount]),
    [['captured', 12_300]],
  );
  assert.equal(Number((await cielo.transaction(reply.order)).nsu), booked[0]?.nsu);
});

test("a decline carries the issuer's code", async () => {
  const reply = await cielo.pay(1_051);
  assert.equal(reply.status, 402, reply.text);
  assert.equal(reply.body[0].tag, '51');
});

test('an authorization whose answer is lost is never captured, and is let go', async () => {
  const reply = await cielo.pay(1_002);
  assert.equal(reply.status, 500, reply.text);
  assert.deepEqual(await statesOfVoided(reply.order), ['voided']);
});

test('a charge that Cielo does not know is voided when its horizon is over', async () => {
  const reply = await cielo.pay(1_001);
  assert.equal(reply.status, 500, reply.text);
  assert.deepEqual(await statesOfVoided(reply.order), []);
});

test('a capture whose answer is lost is voided with its charge', async () => {
  await cielo.script({ on: 'capture', fault: 'booksButSilent' });
  const reply = await cielo.pay(12_301);
  assert.equal(reply.status, 500, reply.text);
  assert.deepEqual(await statesOfVoided(reply.order), ['refunded']);
});

test('what was booked twice is voided twice, also the one that comes later', async () => {
  await cielo.script({ on: 'authorize', fault: 'booksButSilent', copies: 1, copiesAfterMilliseconds: 2_500 });
  const reply = await cielo.pay(12_302);
  assert.equal(reply.status, 500, reply.text);
  assert.deepEqual(await statesOfVoided(reply.order), ['voided', 'voided']);
});

test('what Cielo itself does not know yet is neither approved nor declined', async () => {
  for (const status of ['0', '12']) {
    await cielo.script({ on: 'authorize', doubt: { status, becomes: 'confirmed' } });
    const reply = await cielo.pay(12_303);
    assert.equal(reply.status, 500, reply.text);
    assert.equal((await statesOfVoided(reply.order)).length, 1);
  }
});

test('parts are given back one after the other, and a silent one is told by the sum', async () => {
  const paymentId = idOf(await cielo.pay(12_304));
  const reply = await untilSent(() => cielo.post(paymentId, 'cancel', { amount: 2_304 }));
  assert.equal(reply.status, 200, reply.text);
  const [sale] = await cielo.booked(paymentId);
  assert.deepEqual([sale?.refundedAmount, sale?.liveAmount], [2_304, 10_000]);
});

test('a sale that Cielo finds no more is not given back, and its merchant is told so', async () => {
  const paymentId = idOf(await cielo.pay(12_319));
  const age = (days: number) =>
    cielo.service.auditor.query(
      `update transactions set sold_at = now() - $2 * interval '1 day' where transaction_id = $1`,
      [paymentId, days],
    );
  await age(89);
  const over = await cielo.post(paymentId, 'cancel', { amount: 2_319 });
  assert.equal(over.status, 409, over.text);
  assert.match(over.text, /prazo para cancelar/);
  await age(87);
  const reply = await untilSent(() => cielo.post(paymentId, 'cancel', { amount: 2_319 }));
  assert.equal(reply.status, 200, reply.text);
});

test('a void that was done and not answered is not done again', async () => {
  const paymentId = idOf(await cielo.pay(12_305));
  await cielo.script({ on: 'refund', fault: 'booksButSilent' });
  const reply = await untilSent(() => cielo.post(paymentId, 'cancel'));
  assert.equal(reply.status, 500, reply.text);
  await until('it is canceled', async () => (await cielo.read(paymentId)).statusDescription === 'Cancelada');
  const [sale] = await cielo.booked(paymentId);
  assert.deepEqual([sale?.refunds.length, live([sale as Booked])], [1, 0]);
});

/** Cielo's look-ups know a charge some moments after it was made. */
async function shown(paymentId: string): Promise<string> {
  const order = `${cielo.url}/1/sales?merchantOrderId=${shortReference(paymentId)}`;
  await until('it is shown', async () => (await fetch(order, { headers: AT_CIELO })).status === 200);
  return paymentId;
}

test('a no to the first request of a cancel ends it, also in a list of errors', async () => {
  const paymentId = await shown(idOf(await cielo.pay(12_314)));
  await cielo.script({ on: 'refund', returnCode: '309' });
  const refused = await cielo.post(paymentId, 'cancel', { amount: 2_314 });
  assert.equal(refused.status, 409, refused.text);
  const again = await untilSent(() => cielo.post(paymentId, 'cancel', { amount: 2_314 }));
  assert.equal(again.status, 200, again.text);
  assert.equal((await cielo.booked(paymentId))[0]?.refundedAmount, 2_314);
});

test('a cancel that Cielo accepted is looked for until it is done, listed after days, and not sent again', async () => {
  const paymentId = await shown(idOf(await cielo.pay(12_315)));
  const pending = { afterMilliseconds: 60_000, fails: false };
  // Whatever were sent behind it would be refused.
  await cielo.script({ on: 'refund', pending }, { on: 'refund', returnCode: '54' });
  assert.equal((await cielo.post(paymentId, 'cancel', { amount: 2_315 })).status, 202);
  const { auditor, log } = cielo.service;
  // A lease is shorter than any pause between two looks.
  const atRest = `state <> 'pending' or due_at > now() + interval '20 seconds'`;
  const look = async (sent: string): Promise<unknown> => {
    const change = `sent_at = now() - interval '${sent}', tries = 8, due_at = now(), rests_until = now()`;
    const due = `update cancels set ${change} where transaction_id = $1 and state = 'pending' and (${atRest}) returning 1`;
    await until('it rests', async () => (await auditor.query(due, [paymentId])).length > 0);
    const rest = `select state from cancels where transaction_id = $1 and (${atRest})`;
    return until('it was looked for', async () => (await auditor.query(rest, [paymentId]))[0]?.state);
  };
  const isListed = async () =>
    /accepted it, and does not show it/.test(await cielo.parcela('resolve', 'list'));
  assert.deepEqual([await look('1 hour'), await isListed()], ['pending', false]);
  assert.deepEqual([await look('6 days'), await isListed()], ['pending', true]);
  const paused = `select 1 from cancels where transaction_id = $1 and due_at > now() + interval '50 minutes'`;
  assert.equal((await auditor.query(paused, [paymentId])).length, 1);
  assert.ok(!log.some((line) => line.includes('does not show it')), 'no warning at each look');
  await cielo.desk('clock', { forwardMilliseconds: 60_000 });
  await until('it is done', async () => (await look('6 days')) === 'canceled');
  await cielo.script();
  const [sale] = await cielo.booked(paymentId);
  assert.deepEqual([sale?.refunds.length, sale?.refundedAmount], [1, 2_315]);
});

test('a cancel without an answer is looked for, and sent again only when Cielo can have accepted it no more', async () => {
  const paymentId = await shown(idOf(await cielo.pay(12_318)));
  const { auditor } = cielo.service;
  await cielo.script({ on: 'refund', fault: 'silent' });
  assert.equal((await cielo.post(paymentId, 'cancel', { amount: 2_318 })).status, 500);
  const sent = (ago: string) =>
    auditor.query(
      `update cancels set sent_at = now() - interval '${ago}', tries = 9, due_at = now(), unknown_reason = 'TEST'
       where transaction_id = $1 and unknown_reason is not null and state = 'canceling' returning 1`,
      [paymentId],
    );
  await until('its caller is done', async () => (await sent('1 hour')).length > 0);
  const waits = `select 1 from cancels where transaction_id = $1 and unknown_reason ~ 'may still book it'
    and due_at > now() + interval '4 minutes' and sent_at < now() - interval '59 minutes'`;
  await until('it waits', async () => (await auditor.query(waits, [paymentId])).length > 0);
  assert.deepEqual((await cielo.booked(paymentId))[0]?.refunds, []);
  const old = `update cancels set created_at = now() - interval '2 hours', ends_at = ends_at - $2 * interval '1 day'
    where transaction_id = $1`;
  await auditor.query(old, [paymentId, 0]);
  const gauge = async (name: string, provider = '') => {
    const metrics = await (await fetch(cielo.service.metricsUrl)).text();
    return Number(new RegExp(`^${name}\\{kind="cancel"${provider}\\} (\\S+)`, 'm').exec(metrics)?.[1]);
  };
  const isYoung = async () =>
    (await gauge('parcela_unresolved')) > 0 &&
    (await gauge('parcela_unresolved_oldest_age_seconds', ',provider="cielo"')) < 600;
  // Its counts are some seconds old.
  const counted = (await gauge('parcela_unresolved_most_tries')) >= 9;
  assert.ok(
    counted ||
      (await until('it is counted', async () => (await gauge('parcela_unresolved_most_tries')) >= 9)),
  );
  assert.ok(await isYoung(), 'nobody need look before its end');
  await auditor.query(old, [paymentId, 6]);
  await until('it is old when its end is over', async () => !(await isYoung()));
  await sent('6 days');
  await until('it is done', async () => (await cielo.booked(paymentId))[0]?.refunds.length === 1);
});

/** Books a sale under the reference, as another request that nobody answered would have. */
async function bookAtCielo(id: string, amount: number): Promise<void> {
  const card = { CardNumber: '5555555555554444', Holder: 'Ana', ExpirationDate: '12/2039', Brand: 'Master' };
  const payment = { Type: 'CreditCard', Amount: amount, Installments: 1, Capture: true, CreditCard: card };
  const reply = await fetch(`${cielo.url}/1/sales/`, {
    method: 'POST',
    headers: AT_CIELO,
    body: JSON.stringify({ MerchantOrderId: shortReference(id), Payment: payment }),
  });
  assert.equal(reply.status, 201);
}

const AT_CIELO = { merchantid: ESTABLISHMENT, merchantkey: KEY, 'content-type': 'application/json' };

/** Gives a sale back whole, as a cancel would. */
async function voidAtCielo(tid: string): Promise<void> {
  const found = await fetch(`${cielo.url}/1/sales/acquirerTid/${tid}`, { headers: AT_CIELO });
  const { Payment } = (await found.json()) as { readonly Payment: { readonly PaymentId: string } };
  const path = `/1/sales/${Payment.PaymentId}/void`;
  const voided = await fetch(cielo.url + path, { method: 'PUT', headers: AT_CIELO });
  assert.equal(voided.status, 200);
}

/** The look-up may be behind, and the next look is half an hour away. */
function untilWatched(what: string, id: string, isSo: () => Promise<boolean>): Promise<unknown> {
  return until(what, async () => {
    await cielo.service.auditor.query(
      'update watched_charges set due_at = now() where transaction_id = $1 and due_at > now()',
      [id],
    );
    return isSo();
  });
}

test("of a billing's lost charge that was booked twice one is kept, and the other is voided", async () => {
  const id = randomUUID();
  const amount = 12_307;
  await bookAtCielo(id, amount);
  await bookAtCielo(id, amount);
  // No void arrives for a while.
  await cielo.script(...Array.from({ length: 20 }, () => ({ on: 'refund', fault: 'unavailable' })));
  await cielo.service.auditor.query(
    `insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
       reference_transaction, card_brand, card_first_six, card_last_four, card_fingerprint, created_by, sold_at, due_at,
       acquirer, unknown_reason)
     select merchant_id, $1, account_number, 'billing', 'unresolved', $2, 1, 'TWINS', 'mastercard', '555555', '4444', 'x',
       'system', now(), now() + interval '1 second', 'cielo', 'lost' from accounts where merchant_id = $3 limit 1`,
    [id, amount, cielo.merchantId],
  );
  const named = await until('the one to keep is named', async () => {
    const { unknown_reason: reason } = await cielo.transaction('TWINS');
    return /booked more than once, and all but (\S+) are to be voided/.exec(String(reason))?.[1];
  });
  const decide = ['resolve', 'decide', id, '--as', 'voided', '--reason', 'the desk'];
  const { database, folder } = cielo.service;
  assert.equal((await runParcela(database, folder, decide)).exitCode, 1);
  await cielo.script();
  const row = await cielo.untilState('TWINS', 'approved');
  assert.equal(row.tid, named);
  const booked = await cielo.booked(id);
  const kept = booked.filter(({ liveAmount }) => liveAmount > 0);
  assert.deepEqual(
    kept.map(({ nsu, liveAmount }) => [nsu, liveAmount]),
    [[Number(row.nsu), amount]],
  );
  assert.equal(booked.length, 2);
  await bookAtCielo(id, amount);
  await untilWatched('the twin that came later is voided', id, async () => {
    return live(await cielo.booked(id)) === amount;
  });
  await voidAtCielo(String(row.tid));
  await bookAtCielo(id, amount);
  await untilWatched('the twin of one that was given back is voided', id, async () => {
    return live(await cielo.booked(id)) === 0;
  });
  const metrics = await (await fetch(cielo.service.metricsUrl)).text();
  assert.match(metrics, /^parcela_twin_charges_total\{provider="cielo"\} [1-9]/m);
});

/** Charges that were voided, and that their acquirer may have booked after all. */
async function watchVoided(acquirer: string, ids: readonly string[], until: string): Promise<void> {
  await watchIn('voided', acquirer, ids, until);
}

async function watchIn(
  state: 'voided' | 'unresolved',
  acquirer: string,
  ids: readonly string[],
  until: string,
): Promise<void> {
  await cielo.service.auditor.query(
    `with charge as (
       insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
         reference_transaction, card_brand, card_first_six, card_last_four, card_fingerprint, created_by, sold_at,
         decided_at, due_at, unknown_reason, acquirer)
       select a.merchant_id, i.id::uuid, a.account_number, 'payment', $5, 100, 1, 'WATCHED', 'mastercard', '555555',
         '4444', 'x', 'system', now(), case when $5 = 'voided' then now() end,
         case when $5 = 'unresolved' then now() + interval '1 day' end,
         case when $5 = 'unresolved' then 'no answer in time' end, $3
       from (select * from accounts where merchant_id = $2 limit 1) a, unnest($1::text[]) as i (id)
       returning merchant_id, transaction_id
     )
     insert into watched_charges select merchant_id, transaction_id, now() - interval '1 hour', now() + $4::interval
     from charge`,
    [ids, cielo.merchantId, acquirer, until, state],
  );
}

test('a watched charge of an acquirer that is gone is forgotten, and somebody is told', async () => {
  const id = randomUUID();
  await watchVoided('gone', [id], '-8 days');
  await until('somebody is told', async () =>
    cielo.service.log.some((line) => line.includes('its acquirer was not seen') && line.includes(id)),
  );
  const query = 'select from watched_charges where transaction_id = $1';
  assert.deepEqual(await cielo.service.auditor.query(query, [id]), []);
});

test('a watched charge that is still unresolved is watched on, and nobody is told that it is not', async () => {
  const [open, gone] = [randomUUID(), randomUUID()];
  await watchIn('unresolved', 'gone', [open], '-8 days');
  const query = 'select due_at > now() as is_looked_at from watched_charges where transaction_id = $1';
  const looks = () => cielo.service.auditor.query(query, [open]);
  await until('it was looked at', async () => (await looks())[0]?.is_looked_at !== false);
  // What came later was told of.
  await watchVoided('gone', [gone], '-8 days');
  const isTold = (id: string) =>
    cielo.service.log.some((line) => line.includes('its acquirer was not seen') && line.includes(id));
  await until('somebody is told of another', async () => isTold(gone));
  assert.deepEqual(await looks(), [{ is_looked_at: true }]);
  assert.equal(isTold(open), false);
});

test('a late charge is voided, also while Cielo has not decided about another one of its reference', async () => {
  const id = randomUUID();
  await bookAtCielo(id, 100);
  await cielo.script({
    on: 'authorize',
    doubt: { status: '12', becomes: 'denied', afterMilliseconds: 600_000 },
  });
  await bookAtCielo(id, 101);
  await watchVoided('cielo', [id], '1 day');
  await untilWatched('the one that is live is voided', id, async () => {
    const booked = await cielo.booked(id);
    return booked.some(({ amount, liveAmount }) => amount === 100 && liveAmount === 0);
  });
});

test('an acquirer that hangs keeps no late charge of another from being voided', async () => {
  let asked = 0;
  const hanging = createServer(({ url }) => {
    if (url?.includes('/sales')) asked += 1;
  }).listen(0, '127.0.0.1');
  await once(hanging, 'listening');
  try {
    const keyFile = join(cielo.service.folder, 'hanging-key');
    await writeFile(keyFile, KEY);
    const named = ['--kind', 'acquirer', '--name', 'hanging', '--adapter', 'cielo'];
    const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
    const access = ['--url', url, '--establishment', ESTABLISHMENT, '--establishment-key-file', keyFile];
    // It is added, though it answers nothing.
    await runParcela(cielo.service.database, cielo.service.folder, ['provider', 'add', ...named, ...access]);
    const late = randomUUID();
    await bookAtCielo(late, 100);
    const watched = Array.from({ length: 200 }, () => randomUUID());
    await watchVoided('hanging', watched, '1 day');
    await until('it is asked', async () => asked > 0);
    await watchVoided('cielo', [late], '1 day');
    await until('the late charge is voided', async () => live(await cielo.booked(late)) === 0);
    assert.ok(asked < watched.length / 2, `${asked} of ${watched.length} waited for the one that hangs`);
  } finally {
    hanging.closeAllConnections();
    hanging.close();
  }
});

const HELD = { transactionType: 'credit', productType: 'avista', installments: 1, captureType: 'pa' };
/** Cielo's look-ups know a charge some moments after it was made. */
async function capturedAgain(paymentId: string, amount: number): Promise<void> {
  const again = () => cielo.post(paymentId, 'capture', { amount });
  await until('it is refused, and captured then', async () => (await again()).status === 200);
  assert.equal((await cielo.booked(paymentId))[0]?.capturedAmount, amount);
  const refused = `select refusal_reason from captures where transaction_id = $1 and state = 'refused'`;
  assert.deepEqual(await cielo.service.auditor.query(refused, [paymentId]), [
    { refusal_reason: 'Cielo answered 308' },
  ]);
}

test('a capture that is refused ends, leaves the charge held, and may be asked for again', async () => {
  const paymentId = idOf(await cielo.pay(12_310, { payment: { ...HELD, amount: 12_310 } }));
  await cielo.script({ on: 'capture', returnCode: '308' });
  await cielo.post(paymentId, 'capture', { amount: 2_310 });
  await capturedAgain(paymentId, 2_310);
});

test('a no behind a capture that was not answered counts when that one can be booked no more', async () => {
  const paymentId = await shown(idOf(await cielo.pay(12_311, { payment: { ...HELD, amount: 12_311 } })));
  const refused = { on: 'capture', returnCode: '308' };
  await cielo.script({ ...refused, fault: 'silent' }, refused);
  await cielo.post(paymentId, 'capture', { amount: 2_311 });
  await capturedAgain(paymentId, 2_311);
  // Its connection may have ended two seconds behind its beginning, and then the horizon begins.
  const waited = `select decided_at - created_at >= interval '5 seconds' as is_behind from captures
    where transaction_id = $1 and state = 'refused'`;
  assert.deepEqual(await cielo.service.auditor.query(waited, [paymentId]), [{ is_behind: true }]);
});

test('a capture is refused by a code beside the payment too; a failure proves nothing, done or not', async () => {
  const paymentId = await shown(idOf(await cielo.pay(12_316, { payment: { ...HELD, amount: 12_316 } })));
  const failure = { on: 'capture', returnCode: '999' };
  await cielo.script({ on: 'capture', returnCode: '842' }, failure, { ...failure, books: true });
  const refused = await cielo.post(paymentId, 'capture', { amount: 2_316 });
  assert.equal(refused.status, 409, refused.text);
  assert.equal((await cielo.post(paymentId, 'capture', { amount: 2_316 })).status, 500);
  await until('it is captured', async () => (await cielo.read(paymentId)).statusDescription === 'Autorizada');
  assert.equal((await cielo.booked(paymentId))[0]?.capturedAmount, 2_316);
});

test('what is held and too late to void is let go; with any other no it is voided until it is done', async () => {
  const held = async () => shown(idOf(await cielo.pay(12_317, { payment: { ...HELD, amount: 12_317 } })));
  const [late, young, other] = [await held(), await held(), await held()];
  const older = `update transactions set created_at = created_at - interval '2 days' where transaction_id = $1`;
  await cielo.service.auditor.query(older, [late]);
  await cielo.script({ on: 'refund', returnCode: '40' }, { on: 'refund', returnCode: '40' });
  assert.equal((await cielo.post(late, 'cancel')).status, 500);
  await until('it is let go', async () => (await cielo.read(late)).statusDescription === 'Desfeita');
  assert.ok(live(await cielo.booked(late)) > 0);
  for (const [paymentId, returnCode] of [
    [other, '309'],
    // No hold ends within a day.
    [young, '40'],
  ] as const) {
    await cielo.script({ on: 'refund', returnCode });
    assert.equal((await cielo.post(paymentId, 'cancel')).status, 500);
    await until('it is voided', async () => live(await cielo.booked(paymentId)) === 0);
  }
});

test('what is held is captured later, in part', async () => {
  const amount = 12_306;
  const payment = {
    transactionType: 'credit',
    amount,
    productType: 'avista',
    installments: 1,
    captureType: 'pa',
  };
  const paymentId = idOf(await cielo.pay(amount, { payment }));
  await cielo.post(paymentId, 'capture', { amount: 2_306 });
  await until('it is captured', async () => (await cielo.read(paymentId)).statusDescription === 'Autorizada');
  assert.equal((await cielo.booked(paymentId))[0]?.capturedAmount, 2_306);
});

test('a card is verified and charged R$ 1.00 by command, and nothing of it stays', async () => {
  const says = await cielo.tryCard('--charge');
  assert.match(says, /answers and is fit/);
  assert.match(says, /the acquirer approves/);
  assert.match(says, /The charge was approved\.\s+Mastercard's link \(TLID\) came with it/);
  assert.match(says, /Nothing of it is live/);
});

test('the operator is told in plain words what is wrong, and of no key', async () => {
  await cielo.desk('merchants', { merchantId: ESTABLISHMENT, key: 'another' });
  const { exitCode, printed } = await cielo.testProvider();
  assert.equal(exitCode, 1);
  assert.match(printed, /takes no such/);
  assert.ok(!printed.includes('KEY-OF-A-TEST'));
});
