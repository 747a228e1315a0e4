import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { instant, saoPauloDay } from '../../src/values/instant.ts';
import { DAY } from '../kit/clock.ts';
import { runCommandHere } from '../kit/command.ts';
import { until } from '../kit/service.ts';
import { ESTABLISHMENT, idOf, KEY, openAcquirerService } from './acquirer-service.ts';

/** Rede and Cielo report nothing by themselves: what became of a charge later comes with their files. */

/** Of today and of those that follow, as their files are named. */
const DAYS = [0, 1, 2].map((days) => saoPauloDay(instant(Date.now() + days * DAY)));

const FILES = {
  cielo: { formats: ['cielo04'], simulator: ['--last-digit', '0'] },
  rede: { formats: ['redeEevc', 'redeEefi'], simulator: [] },
} as const;

for (const [program, { formats, simulator }] of Object.entries(FILES))
  test(`the files of ${program} pay what it charged, and take back what the card's holder disputes`, async (t) => {
    const acquirer = await openAcquirerService(program as keyof typeof FILES, { simulator });
    t.after(acquirer.close);
    const paid = idOf(await acquirer.pay(12_321));
    const disputed = idOf(await acquirer.pay(12_321));
    const [sale] = await acquirer.booked(disputed);
    // A batch is paid whole.
    for (const { id } of await acquirer.booked(null))
      await acquirer.desk('changes', { id, change: 'settled', installmentNumber: 1 });
    assert.notEqual((await acquirer.read(paid)).statusDescription, 'Paga');
    await acquirer.nextDay();
    await acquirer.desk('changes', { id: sale?.id, change: 'chargeback', installmentNumber: 1 });
    for (const _day of DAYS) await acquirer.nextDay();
    await until('the sales are expected', async () => {
      const expected = 'select 1 from receivables where transaction_id = any($1)';
      return (await acquirer.service.auditor.query(expected, [[paid, disputed]])).length === 2;
    });
    for (const format of formats) await acquirer.takeFiles([format], DAYS);
    for (const [paymentId, status] of [
      [paid, 'Paga'],
      [disputed, 'Cancelada'],
    ] as const)
      await until(`it is ${status}`, async () => {
        const { statusDescription } = await acquirer.read(paymentId);
        return statusDescription === status;
      });
    const changes = await acquirer.service.auditor.query(
      'select event, source from acquirer_changes where reference = any($1) order by event',
      [[paid, disputed]],
    );
    assert.deepEqual(
      changes.map(({ event, source }) => [event, source]),
      [
        ['chargeback', 'file'],
        ['settle', 'file'],
        ['settle', 'file'],
      ],
    );
  });

test("the money of a day comes by Rede's statement API too, and pays as its file does", async (t) => {
  const rede = await openAcquirerService('rede', {});
  t.after(rede.close);
  const folder = await mkdtemp(join(tmpdir(), 'parcela-statement-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const paid = idOf(await rede.pay(12_321));
  for (const { id } of await rede.booked(null))
    await rede.desk('changes', { id, change: 'settled', installmentNumber: 1 });
  for (const _day of DAYS) await rede.nextDay();
  await until('the sale is expected', async () => {
    const expected = 'select 1 from receivables where transaction_id = $1';
    return (await rede.service.auditor.query(expected, [paid])).length === 1;
  });
  const credentials = join(folder, 'credentials.json');
  const fetched = (...words: string[]) =>
    runCommandHere(
      [
        ...['reconcile', 'fetch', '--establishment', '12345678', '--credentials-file', credentials],
        ...['--to', folder, '--url', rede.url, ...words],
      ],
      { PARCELA_DATA_DIR: folder },
    );
  await rede.desk('merchants', { merchantId: ESTABLISHMENT, key: KEY });
  await writeFile(credentials, JSON.stringify({ clientId: ESTABLISHMENT, clientSecret: 'another' }));
  const refused = await fetched('--day', '2026-10-01');
  assert.equal(refused.code, 1);
  assert.match(refused.said, /no file was written of 2026-10-01: Rede takes no such client for its token/);
  await writeFile(credentials, JSON.stringify({ clientId: ESTABLISHMENT, clientSecret: KEY }));
  const named = DAYS.flatMap((day) => ['--day', day]);
  const done = await fetched('--day', '2026-10-01', ...named);
  assert.equal(done.code, 0, done.said);
  assert.match(done.printed, /2026-10-01\.txt: 0 deposits, 2 lines\./);
  const again = DAYS.map((day) => join(folder, `rede-statement_12345678_${day}.txt`));
  const before = await Promise.all(again.map((path) => readFile(path, 'utf8')));
  await fetched(...named);
  assert.deepEqual(await Promise.all(again.map((path) => readFile(path, 'utf8'))), before);
  assert.match(before.join(''), /RS2/);
  await rede.parcela('reconcile', 'import', ...again);
  await until('it is paid', async () => (await rede.read(paid)).statusDescription === 'Paga');
  const [files] = await rede.service.auditor.query(
    `select array_agg(distinct format) as formats from settlement_files`,
    [],
  );
  assert.deepEqual(files, { formats: ['redeStatement'] });
});
