import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { shortReference } from '../../src/providers/acquirers/short-reference.ts';
import { CAPTURE_REQUESTS } from '../../src/transactions/methods/card/captures.sql.ts';
import { type Listener, startListener } from '../kit/listener.ts';
import { until } from '../kit/service.ts';
import {
  type AcquirerService,
  ESTABLISHMENT,
  idOf,
  KEY,
  openAcquirerService,
} from '../providers/acquirer-service.ts';

/** A no to a capture or a cancel at an acquirer that knows neither by a reference. */

const AMOUNT = 12_320;
const PART = 2_320;
const HELD = { transactionType: 'credit', productType: 'avista', installments: 1, captureType: 'pa' };
const AT_CIELO = { merchantid: ESTABLISHMENT, merchantkey: KEY };
const NO = {
  captures: { on: 'capture', returnCode: '308' },
  cancels: { on: 'refund', returnCode: '40' },
} as const;
type Table = keyof typeof NO;

let cielo: AcquirerService;
let listener: Listener;

before(async () => {
  const settings = ['horizonSeconds=4', 'silenceSeconds=4', 'apartSeconds=1'];
  const simulator = ['--last-digit', '0', '--replica-lag-milliseconds', '0'];
  cielo = await openAcquirerService('cielo', { settings, simulator });
  listener = await startListener();
  await cielo.waitForNoon();
});
after(async () => {
  await cielo?.close();
  await listener?.close();
});

async function paid(table: Table): Promise<string> {
  const held = table === 'captures' ? { payment: { ...HELD, amount: AMOUNT } } : {};
  return idOf(await cielo.pay(AMOUNT, { ...held, urlCallBack: `${listener.url}/${randomUUID()}` }));
}

const ask = (table: Table, paymentId: string) =>
  cielo.post(paymentId, table === 'captures' ? 'capture' : 'cancel', { amount: PART });

/** Cielo takes the next void of a sale after a pause. */
async function askedAgain(table: Table, paymentId: string): Promise<number> {
  return until('it may be sent', async () => {
    const { status } = await ask(table, paymentId);
    return status !== 503 && status;
  });
}

/** The newest. */
async function rowOf(table: Table, paymentId: string) {
  const sql = `select state, denial, sent_at, denied_at, ends_at, refusal_reason, unknown_reason from ${table} where transaction_id = $1
    order by created_at desc limit 1`;
  return (await cielo.service.auditor.query(sql, [paymentId]))[0];
}

function untilRow(table: Table, paymentId: string, column: string, value?: string) {
  return until(`${column} is ${value ?? 'set'}`, async () => {
    const found = (await rowOf(table, paymentId))?.[column] ?? null;
    return value === undefined ? found !== null : found === value;
  });
}

/** Behind the service's back, as a lost request that arrives late. */
async function doAtCielo(table: Table, paymentId: string, amount = PART): Promise<void> {
  const order = `merchantOrderId=${shortReference(paymentId)}`;
  const listed = await fetch(`${cielo.url}/1/sales?${order}`, { headers: AT_CIELO });
  const [{ PaymentId }] = ((await listed.json()) as { Payments: [{ PaymentId: string }] }).Payments;
  const path = `/1/sales/${PaymentId}/${table === 'captures' ? 'capture' : 'void'}?amount=${amount}`;
  assert.equal((await fetch(cielo.url + path, { method: 'PUT', headers: AT_CIELO })).status, 200);
}

async function doneAtCielo(table: Table, paymentId: string): Promise<number> {
  const [sale] = await cielo.booked(paymentId);
  return table === 'captures' ? sale?.capturedAmount : sale?.refundedAmount;
}

const wasCalledBack = (status: string, paymentId: string) =>
  until(`${status} comes`, async () =>
    listener.received
      .map(({ body }) => JSON.parse(body) as { Status: string; paymentId: string })
      .some((body) => body.Status === status && body.paymentId === paymentId),
  );

/** The first request is lost, and not booked; the second is said no to. */
async function denied(table: Table): Promise<string> {
  const paymentId = await paid(table);
  await cielo.script({ ...NO[table], fault: 'silent' }, NO[table]);
  assert.equal((await ask(table, paymentId)).status, 500);
  await untilRow(table, paymentId, 'denial');
  return paymentId;
}

for (const table of ['captures', 'cancels'] as const) {
  test(`${table}: a no to the only request is believed at once, and another may be asked for`, async () => {
    const paymentId = await paid(table);
    await cielo.script(NO[table]);
    assert.equal((await ask(table, paymentId)).status, 409);
    const idSql = `select ${table.slice(0, -1)}_id as id from ${table} where transaction_id = $1`;
    const [{ id } = {}] = await cielo.service.auditor.query(idSql, [paymentId]);
    const code = new RegExp(`Cielo answered ${NO[table].returnCode}`);
    assert.match(await cielo.parcela('resolve', 'show', String(id)), code);
    assert.equal(await askedAgain(table, paymentId), 200);
    assert.equal(await doneAtCielo(table, paymentId), PART);
    const unsent = `select sent_at from cancels where transaction_id = $1 and refusal_reason = 'notSent'`;
    const rows = await cielo.service.auditor.query(unsent, [paymentId]);
    assert.ok(table === 'captures' || rows.length > 0, 'some came within the pause');
    assert.ok(rows.every(({ sent_at }) => sent_at === null));
  });

  test(`${table}: a no that is heard behind the claim of another process decides nothing`, async () => {
    const paymentId = await paid(table);
    await cielo.script({ ...NO[table], delayMilliseconds: 1_000 });
    const asked = ask(table, paymentId);
    await untilRow(table, paymentId, 'sent_at');
    const claim = `update ${table} set fence = fence + 1, sent_at = now(), due_at = now() + interval '1 minute'
      where transaction_id = $1`;
    await cielo.service.auditor.query(claim, [paymentId]);
    assert.equal((await asked).status, 500);
    await doAtCielo(table, paymentId);
    await cielo.service.auditor.query(`update ${table} set due_at = now() where transaction_id = $1`, [
      paymentId,
    ]);
    await untilRow(table, paymentId, 'state', table === 'captures' ? 'captured' : 'canceled');
    assert.equal(await doneAtCielo(table, paymentId), PART);
  });

  test(`${table}: what is booked behind a no is found, and nothing else is done meanwhile`, async () => {
    const paymentId = await denied(table);
    for (const path of ['capture', 'cancel']) {
      const other = await cielo.post(paymentId, path, path === 'capture' ? { amount: PART } : {});
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
  const [row] = await cielo.service.auditor.query(sql, [paymentId]);
  assert.match(await cielo.parcela('resolve', 'show', String(row?.capture_id)), /Cielo answered 308/);
  const days = 'update preauthorizations set capture_until = now() where transaction_id = $1';
  await cielo.service.auditor.query(days, [paymentId]);
  await untilRow('captures', paymentId, 'refusal_reason', 'Cielo answered 308');
  assert.equal(await doneAtCielo('captures', paymentId), 0);
  await wasCalledBack('CAPTURA_RECUSADA', paymentId);
  await until('it is let go', async () => (await cielo.read(paymentId)).statusDescription === 'Desfeita');
});

test('a no behind which nothing could be looked up is kept, and nothing is sent after it', async () => {
  const paymentId = await paid('captures');
  const look = { on: 'find' };
  const away = { ...look, fault: 'unavailable' };
  await cielo.script(look, look, NO.captures, away, away, away);
  assert.equal((await ask('captures', paymentId)).status, 500);
  // Its horizon is over, and the two look-ups are to be apart all the same.
  const long = `update captures set sent_at = now() - interval '1 minute' where transaction_id = $1`;
  await cielo.service.auditor.query(long, [paymentId]);
  await untilRow('captures', paymentId, 'state', 'refused');
  const apart = `select decided_at - denied_at >= interval '1 second' as is_apart from captures where transaction_id = $1`;
  assert.deepEqual(await cielo.service.auditor.query(apart, [paymentId]), [{ is_apart: true }]);
  assert.equal(await doneAtCielo('captures', paymentId), 0);
});

test('a no that contradicts the look-up ends by two look-ups, and is never believed at once', async () => {
  const paymentId = await paid('captures');
  await cielo.script({ on: 'capture', returnCode: '841' });
  assert.equal((await ask('captures', paymentId)).status, 500);
  await untilRow('captures', paymentId, 'state', 'refused');
  assert.equal(await doneAtCielo('captures', paymentId), 0);
});

test('a no behind which the look-up is silent keeps its code and its end, and nothing is sent after it', async () => {
  const paymentId = await paid('captures');
  const look = { on: 'find' };
  await cielo.script(look, look, { on: 'capture', returnCode: '843' }, { ...look, fault: 'unavailable' });
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
    const { auditor } = cielo.service;
    const paymentId = await paid(table);
    const no = { on: NO[table].on, returnCode };
    await cielo.script({ ...no, fault: 'silent' }, no);
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

test('a look-up that was behind for a while ends no silence', async () => {
  const { auditor } = cielo.service;
  const paymentId = await paid('cancels');
  assert.equal((await ask('cancels', paymentId)).status, 200);
  const [done] = await auditor.query('select cancel_id from cancels where transaction_id = $1', [paymentId]);
  // On record here, and not shown there.
  const more = (cents: number) =>
    auditor.query('update cancels set amount = amount + $2 where cancel_id = $1', [done?.cancel_id, cents]);
  await cielo.script({ ...NO.cancels, fault: 'silent' });
  assert.equal(await askedAgain('cancels', paymentId), 500);
  await more(1);
  // Longer than the silence of the test.
  const long = `update cancels set sent_at = now() + interval '1 hour', ends_at = null, due_at = now()
    where transaction_id = $1 and cancel_id <> $2 and unknown_reason is not null and state = 'canceling' returning 1`;
  await until(
    'its caller is done',
    async () => (await auditor.query(long, [paymentId, done?.cancel_id])).length > 0,
  );
  await untilRow('cancels', paymentId, 'unknown_reason', 'the acquirer shows less than it gave back');
  await more(-1);
  await untilRow('cancels', paymentId, 'unknown_reason', 'the acquirer may still book it');
  const isQuiet = `select ends_at > now() + interval '50 minutes' as is_quiet from cancels
    where transaction_id = $1 and state = 'canceling'`;
  assert.deepEqual(await auditor.query(isQuiet, [paymentId]), [{ is_quiet: true }]);
  const over = `update cancels set sent_at = now(), due_at = now() where transaction_id = $1 and state = 'canceling'`;
  await auditor.query(over, [paymentId]);
  await cielo.script();
});

test('a void of a hold that Cielo says nothing clear to comes ever more rarely, and is told of', async () => {
  const { auditor, log } = cielo.service;
  const paymentId = await paid('captures');
  await cielo.script(...Array.from({ length: 12 }, () => ({ on: 'refund', returnCode: '999' })));
  assert.equal((await cielo.post(paymentId, 'cancel')).status, 500);
  const tried = `update transactions set resolve_tries = 9, due_at = now()
    where transaction_id = $1 and unknown_reason = 'Cielo answered 999' returning 1`;
  await until('it is said', async () => (await auditor.query(tried, [paymentId])).length > 0);
  const rests = `select 1 from transactions where transaction_id = $1 and due_at > now() + interval '4 minutes'`;
  await until('it rests', async () => (await auditor.query(rests, [paymentId])).length > 0);
  await until('it is told of', async () =>
    log.some((line) => line.includes(paymentId) && line.includes('Cielo answered 999')),
  );
  await cielo.script();
  await auditor.query('update transactions set due_at = now() where transaction_id = $1', [paymentId]);
  await until('it is let go', async () => (await cielo.read(paymentId)).statusDescription === 'Desfeita');
});

test('no balance says nothing of an accepted void that was not heard, which is waited for again', async () => {
  const { auditor } = cielo.service;
  const paymentId = await paid('cancels');
  const pending = { afterMilliseconds: 60_000, fails: false };
  await cielo.script({ on: 'refund', pending, fault: 'booksButSilent' }, { on: 'refund', returnCode: '56' });
  assert.equal((await ask('cancels', paymentId)).status, 500);
  const long = `update cancels set sent_at = now() - interval '1 hour', ends_at = now() - interval '1 hour', due_at = now()
    where transaction_id = $1 and unknown_reason is not null and denial is null returning 1`;
  await until('its caller is done', async () => (await auditor.query(long, [paymentId])).length > 0);
  // Longer than the silence of the test, which the clock of Cielo is not to race with.
  const longer = `update cancels set sent_at = sent_at + interval '1 minute'
    where transaction_id = $1 and denial is not null and state = 'canceling' returning 1`;
  await until('it is said no to', async () => (await auditor.query(longer, [paymentId])).length > 0);
  const isQuiet = 'select ends_at > now() as is_quiet from cancels where transaction_id = $1';
  await until('its new end is set', async () => (await auditor.query(isQuiet, [paymentId]))[0]?.is_quiet);
  await cielo.desk('clock', { forwardMilliseconds: 60_000 });
  await auditor.query('update cancels set due_at = now() where transaction_id = $1', [paymentId]);
  await untilRow('cancels', paymentId, 'state', 'canceled');
  assert.equal(await doneAtCielo('cancels', paymentId), PART);
});

test('the end of a first silence stands: what is sent behind it puts it off no more', async () => {
  const { auditor } = cielo.service;
  const paymentId = await paid('cancels');
  const lost = { ...NO.cancels, fault: 'silent' };
  await cielo.script(lost, lost);
  assert.equal((await ask('cancels', paymentId)).status, 500);
  await untilRow('cancels', paymentId, 'ends_at');
  const { ends_at: end, sent_at: first } = (await rowOf('cancels', paymentId)) ?? {};
  const again = `update cancels set sent_at = now(), due_at = now()
    where transaction_id = $1 and sent_at > $2 and unknown_reason !~ 'may still book' returning ends_at`;
  const [lostAgain] = await until('it is sent again, and lost', async () => {
    const rows = await auditor.query(again, [paymentId, first]);
    return rows.length > 0 && rows;
  });
  // A look in between may bring it forward by some milliseconds.
  assert.ok(Number(lostAgain?.ends_at) <= Number(end), String(lostAgain?.ends_at));
  await until('it waits again', async () =>
    /may still book/.test(String((await rowOf('cancels', paymentId))?.unknown_reason)),
  );
  assert.ok(Number((await rowOf('cancels', paymentId))?.ends_at) <= Number(end));
  await cielo.script();
});

for (const [what, find, tid, rests] of [
  ['heard in vain', {}, 'another', true],
  ['silent', { fault: 'unavailable' }, null, false],
] as const)
  test(`a cancel that was never sent, whose look-up is ${what}, is a try, comes ever more rarely, and is told of`, async () => {
    const { auditor, log } = cielo.service;
    const paymentId = await paid('cancels');
    await cielo.script({ ...NO.cancels, fault: 'silent' });
    assert.equal((await ask('cancels', paymentId)).status, 500);
    await cielo.script(...Array.from({ length: 12 }, () => ({ on: 'find', ...find })));
    const [before] = await auditor.query('select tid from transactions where transaction_id = $1', [
      paymentId,
    ]);
    const known = 'update transactions set tid = coalesce($2, tid) where transaction_id = $1';
    await auditor.query(known, [paymentId, tid]);
    const unsent = `update cancels set sent_at = null, tries = 9, fence = fence + 1, due_at = now() where transaction_id = $1 returning cancel_id`;
    const [row] = await auditor.query(unsent, [paymentId]);
    const tried = `select due_at - now() as pause from cancels where transaction_id = $1 and tries >= 10
      and sent_at is null and due_at > now() + interval '${rests ? '4 minutes' : '9 seconds'}' and unknown_reason is not null`;
    await until('it rests', async () => (await auditor.query(tried, [paymentId])).length > 0);
    await until('it is told of', async () => log.some((line) => line.includes(String(row?.cancel_id))));
    // Sent after all, and lost: it will have the end of its own silence.
    await cielo.script({ ...NO.cancels, fault: 'silent' });
    const mended = `update transactions t set tid = s.tid from (select $2::text as tid) s where transaction_id = $1`;
    await auditor.query(mended, [paymentId, before?.tid]);
    await auditor.query('update cancels set due_at = now() where transaction_id = $1', [paymentId]);
    const ends = `select ends_at from cancels where transaction_id = $1 and sent_at is not null`;
    const sent = await until('it is sent', async () => {
      const rows = await auditor.query(ends, [paymentId]);
      return rows.length > 0 && rows;
    });
    assert.deepEqual(sent, [{ ends_at: null }]);
    await cielo.script();
  });

test('what Cielo gave back that fits no cancel is for a person: it is looked for ever more rarely, and told of', async () => {
  const { auditor, log } = cielo.service;
  const paymentId = await paid('cancels');
  await cielo.script({ ...NO.cancels, fault: 'silent' });
  assert.equal((await ask('cancels', paymentId)).status, 500);
  await doAtCielo('cancels', paymentId, PART - 1);
  const tried = `update cancels set tries = 9, due_at = now()
    where transaction_id = $1 and unknown_reason ~ 'fits no cancel on record' returning cancel_id`;
  const [row] = await until('it is said', async () => {
    const rows = await auditor.query(tried, [paymentId]);
    return rows.length > 0 && rows;
  });
  const id = String(row?.cancel_id);
  const rests = `select 1 from cancels where transaction_id = $1 and due_at > now() + interval '4 minutes' and ends_at <= now()`;
  await until('it rests', async () => (await auditor.query(rests, [paymentId])).length > 0);
  await until('it is told of', async () =>
    log.some((line) => line.includes('fits no cancel') && line.includes(id)),
  );
  assert.ok((await cielo.parcela('resolve', 'list')).includes(id));
  await cielo.parcela('resolve', 'decide', id, '--as', 'refused', '--reason', 'the desk');
  await untilRow('cancels', paymentId, 'state', 'refused');
});

test('a capture that could not be looked up was not sent: a no to its first request is believed at once', async () => {
  const paymentId = await paid('captures');
  const away = { on: 'find', fault: 'unavailable' };
  await cielo.script(away, away, NO.captures);
  assert.equal((await ask('captures', paymentId)).status, 500);
  await untilRow('captures', paymentId, 'state', 'refused');
  const fate = 'select tries, denial from captures where transaction_id = $1';
  assert.deepEqual(await cielo.service.auditor.query(fate, [paymentId]), [
    { tries: 2, denial: 'Cielo answered 308' },
  ]);
});

for (const mark of ['null', "now() - interval '1 hour'"])
  test(`a capture that an older process may have sent behind the mark ${mark} counts as sent`, async () => {
    const paymentId = await paid('captures');
    const claimed = `update captures set fence = fence + 1, sent_at = ${mark}, due_at = now() where transaction_id = $1`;
    await cielo.script({ ...NO.captures, fault: 'silent' });
    assert.equal((await ask('captures', paymentId)).status, 500);
    // One may be heard by a try that has begun before the row is changed, and loses its claim by that.
    await cielo.script(...Array.from({ length: 6 }, () => NO.captures));
    await cielo.service.auditor.query(claimed, [paymentId]);
    await untilRow('captures', paymentId, 'denial');
    const { state } = (await rowOf('captures', paymentId)) ?? {};
    assert.equal(state, 'capturing');
    const sent = `select sent_at > now() - interval '50 minutes' as is_new from captures where transaction_id = $1`;
    assert.deepEqual(await cielo.service.auditor.query(sent, [paymentId]), [{ is_new: true }]);
    await untilRow('captures', paymentId, 'state', 'refused');
    await cielo.script();
  });

test('a capture that a person held, and that was never sent, counts as never sent', async () => {
  const { auditor } = cielo.service;
  const paymentId = await paid('captures');
  const away = { on: 'find', fault: 'unavailable' };
  await cielo.script(...Array.from({ length: 40 }, () => away));
  assert.equal((await ask('captures', paymentId)).status, 500);
  const idle = `select merchant_id, capture_id from captures where transaction_id = $1 and unknown_reason is not null`;
  const [row] = await until('its caller is done', async () => {
    const rows = await auditor.query(idle, [paymentId]);
    return rows.length > 0 && rows;
  });
  const database = openDatabase(cielo.service.database.address, () => {});
  const [merchantId, captureId] = [String(row?.merchant_id), String(row?.capture_id)];
  const held = await CAPTURE_REQUESTS.hold(database, merchantId, captureId, 1);
  await database.close();
  const claimed = 'select sent_at from captures where transaction_id = $1 and fence > $2';
  const again = await until('it is claimed again', async () => {
    const rows = await auditor.query(claimed, [paymentId, held?.fence]);
    return rows.length > 0 && rows;
  });
  assert.deepEqual(again, [{ sent_at: null }]);
  await cielo.script();
  await untilRow('captures', paymentId, 'state', 'captured');
});

const FAILS = `create or replace function deny() returns trigger language plpgsql as $$ begin
    if new.sent_at is distinct from old.sent_at then raise exception 'planted'; end if; return new; end $$`;
const deny = (table: Table) =>
  `create trigger deny before update on ${table} for each row execute function deny()`;

test('a database that cannot mark a capture as sent says so, and nothing is sent before it can', async () => {
  const { auditor } = cielo.service;
  const paymentId = await paid('captures');
  await cielo.script(...Array.from({ length: 6 }, () => ({ on: 'capture', fault: 'unavailable' })));
  assert.equal((await ask('captures', paymentId)).status, 500);
  await auditor.query(FAILS);
  await auditor.query(deny('captures'));
  const said = `select 1 from captures where transaction_id = $1 and unknown_reason ~ 'could not be marked as sent: .*planted'`;
  await until('it is said', async () => (await auditor.query(said, [paymentId])).length > 0);
  assert.equal(await doneAtCielo('captures', paymentId), 0);
  await cielo.script();
  await auditor.query('drop trigger deny on captures');
  await untilRow('captures', paymentId, 'state', 'captured');
});

test('a cancel that could not be marked as sent was not asked for: it is no try, and no silence of Cielo', async () => {
  const { auditor } = cielo.service;
  const paymentId = await paid('cancels');
  await cielo.script({ ...NO.cancels, fault: 'silent' });
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
