import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { judgeOlderMatches } from '../../src/reconciliation/matching/judge-older-matches.ts';
import { type MatchingBench, openMatchingBench, payoutOf, type Sold } from './matching-bench.ts';

const NEVER = new AbortController().signal;

let bench: MatchingBench;
before(async () => {
  bench = await openMatchingBench();
});
after(() => bench.close());

const apartOf = (id: string) =>
  bench.auditor.query(
    'select apart_from::text as first, apart_to::text as last from receivables where transaction_id = $1',
    [id],
  );

test('what the version before matches beside this one is judged again, and once', async () => {
  const sold = (await bench.sell())[0] as Sold;
  await bench.takeLines('2026-12-02', [
    payoutOf(sold),
    {
      type: 'CC',
      reference: sold.transactionId.replaceAll('-', '').slice(-30),
      soldOn: sold.soldOn,
      canceledOn: '2026-12-02',
      installmentNumber: 1,
      gross: 400,
    },
  ]);
  const judged = await apartOf(sold.transactionId);
  assert.notEqual(judged[0]?.last, null);
  await judgeOlderMatches(bench.tools, NEVER);
  assert.deepEqual(await apartOf(sold.transactionId), judged);
  // As that version writes: it knows neither the column of matches nor those of receivables.
  await bench.auditor.query(
    `with gone as (delete from settlement_matches where transaction_id = $1 returning *)
     insert into settlement_matches (merchant_id, transaction_id, installment_number, file_number, line_number, kind, rule,
       gross, fee, net, anticipation_fee, bank_on, document, change_id)
     select merchant_id, transaction_id, installment_number, file_number, line_number + 1000, kind, rule,
       gross, fee, net, anticipation_fee, bank_on, document, change_id from gone`,
    [sold.transactionId],
  );
  await bench.auditor.query('update receivables set apart_from = null, apart_to = null');
  await judgeOlderMatches(bench.tools, NEVER);
  assert.deepEqual(await apartOf(sold.transactionId), judged);
  const left = await bench.auditor.query('select from settlement_matches where not is_judged_apart');
  assert.equal(left.length, 0);
});

test('0056 marks what was matched behind 0054, of files that came before it and of lines found later', async () => {
  const text = await readFile(
    new URL('../../migrations/0056-restores-followed.sql', import.meta.url),
    'utf8',
  );
  const marking = text.slice(text.indexOf('do $$'));
  const ask = (sql: string) => bench.auditor.query(sql, []);
  await ask(`update schema_migrations set applied_at = now() - interval '1 hour' where number = 53`);
  const unmarkedAfter = async (matched: string) => {
    await ask(`update settlement_files set taken_at = now() - interval '3 hours', matched_at = ${matched},
      due_at = case when ${matched} is null then now() end`);
    await ask('update settlement_matches set is_judged_apart = true');
    await ask(marking);
    return (await ask('select from settlement_matches where not is_judged_apart')).length;
  };
  const all = (await ask('select from settlement_matches')).length;
  assert.ok(all > 1);
  assert.equal(await unmarkedAfter(`now() - interval '2 hours'`), 0);
  assert.equal(await unmarkedAfter('now()'), all);
  assert.equal(await unmarkedAfter('null::timestamptz'), all);
  await ask(`insert into reconciliation_exceptions (merchant_id, exception_id, exception_key, class, state, file_number, line_number,
      amount, ended_at)
    select '', gen_random_uuid(), 'found later', 'notInParcela', 'healed', file_number, line_number, 0, now()
    from settlement_matches order by line_number limit 1`);
  assert.equal(await unmarkedAfter(`now() - interval '2 hours'`), 1);
});
