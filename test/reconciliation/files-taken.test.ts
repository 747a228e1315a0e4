import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { processWatchedFolder } from '../../src/reconciliation/imports/process-watched-folder.ts';
import { keyFileIn } from '../kit/keys.ts';
import { cleanEnvironment, databaseSettings, until } from '../kit/service.ts';
import { adiqText } from './adiq-file.ts';
import { type MatchingBench, openMatchingBench, payoutOf, type Sold } from './matching-bench.ts';

const TAKER = fileURLToPath(new URL('take-file.ts', import.meta.url));

let bench: MatchingBench;
before(async () => {
  bench = await openMatchingBench();
});
after(() => bench.close());

const files = () =>
  bench.auditor.query(
    'select name, entries, replaced_by, missing_before::int as missing, taken_at is not null as taken from settlement_files order by file_number',
  );
const lineCount = async () =>
  (await bench.auditor.query('select count(*)::int as count from settlement_entries'))[0]?.count as number;
const one = async (): Promise<Sold> => (await bench.sell())[0] as Sold;

test('the same content is taken once, under whatever name', async () => {
  const sold = await one();
  const path = await bench.file('a.txt', { day: '2026-12-02', sequence: 100, lines: [payoutOf(sold)] });
  assert.equal((await bench.take(path)).kind, 'taken');
  await copyFile(path, join(bench.folder, 'b.txt'));
  const again = await bench.take(join(bench.folder, 'b.txt'));
  assert.equal(again.kind, 'known');
  assert.equal(again.kind === 'known' && again.file.name, 'a.txt');
  assert.equal((await files()).length, 1);
});

test('a file that does not add up is refused by its line, and nothing of it stays', async () => {
  const before = await lineCount();
  const lines = [payoutOf(await one())];
  const path = await bench.file('broken.txt', {
    day: '2026-12-02',
    sequence: 101,
    lines,
    isTrailerBroken: true,
  });
  const result = await bench.take(path);
  assert.equal(result.kind, 'refused');
  assert.deepEqual(
    result.kind === 'refused' &&
      result.faults.map(({ lineNumber, record, field }) => [lineNumber, record, field]),
    [[4, 'L9', 'recordCount']],
  );
  assert.equal(await lineCount(), before);
  assert.equal((await files()).length, 1);
});

test('a gap is counted, a number with another content refused, and one sent anew takes its place', async () => {
  const [first, second] = [await one(), await one()];
  const gap = await bench.takeLines('2026-12-02', [payoutOf(first)], { sequence: 104 });
  assert.equal(gap.kind === 'taken' && gap.file.missingBefore, 3);
  const other = await bench.file('other.txt', {
    day: '2026-12-02',
    sequence: 104,
    lines: [payoutOf(second)],
  });
  const refused = await bench.take(other);
  assert.match((refused.kind === 'refused' && refused.reason) || '', /another content/);
  const anew = await bench.takeLines('2026-12-02', [payoutOf(second)], { sequence: 104, isRepetition: true });
  assert.equal(anew.kind === 'taken' && anew.replaces, gap.kind === 'taken' && gap.file.fileNumber);
  const filed = await bench.auditor.query(
    'select transaction_id, filed_net::int as net from receivables where transaction_id = any ($1) order by filed_net',
    [[first.transactionId, second.transactionId]],
  );
  assert.deepEqual(filed, [
    { transaction_id: second.transactionId, net: 9_750 },
    { transaction_id: first.transactionId, net: null },
  ]);
});

test('a killed import leaves nothing that counts, and the next one goes on', async () => {
  const before = await files();
  const sold = await one();
  const lines = Array.from({ length: 60_000 }, (_, index) =>
    payoutOf(sold, { reference: '', nsu: String(index + 1), authorizationCode: 'NONE' }),
  );
  const path = await bench.file('long.txt', { day: '2026-12-03', sequence: 105, lines });
  const taker = spawn(
    process.execPath,
    [TAKER, path, bench.database.address.database, keyFileIn(bench.folder)],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: cleanEnvironment(databaseSettings(bench.database)),
    },
  );
  await until('some of its lines are written', async () => (await lineCount()) > 10_000);
  const ended = new Promise((resolve) => taker.once('exit', resolve));
  taker.kill('SIGKILL');
  await ended;
  const left = await files();
  assert.deepEqual(left.at(-1), {
    name: 'long.txt',
    entries: 0,
    replaced_by: null,
    missing: 0,
    taken: false,
  });
  assert.equal((await bench.take(path)).kind, 'refused', 'its lease stands');
  await bench.auditor.query('update settlement_files set due_at = now() where taken_at is null');
  const taken = await bench.take(path);
  assert.equal(taken.kind === 'taken' && taken.file.entries, 60_000);
  assert.equal((await files()).length, before.length + 1);
  const [counted] = await bench.auditor.query(
    'select count(*)::int as count from settlement_entries where file_number = $1',
    [taken.kind === 'taken' ? taken.file.fileNumber : 0],
  );
  assert.equal(counted?.count, 60_000);
});

test('two processes take one file once', async () => {
  const lines = Array.from({ length: 500 }, (_, index) =>
    payoutOf({ ...SOLD, nsu: String(index + 1) }, { reference: '' }),
  );
  const path = await bench.file('both.txt', { day: '2026-12-04', sequence: 106, lines });
  const results = await Promise.all([bench.take(path), bench.take(path)]);
  const kinds = results.map(({ kind }) => kind).sort();
  assert.ok(kinds.includes('taken'), JSON.stringify(results));
  assert.ok(kinds[0] !== 'taken' || kinds[1] !== 'taken');
  assert.equal((await files()).filter(({ name }) => name === 'both.txt').length, 1);
});

const SOLD: Sold = {
  transactionId: '00000000-0000-0000-0000-000000000000',
  merchantId: 'LOJA',
  installmentNumber: 1,
  installmentCount: 1,
  gross: 10_000,
  fee: 250,
  soldOn: '2026-11-02',
  expectedOn: '2026-12-02',
  authorizationCode: 'NONE',
  nsu: '1',
};

test('a folder is emptied: what is taken and what is refused stand apart, and what grows is left', async () => {
  const folder = join(bench.folder, 'inbox');
  await mkdir(folder);
  const text = (sequence: number, isTrailerBroken = false) =>
    adiqText({ day: '2026-12-05', sequence, lines: [payoutOf(SOLD)], isTrailerBroken });
  await writeFile(join(folder, 'good.txt'), text(107), 'latin1');
  await writeFile(join(folder, 'bad.txt'), text(108, true), 'latin1');
  await writeFile(join(folder, 'growing.txt'), text(109).slice(0, 900), 'latin1');
  const tools = {
    ...bench.audited,
    notify: () => {},
    actor: bench.audited.operator,
    sizes: new Map<string, string>(),
    observe: () => {},
  };
  const look = () => processWatchedFolder(tools, folder, new AbortController().signal);
  await look();
  assert.deepEqual((await readdir(folder)).sort(), [
    'bad.txt',
    'good.txt',
    'growing.txt',
    'refused',
    'taken',
  ]);
  await writeFile(join(folder, 'growing.txt'), text(109), 'latin1');
  await look();
  assert.deepEqual((await readdir(folder)).sort(), ['growing.txt', 'refused', 'taken']);
  assert.deepEqual(await readdir(join(folder, 'taken')), ['good.txt']);
  assert.match(await readFile(join(folder, 'refused', 'bad.txt.reason.txt'), 'utf8'), /line 4, record L9/);
  await look();
  assert.deepEqual((await readdir(join(folder, 'taken'))).sort(), ['good.txt', 'growing.txt']);
});
