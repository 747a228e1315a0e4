import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { runParcela } from '../audit/audit-service.ts';
import { call } from '../kit/merchant.ts';
import { openTestService, until } from '../kit/service.ts';
import { ledger, order, type PixShop, scriptFor } from '../pix/pix-service.ts';
import { type AutomaticShop, automaticShopOf, WITH_AUTOMATIC_PIX } from './automatic-pix-service.ts';

/** Pix Automático at a bank that answers late, wrongly or not at all. */

let of: AutomaticShop;
let shop: PixShop;

before(async () => {
  const fast = { PARCELA_PIX_TIMEOUT_MILLISECONDS: '1500', PARCELA_PIX_CHANGES_SECONDS: '1' };
  of = await automaticShopOf(await openTestService({ ...WITH_AUTOMATIC_PIX, ...fast }));
  ({ shop } = of);
});
beforeEach(async () => {
  await answering();
  await of.endActive();
});
after(() => of?.service.close());

const faults = (on: string, fault: string, times = 1) =>
  scriptFor(shop, shop.customerOfBank, on, ...Array.from({ length: times }, () => ({ fault })));

const OPERATIONS = [
  'POST /rec',
  'GET /rec',
  'PATCH /rec',
  'PUT /cob',
  'GET /cob',
  'PATCH /cob',
  'PUT /cobr',
  'GET /cobr',
  'PATCH /cobr',
  'GET /pix',
];
const silent = async () => {
  for (const on of OPERATIONS) await faults(on, 'unavailable', 1_000);
};
async function answering(): Promise<void> {
  for (const on of OPERATIONS) await scriptFor(shop, shop.customerOfBank, on);
}

const untilTry = (pixId: unknown, is: (row: Record<string, unknown>) => boolean) =>
  until(`the try ${pixId}`, async () => {
    const [row] = await of.service.auditor.query('select * from pix_collections where pix_id = $1', [pixId]);
    return row !== undefined && is(row) ? row : null;
  });

const pay = (body: object) => order(shop, 'payments', body);
const firstChargeOf = async (id: string) => {
  const { rows } = await rowsOf(id, 'pix_collections');
  const [first] = rows;
  const charges = await ledger(shop, 'charges', shop.customerOfBank);
  const charge = charges.find(({ txid }) => txid === first?.txid);
  return { first, charge };
};

async function rowsOf(id: string, table: 'pix_collections' | 'pix_authorizations') {
  const rows = await of.service.auditor.query(
    `select * from ${table} where subscription_id = $1 order by 1, 2`,
    [id],
  );
  return { rows: rows as Record<string, unknown>[] };
}

/** The bank is asked now, in place of in seconds or minutes, unless it is being asked. */
async function hurry(id: string): Promise<void> {
  for (const table of ['pix_collections', 'pix_authorizations'])
    await of.service.auditor.query(
      `update ${table} set look_at = now(), tried_at = null where subscription_id = $1 and look_at > now()
         and (leased_until is null or leased_until <= now())`,
      [id],
    );
}

const untilRow = (
  id: string,
  table: 'pix_collections' | 'pix_authorizations',
  is: (row: Record<string, unknown>) => boolean,
) =>
  until(`${table} of ${id}`, async () => {
    const { rows } = await rowsOf(id, table);
    const found = rows.find(is);
    if (found === undefined) await hurry(id);
    return found ?? null;
  });

/** To so many days behind the due day of the first billing; a charge is sent on the third day before it. */
async function jumpToDue(id: string, days: number): Promise<void> {
  const { body } = await call(shop.url, '/homologation/clock', { token: shop.token });
  const first = (await of.billingsOf(id)).find(({ installment }) => installment === 1);
  const [due, today] = [first?.expireAt, body.now].map((text) =>
    Date.parse(`${String(text).slice(0, 10)}T12:00:00Z`),
  );
  await of.jump(((due as number) - (today as number)) / 86_400_000 + days);
}

// Those that jump first: what waits for its payer makes a jump long.
test('a charge that its bank has not for long, and then has, is asked for under its own name before it has another', async () => {
  const { id, authorization } = await of.authorized(39.2);
  await faults('PUT /cobr', 'booksButUnavailable', 1_000);
  await faults('GET /cobr', 'unavailable', 1_000);
  await jumpToDue(id, -2);
  // Behind many unclear answers two of these are believed.
  await faults('GET /cobr', 'notFound', 1_000);
  const { txid } = await untilRow(id, 'pix_collections', ({ state }) => state === 'voided');
  await answering();
  const again = await untilRow(id, 'pix_collections', ({ state }) => state === 'open');
  assert.equal(again.txid, txid);
  await untilRow(id, 'pix_collections', ({ is_sent, state }) => is_sent === true && state === 'open');
  await of.jump(4);
  await of.untilBilling(id, 1, 'Paid');
  const { rows } = await rowsOf(id, 'pix_collections');
  const cobrs = await ledger(shop, 'recurring', shop.customerOfBank);
  const ours = cobrs.filter(({ idRec }) => idRec === authorization.recurrenceId);
  assert.equal(ours.length, 1);
  assert.deepEqual(
    rows.slice(0, 2).map(({ state, txid }) => [state, txid === ours[0]?.txid]),
    [
      ['voided', true],
      ['paid', true],
    ],
  );
});

test('a charge that was canceled is looked at again before its billing ends: the payer had ended the authorization', async () => {
  const { id, authorization } = await of.authorized(63.4);
  await jumpToDue(id, -3);
  const sent = await untilRow(id, 'pix_collections', ({ is_sent }) => is_sent === true);
  const canceled = await order(shop, 'removals', { clientId: shop.customerOfBank, txid: sent.txid });
  assert.equal(canceled.status, 200, JSON.stringify(canceled.body));
  await untilRow(id, 'pix_collections', ({ unknown_reason }) => unknown_reason !== null);
  assert.equal((await of.read(id)).status, 'Active');
  await of.decide({ idRec: authorization.recurrenceId, act: 'cancel' });
  await hurry(id);
  assert.equal((await of.untilStatus(id, 'Canceled')).statusReason, 'ByPayer');
  await of.untilBilling(id, 1, 'Canceled');
});

test('days that pass while the bank is away are chosen anew, with the lead time', async () => {
  const { id } = await of.authorized(31.2);
  const [before] = await of.billingsOf(id);
  await faults('PUT /cobr', 'unavailable', 1_000);
  await of.jump(5);
  await answering();
  // Late in the day the new days begin on the next one.
  await of.jump(6);
  const billing = (await of.billingsOf(id)).find(({ installment }) => installment === 1);
  assert.equal(billing?.status, 'Paid', JSON.stringify(await of.timelineOf(billing)));
  assert.equal(billing?.expireAt, before?.expireAt);
  const { rows } = await rowsOf(id, 'pix_collections');
  const cobrs = await ledger(shop, 'recurring', shop.customerOfBank);
  const ours = cobrs.filter(({ txid }) => rows.some((row) => row.txid === txid));
  assert.deepEqual(
    ours.map(({ status }) => status),
    ['CONCLUIDA'],
  );
  assert.ok(rows.some(({ state }) => state === 'voided'));
});

test('a day in the next cycle is never chosen: the billing ends in plain words, and the next one is collected', async () => {
  const { id } = await of.authorized(12.3, { planType: 'Weekly', attempts: 0 });
  await faults('PUT /cobr', 'unavailable', 1_000);
  await of.jump(12);
  const first = await of.untilBilling(id, 1, 'PaymentInvalid');
  const rules = (await of.timelineOf(first)).map(({ rule }) => rule).filter((rule) => rule !== undefined);
  assert.equal(rules.at(-1), 'CycleOver', rules.join());
  await answering();
  await of.jump(8);
  await of.untilBilling(id, 2, 'Paid');
});

test('a first try that its bank moved to a working day, and refused early, is not taken for the next one', async () => {
  // Due on a Saturday.
  for (let days = 1; ; days = 7) {
    const { body } = await call(shop.url, '/homologation/clock', { token: shop.token });
    const due = new Date(Date.parse(`${body.now.slice(0, 10)}T12:00:00Z`) + 7 * 86_400_000);
    if (due.getUTCDay() === 6 && due.getUTCDate() <= 28) break;
    await of.jump(due.getUTCDay() === 6 ? days : (6 - due.getUTCDay() + 7) % 7);
  }
  const { id, authorization } = await of.authorized(34.5);
  const steps = [{ plan: 'rejects', code: 'AM02' }];
  await order(shop, 'payers', { idRec: authorization.recurrenceId, steps });
  await of.jump(12);
  const first = await of.untilBilling(id, 1, 'Paid');
  const charged = (await of.timelineOf(first)).filter(({ type }) => type === 'Charged');
  assert.deepEqual(
    charged.map(({ outcome }) => outcome),
    ['InsufficientFunds', 'Approved'],
  );
});

test('a charge that its bank refuses for a while is sent again for as long as it is in time, by the lead time of now', async () => {
  const { id } = await of.authorized(36.1, { planType: 'Weekly', attempts: 0 });
  const { auditor } = of.service;
  // As if the lead time had been shorter when the payer agreed.
  await auditor.query('update pix_authorizations set lead_days = 1 where subscription_id = $1', [id]);
  const refusals = Array.from({ length: 12 }, () => ({ problem: 'CobROperacaoInvalida' }));
  await scriptFor(shop, shop.customerOfBank, 'PUT /cobr', ...refusals);
  await jumpToDue(id, 1);
  await of.untilBilling(id, 1, 'Paid');
  const [next] = await auditor.query(
    'select due_on - charge_on as days from billings where subscription_id = $1 and installment = 2',
    [id],
  );
  assert.equal(next?.days, 3);
});

test('a charge that its bank has, and once says it has not, is not made a second time under another name', async () => {
  const { id } = await of.authorized(38.2);
  await faults('PUT /cobr', 'booksButUnavailable', 1_000);
  await faults('GET /cobr', 'unavailable', 1_000);
  await jumpToDue(id, -2);
  await answering();
  await faults('GET /cobr', 'notFound');
  await untilRow(id, 'pix_collections', ({ is_sent, state }) => is_sent === true || state === 'voided');
  await of.jump(4);
  await of.untilBilling(id, 1, 'Paid');
  const { rows } = await rowsOf(id, 'pix_collections');
  assert.deepEqual(
    rows.slice(0, 1).map(({ state }) => state),
    ['paid'],
  );
});

test('a charge by Pix Automático is paid by what arrived for it, also where its record does not say so or is not there', async () => {
  const subscribers: string[] = [];
  for (const amount of [41.1, 41.2]) subscribers.push((await of.authorized(amount)).id);
  const [first, second] = subscribers as [string, string];
  await jumpToDue(first, -3);
  for (const id of subscribers) await untilRow(id, 'pix_collections', ({ is_sent }) => is_sent === true);
  await faults('GET /cobr', 'withoutPix', 1_000);
  // Before its record is read.
  const isRead =
    "update pix_collections set look_at = look_at + interval '9 days' where subscription_id = $1";
  await of.service.auditor.query(isRead, [second]);
  // Behind a weekend: the bank collects on working days.
  await jumpToDue(first, 3);
  await untilRow(first, 'pix_collections', ({ state }) => state === 'paid');
  await of.untilBilling(first, 1, 'Paid');
  await faults('GET /cobr', 'notFound', 1_000);
  await untilRow(second, 'pix_collections', ({ state }) => state === 'paid');
  await of.untilBilling(second, 1, 'Paid');
});

test('a charge that was sent and paid in the time that a restore has lost is found before its billing ends', async () => {
  const { id } = await of.authorized(27.1, { planType: 'Weekly', attempts: 0 });
  await jumpToDue(id, -3);
  const { pix_id: pixId, txid } = await untilRow(id, 'pix_collections', ({ is_sent }) => is_sent === true);
  const { auditor } = of.service;
  await auditor.query('update merchants set billings_held_at = now()');
  await auditor.query('delete from pix_collections where pix_id = $1', [pixId]);
  await auditor.query('delete from billing_charges where transaction_id = $1', [pixId]);
  await auditor.query(
    `update billings set transaction_id = null, charges_made = 0, fence = 0, charge_on = due_on - 3
     where subscription_id = $1`,
    [id],
  );
  await of.jump(10);
  const lost = () => auditor.query('select from lost_pix_receipts where txid = $1', [txid]);
  await until('its money is seen', async () => ((await lost()).length === 1 ? true : null));
  await auditor.query('update merchants set billings_held_at = null');
  await of.jump(1);
  await of.untilBilling(id, 1, 'Paid');
  assert.equal((await lost()).length, 0);
});

test('a charge that was sent is taken away with its subscription, also where the bank does not do it by itself', async () => {
  const { id } = await of.authorized(52.3);
  await jumpToDue(id, -3);
  const { txid } = await untilRow(id, 'pix_collections', ({ is_sent }) => is_sent === true);
  await order(shop, 'dialect', { clientId: shop.customerOfBank, endsCharges: false });
  await scriptFor(shop, shop.customerOfBank, 'PATCH /cobr', { problem: 'CobROperacaoInvalida' });
  try {
    assert.equal((await of.api(`subscriptions/${id}/status`, { status: 'Canceled' })).status, 200);
    await untilRow(id, 'pix_collections', ({ state }) => state === 'voided');
  } finally {
    await order(shop, 'dialect', { clientId: shop.customerOfBank });
  }
  const cobrs = await ledger(shop, 'recurring', shop.customerOfBank);
  assert.equal(cobrs.find((one) => one.txid === txid)?.status, 'CANCELADA');
  await of.untilBilling(id, 1, 'Canceled');
});

test('a billing that failed cannot be charged by hand, and says why', async () => {
  const { id } = await of.authorized(20.53);
  await of.jump(8);
  const [first] = await of.billingsOf(id);
  assert.equal(first?.status, 'Denied');
  const charged = (await of.timelineOf(first)).filter(({ type }) => type === 'Charged');
  assert.deepEqual(
    charged.map(({ code }) => code),
    ['AC05'],
  );
  const refused = await of.api(`billing/${first?.id}/charge`, {});
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.body[0].description, /Pix Automático/);
});

test('the code of a first charge cannot be paid after its subscription ended', async () => {
  const { id, authorization } = await of.enrol(await of.makePlan());
  assert.equal((await of.api(`subscriptions/${id}/status`, { status: 'Canceled' })).status, 200);
  await untilRow(id, 'pix_collections', ({ state }) => state === 'voided');
  const { charge } = await firstChargeOf(id);
  assert.equal(charge?.status, 'REMOVIDA_PELO_USUARIO_RECEBEDOR');
  assert.equal((await pay({ code: authorization.pixEmv })).status, 409);
  const [rec] = (await ledger(shop, 'authorizations', shop.customerOfBank)).slice(-1);
  await of.untilAuthorization(id, 'Ended');
  assert.equal(rec?.idRec, authorization.recurrenceId);
});

test('a payment that came before the end wins: the billing is paid, and the subscription stays canceled', async () => {
  const { id, authorization } = await of.enrol(await of.makePlan());
  await silent();
  assert.equal((await of.api(`subscriptions/${id}/status`, { status: 'Canceled' })).status, 200);
  assert.equal((await pay({ code: authorization.pixEmv })).status, 201);
  await answering();
  await hurry(id);
  const paid = await of.untilBilling(id, 1, 'Paid');
  assert.equal((await of.read(id)).status, 'Canceled');
  assert.equal((await of.billingsOf(id)).length, 1, JSON.stringify(paid));
  await of.untilAuthorization(id, 'Ended');
});

test('a charge is paid also where the record of its bank has no code, or does not say by what', async () => {
  const planId = await of.makePlan();
  for (const fault of ['withoutCode', 'withoutPix']) {
    await answering();
    const { id, authorization } = await of.enrol(planId);
    await faults('GET /cob', fault, 1_000);
    assert.equal((await pay({ code: authorization.pixEmv })).status, 201);
    await of.untilStatus(id, 'Active');
    await untilRow(id, 'pix_collections', ({ state }) => state === 'paid');
    await of.untilBilling(id, 1, 'Paid');
  }
});

test('a subscription whose first charge its bank took away before the payer agreed goes on with the next billing', async () => {
  const { id, authorization } = await of.enrol(await of.makePlan());
  const { first } = await firstChargeOf(id);
  await order(shop, 'removals', { clientId: shop.customerOfBank, txid: first?.txid });
  // A look that sees it gone.
  await of.service.auditor.query(
    'update pix_collections set is_sent = false, look_at = now() where subscription_id = $1',
    [id],
  );
  await untilRow(id, 'pix_collections', ({ is_sent }) => is_sent === true);
  await of.decide({ code: authorization.pixEmv, act: 'accept' });
  await of.untilStatus(id, 'Active');
  await untilRow(id, 'pix_collections', ({ state }) => state === 'voided');
  await of.untilBilling(id, 1, 'PaymentInvalid');
  await of.untilBilling(id, 2, 'Opened');
});

test('what is paid by the code of a first charge that was over pays its billing, before that is charged again', async () => {
  const { id, authorization } = await of.enrol(await of.makePlan({ amount: 73.1 }));
  const { first } = await firstChargeOf(id);
  const { auditor } = of.service;
  await auditor.query('update merchants set billings_held_at = now()');
  try {
    await order(shop, 'removals', { clientId: shop.customerOfBank, txid: first?.txid });
    await of.decide({ code: authorization.pixEmv, act: 'accept' });
    await untilRow(id, 'pix_collections', ({ state }) => state === 'voided');
    await pay({ clientId: shop.customerOfBank, txid: first?.txid, force: true });
    await until('its money is kept', async () => {
      const kept = await auditor.query('select from collected_pix_receipts where txid = $1', [first?.txid]);
      return kept.length === 1 ? true : null;
    });
  } finally {
    await auditor.query('update merchants set billings_held_at = null');
    await answering();
  }
  await of.untilBilling(id, 1, 'Paid');
  const { rows } = await rowsOf(id, 'pix_collections');
  assert.deepEqual(
    rows.slice(0, 2).map(({ state, txid }) => [state, txid]),
    [
      ['voided', first?.txid],
      ['paid', first?.txid],
    ],
  );
});

test('a charge that another process has sent is not voided as one that was not', async () => {
  const { id } = await of.authorized(44.3);
  await jumpToDue(id, -3);
  const { pix_id: pixId } = await untilRow(id, 'pix_collections', ({ is_sent }) => is_sent === true);
  const { auditor } = of.service;
  await scriptFor(shop, shop.customerOfBank, 'GET /cobr', { fault: 'notFound', delayMilliseconds: 1_000 });
  // As if its answer had not come, its days were over, and the bank had shown nothing so often.
  await auditor.query(
    `update pix_collections set is_sent = false, due_on = due_on - 1, tries = 8, look_at = now(),
       unknown_reason = 'the bank has nothing under this name' where pix_id = $1`,
    [pixId],
  );
  await untilTry(pixId, ({ leased_until }) => leased_until !== null);
  await auditor.query('update pix_collections set is_sent = true where pix_id = $1', [pixId]);
  const after = await untilTry(pixId, ({ leased_until, state }) => state !== 'open' || leased_until === null);
  assert.equal(after.state, 'open');
});

test('a charge that is refused when its authorization is over is not voided while an earlier request may be on its way', async () => {
  const { id, authorization } = await of.authorized(46.5);
  const refusals = Array.from({ length: 100 }, () => ({ problem: 'CobROperacaoInvalida' }));
  await scriptFor(shop, shop.customerOfBank, 'PUT /cobr', ...refusals);
  await jumpToDue(id, -3);
  const { pix_id: pixId } = await untilRow(
    id,
    'pix_collections',
    ({ unknown_reason }) => unknown_reason !== null,
  );
  const { auditor } = of.service;
  // The authorization is asked about by the look at its charge alone.
  await auditor.query(
    "update pix_authorizations set look_at = look_at + interval '9 days' where subscription_id = $1",
    [id],
  );
  await of.decide({ idRec: authorization.recurrenceId, act: 'cancel' });
  const [before] = await auditor.query(
    'update pix_collections set look_at = now(), leased_until = null, tries = 1 where pix_id = $1 returning fence',
    [pixId],
  );
  const looked = await untilTry(
    pixId,
    ({ fence, leased_until }) => Number(fence) > Number(before?.fence) && leased_until === null,
  );
  assert.equal(looked.state, 'open');
  await of.untilStatus(id, 'Canceled');
  await untilRow(id, 'pix_collections', ({ state }) => state === 'voided');
});

test('money that is heard of while the bank is asked brings the next look near, and no other look ends that one', async () => {
  const { id, authorization } = await of.enrol(await of.makePlan({ amount: 45.4 }));
  const { auditor } = of.service;
  // By themselves the next looks would be in hours.
  await auditor.query(
    `update pix_authorizations set requested_at = requested_at - interval '2 days', look_at = now() + interval '1 hour'
     where subscription_id = $1`,
    [id],
  );
  const late = { fault: 'notFound', delayMilliseconds: 1_200 };
  const asking = async (table: 'pix_collections' | 'pix_authorizations') => {
    await auditor.query(`update ${table} set look_at = now(), tries = 12 where subscription_id = $1`, [id]);
    return until(`${table} is asked about`, async () => {
      const [row] = (await rowsOf(id, table)).rows;
      return row?.leased_until == null ? null : row;
    });
  };
  await scriptFor(shop, shop.customerOfBank, 'GET /rec', late);
  const held = await asking('pix_authorizations');
  await auditor.query('update pix_authorizations set heard_at = now() where subscription_id = $1', [id]);
  await scriptFor(shop, shop.customerOfBank, 'GET /cob', late);
  const { pix_id: pixId } = await asking('pix_collections');
  await pay({ code: authorization.pixEmv });
  await untilTry(pixId, ({ state }) => state === 'paid');
  await of.untilBilling(id, 1, 'Paid');
  const { rows } = await rowsOf(id, 'pix_authorizations');
  assert.ok(Number(rows[0]?.fence) > Number(held.fence), 'it was not looked at again');
});

test('a look that was hurried is no further try, and none is pulled from under a process that asks', async () => {
  await silent();
  const { id } = await of.enrol(await of.makePlan(), { pixAutomatic: { journey: 2 } });
  const { auditor } = of.service;
  /** The next look, whenever it would be. */
  const lookAgain = async (change: string) => {
    const [before] = await auditor.query(
      `update pix_authorizations set look_at = now(), leased_until = null, ${change} where subscription_id = $1
       returning fence`,
      [id],
    );
    return until('it was looked at', async () => {
      const [row] = (await rowsOf(id, 'pix_authorizations')).rows;
      return Number(row?.fence) > Number(before?.fence) && row?.leased_until === null ? row : null;
    });
  };
  const [enrolled] = (await rowsOf(id, 'pix_authorizations')).rows;
  assert.equal(enrolled?.leased_until, null, 'whoever enrolled it holds it');
  const first = await lookAgain("tries = 10, tried_at = now() + interval '9 years'");
  const hurried = await lookAgain('tries = tries');
  const behindPause = await lookAgain('tried_at = null');
  assert.deepEqual(
    [first, hurried, behindPause].map(({ tries }) => tries),
    [10, 10, 11],
  );
  const [leased] = await auditor.query(
    `update pix_authorizations set leased_until = now() + interval '1 minute', look_at = now() where subscription_id = $1
     returning fence`,
    [id],
  );
  // Another one is enrolled and looked at meanwhile.
  await of.enrol(await of.makePlan(), { pixAutomatic: { journey: 2 } });
  const [after] = (await rowsOf(id, 'pix_authorizations')).rows;
  assert.equal(after?.fence, leased?.fence);
});

test('an authorization that its bank has lost expires with the time of its payer', async () => {
  const { id } = await of.enrol(await of.makePlan(), { pixAutomatic: { journey: 2 } });
  await faults('GET /rec', 'notFound', 1_000);
  await of.service.auditor.query(
    `update pix_authorizations set requested_at = requested_at - interval '4 days',
       expires_at = expires_at - interval '4 days', look_at = now() where subscription_id = $1`,
    [id],
  );
  await untilRow(id, 'pix_authorizations', ({ state }) => state === 'ending' || state === 'ended');
  assert.equal((await of.untilStatus(id, 'Expired')).statusReason, 'NotAuthorized');
});

test('an authorization that its bank says once that it has not is ended there all the same', async () => {
  const { id, authorization } = await of.enrol(await of.makePlan(), { pixAutomatic: { journey: 2 } });
  await faults('PATCH /rec', 'notFound');
  await faults('GET /rec', 'notFound');
  assert.equal((await of.api(`subscriptions/${id}/status`, { status: 'Canceled' })).status, 200);
  await untilRow(id, 'pix_authorizations', ({ state }) => state === 'ended');
  const recs = await ledger(shop, 'authorizations', shop.customerOfBank);
  assert.equal(recs.find(({ idRec }) => idRec === authorization.recurrenceId)?.status, 'CANCELADA');
});

test('what its bank does not end, and then does not find, is not believed to be gone', async () => {
  const { id, authorization } = await of.enrol(await of.makePlan());
  for (const on of ['PATCH /cob', 'PATCH /rec']) await faults(on, 'conflict', 1_000);
  for (const on of ['GET /cob', 'GET /rec']) await faults(on, 'notFound', 1_000);
  assert.equal((await of.api(`subscriptions/${id}/status`, { status: 'Canceled' })).status, 200);
  for (const table of ['pix_collections', 'pix_authorizations'] as const) {
    await untilRow(id, table, ({ unknown_reason }) => unknown_reason !== null);
    await of.service.auditor.query(
      `update ${table} set tries = 8, unknown_reason = 'the bank has nothing under this name', tried_at = null,
         look_at = least(look_at, now()) where subscription_id = $1`,
      [id],
    );
    await untilRow(id, table, ({ unknown_reason }) => String(unknown_reason).includes('409'));
  }
  await answering();
  await untilRow(id, 'pix_collections', ({ state }) => state === 'voided');
  await untilRow(id, 'pix_authorizations', ({ state }) => state === 'ended');
  const { charge } = await firstChargeOf(id);
  assert.equal(charge?.status, 'REMOVIDA_PELO_USUARIO_RECEBEDOR');
  const recs = await ledger(shop, 'authorizations', shop.customerOfBank);
  assert.equal(recs.find(({ idRec }) => idRec === authorization.recurrenceId)?.status, 'CANCELADA');
});

test('a first charge that is made late has the seconds that are left', async () => {
  await silent();
  const { id, authorization } = await of.enrol(await of.makePlan());
  assert.equal(authorization.status, 'Processing');
  await of.service.auditor.query(
    `update pix_authorizations set requested_at = requested_at - interval '2 days', expires_at = expires_at - interval '2 days'
     where subscription_id = $1`,
    [id],
  );
  await answering();
  await untilRow(id, 'pix_authorizations', ({ state }) => state === 'waiting');
  const { charge } = await firstChargeOf(id);
  const { expiracao } = (charge?.calendario ?? {}) as { expiracao?: number };
  assert.ok(expiracao !== undefined && expiracao > 80_000 && expiracao <= 86_400, String(expiracao));
});

test('what is paid for a charge that is over is known, and can be given back', async () => {
  const { id } = await of.enrol(await of.makePlan({ amount: 77.7 }));
  assert.equal((await of.api(`subscriptions/${id}/status`, { status: 'Canceled' })).status, 200);
  const voided = await untilRow(id, 'pix_collections', ({ state }) => state === 'voided');
  const paid = await pay({ clientId: shop.customerOfBank, txid: voided.txid, force: true });
  assert.equal(paid.status, 201, JSON.stringify(paid.body));
  const found = await until('the payment is known', async () => {
    const read = await call(shop.url, `/v1/payments/${voided.pix_id}`, { token: shop.token });
    return read.status === 200 && read.body.payments.length > 0 ? read.body : null;
  });
  assert.deepEqual(
    [found.statusDescription, found.payments[0].kind, found.payments[0].state],
    ['Cancelada', 'afterEnd', 'open'],
  );
  assert.ok(found.payments[0].exceptionId, 'an exception is open');
  const { endToEndId } = paid.body;
  const given = await call(shop.url, `/v1/payments/${voided.pix_id}/cancel`, {
    token: shop.token,
    body: { endToEndId },
  });
  assert.equal(given.status, 200, given.text);
});

test('what was paid for a charge that is over and taken back before it was heard of stops nothing', async () => {
  const voided = async () => {
    const { id } = await of.enrol(await of.makePlan({ amount: 66.6 }));
    assert.equal((await of.api(`subscriptions/${id}/status`, { status: 'Canceled' })).status, 200);
    return untilRow(id, 'pix_collections', ({ state }) => state === 'voided');
  };
  const [first, second] = [await voided(), await voided()];
  await faults('GET /pix', 'unavailable', 1_000);
  const paid = await pay({ clientId: shop.customerOfBank, txid: first.txid, force: true });
  const { endToEndId } = paid.body;
  const back = await order(shop, 'taken-back', { clientId: shop.customerOfBank, endToEndId });
  assert.equal(back.status, 201, JSON.stringify(back.body));
  await pay({ clientId: shop.customerOfBank, txid: second.txid, force: true });
  await answering();
  for (const { pix_id: pixId } of [first, second])
    await until('the payment is known', async () => {
      const read = await call(shop.url, `/v1/payments/${pixId}`, { token: shop.token });
      return read.status === 200 && read.body.payments.length === 1 ? true : null;
    });
});

test('an authorization whose answer was lost is ended at the bank by its contract', async () => {
  // One that is asked for again meanwhile may take one of them.
  await faults('POST /rec', 'booksButUnavailable', 2);
  const { id, authorization } = await of.enrol(await of.makePlan(), { pixAutomatic: { journey: 2 } });
  assert.equal(authorization.status, 'Processing');
  assert.equal((await of.api(`subscriptions/${id}/status`, { status: 'Canceled' })).status, 200);
  await untilRow(id, 'pix_authorizations', ({ state }) => state === 'ended');
  const recs = await ledger(shop, 'authorizations', shop.customerOfBank);
  const contract = id.replaceAll('-', '');
  const ours = recs.filter(({ vinculo }) => (vinculo as { contrato: string }).contrato === contract);
  assert.deepEqual(
    ours.map(({ status }) => status),
    ['CANCELADA'],
  );
});

test('a bank that never answers is given up in plain words, and what it made is ended', async () => {
  await silent();
  const { id } = await of.enrol(await of.makePlan());
  await of.service.auditor.query(
    `update pix_authorizations set requested_at = requested_at - interval '4 days', expires_at = expires_at - interval '4 days',
       look_at = now() where subscription_id = $1`,
    [id],
  );
  const found = await of.untilStatus(id, 'Expired');
  assert.equal(found.statusReason, 'NotAnsweredByBank');
  assert.equal(found.authorization.status, 'Ending');
  await answering();
  await untilRow(id, 'pix_authorizations', ({ state }) => state === 'ended');
  await untilRow(id, 'pix_collections', ({ state }) => state === 'voided');
  await of.untilBilling(id, 1, 'Canceled');
});

test('a code is not shown past its time, also while its bank gives no answer', async () => {
  const { id, authorization } = await of.enrol(await of.makePlan(), { pixAutomatic: { journey: 2 } });
  assert.ok(authorization.pixEmv, JSON.stringify(authorization));
  await silent();
  await of.service.auditor.query(
    "update pix_authorizations set expires_at = now() - interval '1 second' where subscription_id = $1",
    [id],
  );
  const shown = (await of.read(id)).authorization;
  assert.deepEqual([shown.status, shown.pixEmv, shown.qrCodeUrl], ['Pending', undefined, undefined]);
});

test('a conflict, or a wrong address, is not believed: what the bank has is read, and what it has not is asked for again', async () => {
  for (const on of ['PUT /cob', 'POST /rec']) await faults(on, 'booksButConflict');
  const made = await of.enrol(await of.makePlan());
  assert.equal(made.authorization.status, 'Pending', JSON.stringify(made));
  await scriptFor(shop, shop.customerOfBank, 'POST /rec', { fault: 'notFound' }, { fault: 'conflict' });
  const later = await of.enrol(await of.makePlan(), { pixAutomatic: { journey: 2 } });
  assert.equal(later.authorization.status, 'Processing');
  await untilRow(later.id, 'pix_authorizations', ({ state }) => state === 'waiting');
});

test('an authorization that is not as it was asked for is not shown to anybody', async () => {
  await faults('GET /rec', 'wrongAmount', 1_000);
  const { id, authorization } = await of.enrol(await of.makePlan(), { pixAutomatic: { journey: 2 } });
  assert.deepEqual([authorization.status, authorization.pixEmv], ['Processing', undefined]);
  await answering();
  await untilRow(id, 'pix_authorizations', ({ state }) => state === 'waiting');
});

test('a bank that is away is passed over: others are asked, and its own looks wait without a try', async () => {
  const away = createServer((request, response) => {
    const isToken = request.url?.startsWith('/oauth/token') === true;
    const body = isToken ? { access_token: 'a', token_type: 'Bearer', expires_in: 3_600, scope: 'all' } : {};
    response.writeHead(isToken ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(away, 'listening');
  const { port } = away.address() as AddressInfo;
  const { auditor, database, folder } = of.service;
  const tokenFile = join(folder, 'itau-token');
  await writeFile(tokenFile, 'parcela:secret', { mode: 0o600 });
  const { exitCode, errors } = await runParcela(database, folder, [
    ...['provider', 'add', '--kind', 'pix', '--name', 'itau', '--url', `http://127.0.0.1:${port}/api/v2`],
    ...['--token-file', tokenFile, '--setting', 'key=pix@itau.example', '--setting', 'account=1'],
  ]);
  assert.equal(exitCode, 0, errors);
  try {
    const planId = await of.makePlan();
    const enrol = () => of.enrol(planId, { pixAutomatic: { journey: 2 } });
    const waiting = await enrol();
    const others = await Promise.all(Array.from({ length: 40 }, enrol));
    await auditor.query(
      "update pix_authorizations set bank = 'itau', look_at = now() where subscription_id = any($1::uuid[])",
      [others.map(({ id }) => id)],
    );
    await until('the bank is found to be away', async () => {
      const [row] = await auditor.query(
        "select count(*)::int as n from pix_authorizations where bank = 'itau' and unknown_reason like '%503%'",
        [],
      );
      return Number(row?.n) >= 5 ? true : null;
    });
    await of.decide({ code: waiting.authorization.pixEmv, act: 'accept' });
    await of.untilStatus(waiting.id, 'Active');
    const [row] = await auditor.query(
      "select count(*)::int as n from pix_authorizations where bank = 'itau' and tries = 0 and unknown_since is null",
      [],
    );
    assert.ok(Number(row?.n) > 0, 'all of them were asked for');
    const listed = await runParcela(database, folder, ['resolve', 'list']);
    assert.match(listed.printed, /pixAuthorization/);
  } finally {
    await auditor.query("update pix_authorizations set bank = 'default' where bank = 'itau'", []);
    away.close();
  }
});
