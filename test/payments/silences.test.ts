import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../kit/service.ts';
import { AMOUNT, atCielo, NO, PART } from './at-cielo.ts';

/** What is waited for behind a capture, cancel or void without an answer, and who is told of it. */

const { cielo, paid, ask, rowOf, untilRow, doAtCielo, doneAtCielo } = atCielo();

test('a void of a hold that Cielo says nothing clear to comes ever more rarely, and is told of', async () => {
  const { auditor, log } = cielo().service;
  const paymentId = await paid('captures');
  await cielo().script(...Array.from({ length: 12 }, () => ({ on: 'refund', returnCode: '999' })));
  assert.equal((await cielo().post(paymentId, 'cancel')).status, 500);
  // Behind the pause between two voids of a sale.
  const tried = `update transactions set resolve_tries = 9, due_at = now() + interval '6 seconds', unknown_reason = $2
    where transaction_id = $1 and unknown_reason = 'Cielo answered 999' returning 1`;
  const isSaid = async (since: string) => (await auditor.query(tried, [paymentId, since])).length > 0;
  // Behind an outage that took many tries it is asked soon, once.
  await until('it is said', () => isSaid('no connection'));
  const soon = `select 1 from transactions where transaction_id = $1 and unknown_reason = 'Cielo answered 999'
    and resolve_tries >= 10 and due_at < now() + interval '31 seconds'`;
  await until('it comes soon', async () => (await auditor.query(soon, [paymentId])).length > 0);
  await until('it is said', () => isSaid('Cielo answered 999'));
  const rests = `select 1 from transactions where transaction_id = $1 and due_at > now() + interval '4 minutes'`;
  await until('it rests', async () => (await auditor.query(rests, [paymentId])).length > 0);
  await until('it is told of', async () =>
    log.some((line) => line.includes(paymentId) && line.includes('Cielo answered 999')),
  );
  await cielo().script();
  await auditor.query('update transactions set due_at = now() where transaction_id = $1', [paymentId]);
  await until('it is let go', async () => (await cielo().read(paymentId)).statusDescription === 'Desfeita');
});

test('a void that Cielo accepts and does later is waited for quietly, and somebody is told of it behind some days', async () => {
  const { auditor, log, metricsUrl } = cielo().service;
  const accepted = 'the acquirer accepted the void, and has not done it yet';
  const later = { on: 'refund', pending: { afterMilliseconds: 600_000, fails: false } };
  // The repetition is answered as Cielo does where another void waits.
  await cielo().script({ on: 'capture', fault: 'booksButSilent' }, later, { on: 'refund', returnCode: '42' });
  const { status, order } = await cielo().pay(AMOUNT);
  assert.equal(status, 500);
  const { transaction_id: id } = await cielo().transaction(order);
  const isOld = async () => {
    const metrics = await (await fetch(metricsUrl)).text();
    const age = /^parcela_unresolved_oldest_age_seconds\{kind="charge",provider="cielo"\} (\d+)/m.exec(
      metrics,
    );
    return Number(age?.[1]) > 0;
  };
  const isTold = () => log.some((line) => line.includes(String(id)) && line.includes(accepted));
  const postponed = (since: string, behind = 'true') =>
    until('it waits', async () => {
      // Behind the pause between two voids of a sale.
      const sql = `update transactions set resolve_tries = 9, due_at = now() + interval '6 seconds',
        unresolved_since = now() - interval '${since}'
        where transaction_id = $1 and unknown_reason = $2 and ${behind} returning 1`;
      return (await auditor.query(sql, [id, accepted])).length > 0;
    });
  const rests = "resolve_tries >= 10 and due_at > now() + interval '4 minutes'";
  await postponed('1 hour');
  await postponed('1 hour', rests);
  await until('it is said again', async () => {
    const sql = `select 1 from transactions where transaction_id = $1 and ${rests}`;
    return (await auditor.query(sql, [id])).length > 0;
  });
  assert.deepEqual([await isOld(), isTold()], [false, false]);
  await postponed('5 days', rests);
  await until('it is told of', async () => isTold() && (await isOld()));
  await cielo().desk('clock', { forwardMilliseconds: 600_000 });
  await until('it is voided', async () => {
    const soon = 'update transactions set due_at = now() where transaction_id = $1';
    await auditor.query(`${soon} and due_at > now() + interval '30 seconds'`, [id]);
    return (await cielo().transaction(order)).state === 'voided';
  });
  const [sale] = await cielo().booked(String(id));
  assert.deepEqual([sale?.state, sale?.refunds.length], ['refunded', 1]);
});

test('one capture that is answered by errors alone, and looked up all the while, is no outage of Cielo', async () => {
  const { auditor, metricsUrl } = cielo().service;
  const paymentId = await paid('captures');
  const broken = { on: 'capture', fault: 'unavailable' };
  await cielo().script(...Array.from({ length: 12 }, () => broken));
  assert.equal((await ask('captures', paymentId)).status, 500);
  // Of a lease more would be left.
  const sooner = `update captures set due_at = now()
    where transaction_id = $1 and due_at between now() and now() + interval '16 seconds'`;
  const tried = 'select 1 from captures where transaction_id = $1 and tries >= 6';
  await until('it was tried often', async () => {
    await auditor.query(sooner, [paymentId]);
    return (await auditor.query(tried, [paymentId])).length > 0;
  });
  const metrics = await (await fetch(metricsUrl)).text();
  assert.doesNotMatch(metrics, /^parcela_acquirer_away\{[^}]*"cielo"[^}]*\} 1$/m);
  await cielo().script();
  await auditor.query('update captures set due_at = now() where transaction_id = $1', [paymentId]);
  await untilRow('captures', paymentId, 'state', 'captured');
  assert.equal(await doneAtCielo('captures', paymentId), PART);
});

test('no balance says nothing of an accepted void that was not heard, which is waited for again', async () => {
  const { auditor } = cielo().service;
  const paymentId = await paid('cancels');
  const pending = { afterMilliseconds: 60_000, fails: false };
  await cielo().script(
    { on: 'refund', pending, fault: 'booksButSilent' },
    { on: 'refund', returnCode: '56' },
  );
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
  await cielo().desk('clock', { forwardMilliseconds: 60_000 });
  await auditor.query('update cancels set due_at = now() where transaction_id = $1', [paymentId]);
  await untilRow('cancels', paymentId, 'state', 'canceled');
  assert.equal(await doneAtCielo('cancels', paymentId), PART);
});

test('the end of a first silence stands: what is sent behind it puts it off no more', async () => {
  const { auditor } = cielo().service;
  const paymentId = await paid('cancels');
  const lost = { ...NO.cancels, fault: 'silent' };
  await cielo().script(lost, lost);
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
  await cielo().script();
  await untilRow('cancels', paymentId, 'state', 'canceled');
});

for (const [what, find, tid, rests] of [
  ['heard in vain', {}, 'another', true],
  ['silent', { fault: 'unavailable' }, null, false],
] as const)
  test(`a cancel that was never sent, whose look-up is ${what}, is a try, comes ever more rarely, and is told of`, async () => {
    const { auditor, log } = cielo().service;
    const paymentId = await paid('cancels');
    await cielo().script({ ...NO.cancels, fault: 'silent' });
    assert.equal((await ask('cancels', paymentId)).status, 500);
    await cielo().script(...Array.from({ length: 12 }, () => ({ on: 'find', ...find })));
    const [before] = await auditor.query('select tid from transactions where transaction_id = $1', [
      paymentId,
    ]);
    const known = 'update transactions set tid = coalesce($2, tid) where transaction_id = $1';
    await auditor.query(known, [paymentId, tid]);
    const unsent = `update cancels set sent_at = null, tries = 9, fence = fence + 1, due_at = now(),
      unknown_reason = coalesce($2, unknown_reason) where transaction_id = $1 returning cancel_id`;
    const said = rests ? 'Cielo does not know the charge' : null;
    const [row] = await auditor.query(unsent, [paymentId, said]);
    const tried = `select due_at - now() as pause from cancels where transaction_id = $1 and tries >= 10
      and sent_at is null and due_at > now() + interval '${rests ? '4 minutes' : '9 seconds'}' and unknown_reason is not null`;
    await until('it rests', async () => (await auditor.query(tried, [paymentId])).length > 0);
    await until('it is told of', async () => log.some((line) => line.includes(String(row?.cancel_id))));
    // Sent after all, and lost: it will have the end of its own silence.
    await cielo().script({ ...NO.cancels, fault: 'silent' });
    const mended = `update transactions t set tid = s.tid from (select $2::text as tid) s where transaction_id = $1`;
    await auditor.query(mended, [paymentId, before?.tid]);
    await auditor.query('update cancels set due_at = now() where transaction_id = $1', [paymentId]);
    const ends = `select ends_at from cancels where transaction_id = $1 and sent_at is not null`;
    const sent = await until('it is sent', async () => {
      const rows = await auditor.query(ends, [paymentId]);
      return rows.length > 0 && rows;
    });
    assert.deepEqual(sent, [{ ends_at: null }]);
    await cielo().script();
    await untilRow('cancels', paymentId, 'state', 'canceled');
  });

test('what Cielo gave back that fits no cancel is for a person: it is looked for ever more rarely, and told of', async () => {
  const { auditor, log } = cielo().service;
  const paymentId = await paid('cancels');
  await cielo().script({ ...NO.cancels, fault: 'silent' });
  assert.equal((await ask('cancels', paymentId)).status, 500);
  await doAtCielo('cancels', paymentId, PART - 1);
  const tried = `update cancels set tries = 9, due_at = now()
    where transaction_id = $1 and unknown_reason ~ 'fits no cancel on record' returning cancel_id`;
  const [row] = await until('it is said', async () => {
    const rows = await auditor.query(tried, [paymentId]);
    return rows.length > 0 && rows;
  });
  const id = String(row?.cancel_id);
  const rests = `select 1 from cancels where transaction_id = $1 and due_at > now() + interval '4 minutes' and ends_at is null`;
  await until('it rests', async () => (await auditor.query(rests, [paymentId])).length > 0);
  await until('it is told of', async () =>
    log.some((line) => line.includes('fits no cancel') && line.includes(id)),
  );
  assert.ok((await cielo().parcela('resolve', 'list')).includes(id));
  await cielo().parcela('resolve', 'decide', id, '--as', 'refused', '--reason', 'the desk');
  await untilRow('cancels', paymentId, 'state', 'refused');
});
