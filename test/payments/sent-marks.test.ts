import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { CAPTURE_REQUESTS } from '../../src/transactions/methods/card/captures.sql.ts';
import { until } from '../kit/service.ts';
import { atCielo, NO, PART, type Table } from './at-cielo.ts';

/** What counts as sent of a capture or cancel, and what does not. */

const { cielo, paid, ask, rowOf, untilRow, doneAtCielo } = atCielo();

test('a capture that could not be looked up was not sent: a no to its first request is believed at once', async () => {
  const paymentId = await paid('captures');
  const away = { on: 'find', fault: 'unavailable' };
  await cielo().script(away, away, NO.captures);
  assert.equal((await ask('captures', paymentId)).status, 500);
  await untilRow('captures', paymentId, 'state', 'refused');
  const fate = 'select tries, denial from captures where transaction_id = $1';
  assert.deepEqual(await cielo().service.auditor.query(fate, [paymentId]), [
    { tries: 2, denial: 'Cielo answered 308' },
  ]);
});

for (const mark of ['null', "now() - interval '1 hour'"])
  test(`a capture that an older process may have sent behind the mark ${mark} counts as sent`, async () => {
    const paymentId = await paid('captures');
    const claimed = `update captures set fence = fence + 1, sent_at = ${mark}, due_at = now() where transaction_id = $1`;
    await cielo().script({ ...NO.captures, fault: 'silent' });
    assert.equal((await ask('captures', paymentId)).status, 500);
    // One may be heard by a try that has begun before the row is changed, and loses its claim by that.
    await cielo().script(...Array.from({ length: 6 }, () => NO.captures));
    await cielo().service.auditor.query(claimed, [paymentId]);
    await untilRow('captures', paymentId, 'denial');
    const { state } = (await rowOf('captures', paymentId)) ?? {};
    assert.equal(state, 'capturing');
    const sent = `select sent_at > now() - interval '50 minutes' as is_new from captures where transaction_id = $1`;
    assert.deepEqual(await cielo().service.auditor.query(sent, [paymentId]), [{ is_new: true }]);
    await untilRow('captures', paymentId, 'state', 'refused');
    await cielo().script();
  });

test('a capture that a person held, and that was never sent, counts as never sent', async () => {
  const { auditor } = cielo().service;
  const paymentId = await paid('captures');
  const away = { on: 'find', fault: 'unavailable' };
  await cielo().script(...Array.from({ length: 40 }, () => away));
  assert.equal((await ask('captures', paymentId)).status, 500);
  const idle = `select merchant_id, capture_id from captures where transaction_id = $1 and unknown_reason is not null`;
  const [row] = await until('its caller is done', async () => {
    const rows = await auditor.query(idle, [paymentId]);
    return rows.length > 0 && rows;
  });
  const database = openDatabase(cielo().service.database.address, () => {});
  const [merchantId, captureId] = [String(row?.merchant_id), String(row?.capture_id)];
  const held = await CAPTURE_REQUESTS.hold(database, merchantId, captureId, 1);
  await database.close();
  const claimed = 'select sent_at from captures where transaction_id = $1 and fence > $2';
  const again = await until('it is claimed again', async () => {
    const rows = await auditor.query(claimed, [paymentId, held?.fence]);
    return rows.length > 0 && rows;
  });
  assert.deepEqual(again, [{ sent_at: null }]);
  await cielo().script();
  await untilRow('captures', paymentId, 'state', 'captured');
});

const FAILS = `create or replace function deny() returns trigger language plpgsql as $$ begin
    if new.sent_at is distinct from old.sent_at then raise exception 'planted'; end if; return new; end $$`;
const deny = (table: Table) =>
  `create trigger deny before update on ${table} for each row execute function deny()`;

test('a database that cannot mark a capture as sent says so, and nothing is sent before it can', async () => {
  const { auditor } = cielo().service;
  const paymentId = await paid('captures');
  await cielo().script(...Array.from({ length: 6 }, () => ({ on: 'capture', fault: 'unavailable' })));
  assert.equal((await ask('captures', paymentId)).status, 500);
  await auditor.query(FAILS);
  await auditor.query(deny('captures'));
  const said = `select 1 from captures where transaction_id = $1 and unknown_reason ~ 'could not be marked as sent: .*planted'`;
  await until('it is said', async () => (await auditor.query(said, [paymentId])).length > 0);
  assert.equal(await doneAtCielo('captures', paymentId), 0);
  await cielo().script();
  await auditor.query('drop trigger deny on captures');
  await untilRow('captures', paymentId, 'state', 'captured');
});

test('a cancel that could not be marked as sent was not asked for: it is no try, and no silence of Cielo', async () => {
  const { auditor } = cielo().service;
  const paymentId = await paid('cancels');
  await cielo().script({ ...NO.cancels, fault: 'silent' });
  assert.equal((await ask('cancels', paymentId)).status, 500);
  await untilRow('cancels', paymentId, 'unknown_reason');
  await auditor.query(FAILS);
  await auditor.query(deny('cancels'));
  const said = `select fence, tries from cancels where transaction_id = $1 and unknown_reason ~ 'could not be marked as sent: .*planted'
    and fence >= $2 and due_at > now()`;
  const from = (fence: number) =>
    until('it is said', async () => (await auditor.query(said, [paymentId, fence]))[0]);
  const first = await from(0);
  // A try is counted while it lasts.
  const later = await from(Number(first.fence) + 3);
  assert.ok(Number(later.tries) <= Number(first.tries) + 1, `${first.tries} and ${later.tries} tries`);
  await auditor.query('drop trigger deny on cancels');
  await untilRow('cancels', paymentId, 'state', 'canceled');
  assert.equal(await doneAtCielo('cancels', paymentId), PART);
});
