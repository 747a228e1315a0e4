import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isHealthSampled, writeHealthSamples } from '../../src/console/operator/health-samples.sql.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { signedIn, type Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let admin: Visitor;
before(async () => {
  service = await openTestService();
  admin = await signedIn(service, 'admin', null);
});
after(() => service.close());

async function page(): Promise<string> {
  const { status, text } = await admin.turnTo('/console/health/over-time');
  assert.equal(status, 200, text);
  return wordsOf(text);
}

const sample = (subject: string, hoursAgo: number, minute: number, value: number, processId = '') =>
  service.auditor.query(
    `insert into health_samples (sampled_at, subject, process_id, value)
     values (date_trunc('hour', now()) - $2 * interval '1 hour' + $3 * interval '1 minute', $1, $5, $4)`,
    [subject, hoursAgo, minute, value, processId],
  );

test('what waits is written down every five minutes, whoever looks', async () => {
  const rows = await until('it is written down', async () => {
    const found = await service.auditor.query('select sampled_at, subject from health_samples', []);
    return found.length > 0 && found;
  });
  const subjects = new Set(rows.map(({ subject }) => subject));
  for (const one of ['exceptions', 'notifications', 'unresolved'])
    assert.ok(subjects.has(`waiting:${one}`), one);
  assert.ok(rows.every(({ sampled_at: at }) => Number(at) % 300_000 === 0));
});

test('rates, times and queues stand by the hour beside the day before, whatever process began anew', async () => {
  await service.auditor.query('delete from health_samples', []);
  // Before the page begins: what the counts of the first hour grew from.
  await sample('approved:rede', 48, 55, 100, 'one');
  await sample('declined:rede', 48, 55, 100, 'one');
  await sample('approved:rede', 47, 5, 103, 'one');
  await sample('declined:rede', 47, 5, 101, 'one');
  await sample('approved:rede', 3, 0, 200, 'one');
  await sample('approved:rede', 3, 0, 1_000, 'two');
  await sample('approved:rede', 2, 0, 208, 'one');
  await sample('declined:rede', 2, 0, 101, 'one');
  await sample('approved:rede', 2, 0, 1_000, 'two');
  // The first process ends, and another begins.
  await sample('approved:rede', 2, 30, 1_000, 'two');
  await sample('approved:rede', 2, 30, 1, 'three');
  await sample('declined:rede', 2, 30, 1, 'three');
  await sample('takes:acquirer:rede', 1, 0, 40);
  await sample('takes:acquirer:rede', 1, 5, 3_210);
  await sample('waiting:unresolved', 1, 5, 17);
  const words = await page();
  assert.match(words, /Taxa de aprovação: Adquirente \(rede\)/);
  assert.match(words, /\d\dh – 75% 0 0/, 'the day before, from the last sample of the hour before it');
  assert.match(words, /\d\dh 90% – 9 1/);
  assert.match(words, /Tempo de resposta: Adquirente \(rede\).*\d\dh 3\.210 ms –/);
  assert.match(words, /Pendentes de confirmação.*\d\dh 17 –/);
});

test('what the counts grew from before the first sample of all is nobody’s growth', async () => {
  await service.auditor.query('delete from health_samples', []);
  await sample('approved:rede', 5, 0, 900, 'one');
  await sample('declined:rede', 5, 0, 100, 'one');
  await sample('approved:rede', 5, 5, 904, 'one');
  await sample('declined:rede', 5, 5, 101, 'one');
  assert.match(await page(), /\d\dh 80% – 4 1/);
});

test('where nothing was written down it says so', async () => {
  await service.auditor.query('delete from health_samples', []);
  assert.match(await page(), /Nada registrado ainda/);
});

test('the first of two processes is believed, and what is older than eight days goes', async () => {
  await sample('waiting:unresolved', 24 * 9, 0, 1);
  const database = openDatabase(service.database.address, () => {});
  assert.equal(await isHealthSampled(database), false);
  await writeHealthSamples(database, [{ subject: 'waiting:unresolved', processId: '', value: 5 }]);
  const isSampled = await isHealthSampled(database);
  await writeHealthSamples(database, [{ subject: 'waiting:unresolved', processId: '', value: 7 }]);
  await database.close();
  const kept = await service.auditor.query('select value from health_samples', []);
  // Five minutes may have ended in between.
  assert.deepEqual(
    kept.map(({ value }) => value),
    isSampled ? [5] : [5, 7],
  );
});
