import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../kit/service.ts';
import { atCielo, NO, PART } from './at-cielo.ts';

/** A no to a capture or a cancel at an acquirer that knows neither by a reference. */

const { cielo, paid, ask, askedAgain, rowOf, untilRow, doAtCielo, doneAtCielo, wasCalledBack, denied } =
  atCielo();

for (const table of ['captures', 'cancels'] as const) {
  test(`${table}: a no to the only request is believed at once, and another may be asked for`, async () => {
    const paymentId = await paid(table);
    await cielo().script(NO[table]);
    assert.equal((await ask(table, paymentId)).status, 409);
    const idSql = `select ${table.slice(0, -1)}_id as id from ${table} where transaction_id = $1`;
    const [{ id } = {}] = await cielo().service.auditor.query(idSql, [paymentId]);
    const code = new RegExp(`Cielo answered ${NO[table].returnCode}`);
    assert.match(await cielo().parcela('resolve', 'show', String(id)), code);
    assert.equal(await askedAgain(table, paymentId), 200);
    assert.equal(await doneAtCielo(table, paymentId), PART);
    const unsent = `select sent_at from cancels where transaction_id = $1 and refusal_reason = 'notSent'`;
    const rows = await cielo().service.auditor.query(unsent, [paymentId]);
    assert.ok(table === 'captures' || rows.length > 0, 'some came within the pause');
    assert.ok(rows.every(({ sent_at }) => sent_at === null));
  });

  test(`${table}: a no that is heard behind the claim of another process decides nothing`, async () => {
    const paymentId = await paid(table);
    await cielo().script({ ...NO[table], delayMilliseconds: 1_000 });
    const asked = ask(table, paymentId);
    await untilRow(table, paymentId, 'sent_at');
    const claim = `update ${table} set fence = fence + 1, sent_at = now(), due_at = now() + interval '1 minute'
      where transaction_id = $1`;
    await cielo().service.auditor.query(claim, [paymentId]);
    assert.equal((await asked).status, 500);
    await doAtCielo(table, paymentId);
    await cielo().service.auditor.query(`update ${table} set due_at = now() where transaction_id = $1`, [
      paymentId,
    ]);
    await untilRow(table, paymentId, 'state', table === 'captures' ? 'captured' : 'canceled');
    assert.equal(await doneAtCielo(table, paymentId), PART);
  });

  test(`${table}: what is booked behind a no is found, and nothing else is done meanwhile`, async () => {
    const paymentId = await denied(table);
    for (const path of ['capture', 'cancel']) {
      const other = await cielo().post(paymentId, path, path === 'capture' ? { amount: PART } : {});
      assert.equal(other.status, 409, other.text);
    }
    await doAtCielo(table, paymentId);
    await untilRow(table, paymentId, 'state', table === 'captures' ? 'captured' : 'canceled');
    assert.equal(await doneAtCielo(table, paymentId), PART);
  });
}

test('a cancel that stays denied frees its amount when its silence is over, and its merchant is told', async () => {
  const paymentId = await denied('cancels');
  await untilRow('cancels', paymentId, 'state', 'refused');
  assert.equal(await doneAtCielo('cancels', paymentId), 0);
  await wasCalledBack('CANCELAMENTO_RECUSADO', paymentId);
  assert.equal(await askedAgain('cancels', paymentId), 200);
});

test('a capture that stays denied is refused, told of, and let go if its days are over meanwhile', async () => {
  const paymentId = await denied('captures');
  const sql = 'select capture_id from captures where transaction_id = $1';
  const [row] = await cielo().service.auditor.query(sql, [paymentId]);
  assert.match(await cielo().parcela('resolve', 'show', String(row?.capture_id)), /Cielo answered 308/);
  const days = 'update preauthorizations set capture_until = now() where transaction_id = $1';
  await cielo().service.auditor.query(days, [paymentId]);
  await untilRow('captures', paymentId, 'refusal_reason', 'Cielo answered 308');
  assert.equal(await doneAtCielo('captures', paymentId), 0);
  await wasCalledBack('CAPTURA_RECUSADA', paymentId);
  await until('it is let go', async () => (await cielo().read(paymentId)).statusDescription === 'Desfeita');
});

test('a no behind which nothing could be looked up is kept, and nothing is sent after it', async () => {
  const paymentId = await paid('captures');
  const look = { on: 'find' };
  const away = { ...look, fault: 'unavailable' };
  await cielo().script(look, look, NO.captures, away, away, away);
  assert.equal((await ask('captures', paymentId)).status, 500);
  // Its horizon is over, and the two look-ups are to be apart all the same.
  const long = `update captures set sent_at = now() - interval '1 minute' where transaction_id = $1`;
  await cielo().service.auditor.query(long, [paymentId]);
  await untilRow('captures', paymentId, 'state', 'refused');
  const apart = `select decided_at - denied_at >= interval '1 second' as is_apart from captures where transaction_id = $1`;
  assert.deepEqual(await cielo().service.auditor.query(apart, [paymentId]), [{ is_apart: true }]);
  assert.equal(await doneAtCielo('captures', paymentId), 0);
});

test('a no that contradicts the look-up ends by two look-ups, and is never believed at once', async () => {
  const paymentId = await paid('captures');
  await cielo().script({ on: 'capture', returnCode: '841' });
  assert.equal((await ask('captures', paymentId)).status, 500);
  await untilRow('captures', paymentId, 'state', 'refused');
  assert.equal(await doneAtCielo('captures', paymentId), 0);
});

test('a no behind which the look-up is silent keeps its code and its end, and nothing is sent after it', async () => {
  const paymentId = await paid('captures');
  const look = { on: 'find' };
  await cielo().script(look, look, { on: 'capture', returnCode: '843' }, { ...look, fault: 'unavailable' });
  assert.equal((await ask('captures', paymentId)).status, 500);
  await untilRow('captures', paymentId, 'state', 'refused');
  const { denial, refusal_reason } = (await rowOf('captures', paymentId)) ?? {};
  assert.deepEqual([denial, refusal_reason], ['Cielo answered 843', 'expired']);
  assert.equal(await doneAtCielo('captures', paymentId), 0);
});

for (const [table, returnCode, isBack] of [
  ['cancels', '40', true],
  ['captures', '842', true],
  // An earlier one would explain these.
  ['cancels', '56', false],
  ['cancels', '51', false],
  ['cancels', '17', false],
  ['captures', '308', false],
] as const)
  test(`${table}: a repetition behind the silence that is said no to by ${returnCode} ends by two looks, and is the last`, async () => {
    const { auditor } = cielo().service;
    const paymentId = await paid(table);
    const no = { on: NO[table].on, returnCode };
    await cielo().script({ ...no, fault: 'silent' }, no);
    assert.equal((await ask(table, paymentId)).status, 500);
    const long = `update ${table} set sent_at = now() - interval '1 hour', due_at = now()
      where transaction_id = $1 and unknown_reason is not null and denial is null returning 1`;
    await until('its caller is done', async () => (await auditor.query(long, [paymentId])).length > 0);
    await untilRow(table, paymentId, 'denial', `Cielo answered ${returnCode}`);
    const taken = `select sent_at < now() - interval '50 minutes' as is_back from ${table} where transaction_id = $1`;
    assert.deepEqual(await auditor.query(taken, [paymentId]), [{ is_back: isBack }]);
    await untilRow(table, paymentId, 'state', 'refused');
    const apart = `select decided_at - denied_at >= interval '1 second' as is_apart from ${table} where transaction_id = $1`;
    assert.deepEqual(await auditor.query(apart, [paymentId]), [{ is_apart: true }]);
    assert.equal(await doneAtCielo(table, paymentId), 0);
  });
