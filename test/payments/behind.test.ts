import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../kit/service.ts';
import { atCielo, NO } from './at-cielo.ts';

/** A look-up that is behind, in a silence that is longer than that. */

const { cielo, paid, ask, askedAgain, untilRow } = atCielo({ silenceSeconds: 3_600 });

test('a look-up that was behind for a while ends no silence', async () => {
  const { auditor } = cielo().service;
  const paymentId = await paid('cancels');
  assert.equal((await ask('cancels', paymentId)).status, 200);
  const [done] = await auditor.query('select cancel_id from cancels where transaction_id = $1', [paymentId]);
  // On record here, and not shown there.
  const more = (cents: number) =>
    auditor.query('update cancels set amount = amount + $2 where cancel_id = $1', [done?.cancel_id, cents]);
  await cielo().script({ ...NO.cancels, fault: 'silent' });
  assert.equal(await askedAgain('cancels', paymentId), 500);
  await more(1);
  // Longer than a look-up may be behind.
  const long = `update cancels set sent_at = now() - interval '11 minutes', ends_at = null, due_at = now(), fence = fence + 1
    where transaction_id = $1 and cancel_id <> $2 and unknown_reason is not null and state = 'canceling' returning 1`;
  await until(
    'its caller is done',
    async () => (await auditor.query(long, [paymentId, done?.cancel_id])).length > 0,
  );
  // Said twice, what is for a person has no end to wait for.
  const behind = `select fence from cancels where transaction_id = $1 and fence >= $2 and due_at > now()
    and unknown_reason = 'the acquirer shows less than it gave back'`;
  const saidSince = (fence: number) =>
    until('it is said', async () => (await auditor.query(behind, [paymentId, fence]))[0]);
  await saidSince(Number((await saidSince(0)).fence) + 2);
  const isOld =
    "select ends_at is null as is_old from cancels where transaction_id = $1 and cancel_id <> $2 and state = 'canceling'";
  assert.deepEqual(await auditor.query(isOld, [paymentId, done?.cancel_id]), [{ is_old: true }]);
  await more(-1);
  await untilRow('cancels', paymentId, 'unknown_reason', 'the acquirer may still book it');
  const isQuiet = `select ends_at > now() + interval '40 minutes' as is_quiet from cancels
    where transaction_id = $1 and state = 'canceling'`;
  assert.deepEqual(await auditor.query(isQuiet, [paymentId]), [{ is_quiet: true }]);
  const over = `update cancels set sent_at = now() - interval '2 hours', due_at = now() where transaction_id = $1 and state = 'canceling'`;
  await auditor.query(over, [paymentId]);
  await cielo().script();
  await untilRow('cancels', paymentId, 'state', 'canceled');
});

test('a look-up that is of no use twice lets a silence be told of, and one that is clear makes it quiet again', async () => {
  const { auditor } = cielo().service;
  const paymentId = await paid('cancels');
  await cielo().script({ ...NO.cancels, fault: 'silent' });
  assert.equal((await ask('cancels', paymentId)).status, 500);
  await untilRow('cancels', paymentId, 'ends_at');
  await cielo().script(...Array.from({ length: 9 }, () => ({ on: 'find', fault: 'unauthorized' })));
  const soon =
    'update cancels set due_at = now(), fence = fence + 1 where transaction_id = $1 and due_at > now()';
  const rows =
    'select 1 from cancels where transaction_id = $1 and ends_at is null and unknown_reason is not null';
  const asked = async (sql: string) => {
    await auditor.query(soon, [paymentId]);
    return (await auditor.query(sql, [paymentId])).length > 0;
  };
  await until('it has no end', () => asked(rows));
  await cielo().script();
  await until('it has one again', () => asked(rows.replace('is null', 'is not null')));
});
