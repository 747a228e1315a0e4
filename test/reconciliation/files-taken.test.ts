import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  processWatchedFolder,
  WATCHED_LIMITS,
} from '../../src/reconciliation/imports/process-watched-folder.ts';

import { listRefusedFiles } from '../../src/reconciliation/imports/settlement-refusals.sql.ts';
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

test('the same content is taken once, under whatever name; a card number in it is not kept', async () => {
  const sold = await one();
  const path = await bench.file('a 5155 9012 2228 0001.txt', {
    day: '2026-12-02',
    sequence: 100,
    lines: [payoutOf(sold)],
  });
  assert.equal((await bench.take(path)).kind, 'taken');
  await copyFile(path, join(bench.folder, 'b.txt'));
  const again = await bench.take(join(bench.folder, 'b.txt'));
  assert.equal(again.kind, 'known');
  assert.equal(again.kind === 'known' && again.file.name, 'a **** **** **** ****.txt');
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

/** A folder that is looked at as the service does. */
async function watchedFolder(name: string, limits = WATCHED_LIMITS) {
  const folder = join(bench.folder, name);
  await mkdir(folder);
  const outcomes: string[] = [];
  const tools = {
    ...bench.audited,
    notify: () => {},
    actor: bench.audited.operator,
    seen: new Map(),
    limits,
    observe: (file: string, outcome: string) => outcomes.push(`${file} ${outcome}`),
  };
  return {
    folder,
    outcomes,
    look: () => processWatchedFolder(tools, folder, new AbortController().signal),
    write: (file: string, text: string) => writeFile(join(folder, file), text, 'latin1'),
    /** The file was changed so many minutes ago. */
    age: (file: string, minutes: number) => {
      const at = Date.now() / 1_000 - 60 * minutes;
      return utimes(join(folder, file), at, at);
    },
    /** The files in it, or in a folder of it, without the part of their hash. */
    names: async (inside = '.') =>
      (await readdir(join(folder, inside), { withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name.replace(/\.[0-9a-f]{12}(?=$|\.reason)/, ''))
        .sort(),
  };
}

const folderText = (sequence: number, isTrailerBroken = false) =>
  adiqText({ day: '2026-12-05', sequence, lines: [payoutOf(SOLD)], isTrailerBroken });

test('a folder is emptied: what is taken and what is refused stand apart, and what grows is left', async () => {
  const { folder, look, write, age, names, outcomes } = await watchedFolder('inbox');
  await write('good.txt', folderText(107));
  await write('bad.txt', folderText(108, true));
  await age('bad.txt', 11);
  await write('slow.txt', folderText(109).slice(0, -20));
  for (const name of ['up.txt.part', 'up.TMP', '.up.txt', 'up.filepart']) await write(name, folderText(110));
  await look();
  const unfinished = ['.up.txt', 'up.TMP', 'up.filepart', 'up.txt.part'];
  assert.deepEqual(await names(), [...unfinished, 'bad.txt', 'good.txt', 'slow.txt'].sort());
  await look();
  assert.deepEqual(await names(), [...unfinished, 'slow.txt'].sort(), 'an upload that pauses is waited for');
  assert.deepEqual(await names('taken'), ['good.txt']);
  assert.deepEqual(await names('refused'), ['bad.txt', 'bad.txt.reason.txt']);
  const reason = (await readdir(join(folder, 'refused'))).find((name) => name.endsWith('.reason.txt'));
  assert.match(await readFile(join(folder, 'refused', `${reason}`), 'utf8'), /line 4, record L9/);
  const remembered = await listRefusedFiles(bench.audited.database, 10);
  const [refused] = remembered.filter((file) => ['bad.txt', 'slow.txt'].includes(file.name));
  assert.deepEqual([refused?.name, refused?.reason, refused?.times], ['bad.txt', null, 1]);
  assert.equal(refused?.sizeBytes, Buffer.from(folderText(108, true), 'latin1').length);
  assert.ok(refused?.faults.some(({ lineNumber, record }) => lineNumber === 4 && record === 'L9'));
  await look();
  await write('slow.txt', folderText(109));
  await look();
  await look();
  assert.deepEqual(await names('taken'), ['good.txt', 'slow.txt']);
  await rename(join(folder, 'up.txt.part'), join(folder, 'up.txt'));
  await look();
  await look();
  assert.deepEqual(await names('taken'), ['good.txt', 'slow.txt', 'up.txt']);
  assert.deepEqual(outcomes, [
    'bad.txt refused',
    'good.txt taken',
    'slow.txt waiting',
    'slow.txt taken',
    'up.txt taken',
  ]);
});

test('a file that never becomes whole is refused when it has rested, and no name hides another content', async () => {
  const { folder, look, write, age, names } = await watchedFolder('again');
  for (const [sequence, isBroken] of [
    [111, false],
    [112, false],
    [113, true],
    [114, true],
  ] as const) {
    await write('same.txt', folderText(sequence, isBroken));
    await look();
    await look();
    if (!isBroken) continue;
    assert.deepEqual(await names(), ['same.txt']);
    await age('same.txt', 11);
    await look();
    await look();
    assert.deepEqual(await names(), []);
  }
  assert.deepEqual(await names('taken'), ['same.txt', 'same.txt']);
  assert.equal((await names('refused')).length, 4);
  const [first = ''] = await readdir(join(folder, 'taken'));
  await rename(join(folder, 'taken', first), join(folder, first));
  await look();
  await look();
  assert.ok((await readdir(join(folder, 'taken'))).includes(first), 'one that was taken keeps its name');
});

test('what links lead to is neither read nor written over', async () => {
  const { folder, look, write, age, names, outcomes } = await watchedFolder('links');
  const victim = join(bench.folder, 'victim.json');
  await writeFile(victim, 'of somebody else');
  await write('EVIL.txt', 'garbage');
  await age('EVIL.txt', 11);
  const digits = createHash('sha256').update('garbage').digest('hex').slice(0, 12);
  await mkdir(join(folder, 'refused'));
  await symlink(victim, join(folder, 'refused', `EVIL.txt.${digits}.reason.txt`));
  await symlink(victim, join(folder, 'linked.txt'));
  await look();
  await look();
  assert.equal(await readFile(victim, 'utf8'), 'of somebody else');
  assert.deepEqual(await names('refused'), ['EVIL.txt', 'EVIL.txt.reason.txt'], 'the link has made room');
  assert.deepEqual(outcomes, ['EVIL.txt refused']);
  const elsewhere = join(bench.folder, 'elsewhere');
  await mkdir(elsewhere);
  await rm(join(folder, 'refused'), { recursive: true });
  await symlink(elsewhere, join(folder, 'refused'));
  await write('again.txt', 'garbage');
  await age('again.txt', 11);
  for (let looked = 0; looked < 2; looked += 1)
    await assert.rejects(look(), /refused in the settlement folder is a link/);
  assert.deepEqual(await readdir(elsewhere), []);
});

test('a file that is too large, or takes too long, is refused and keeps none of the others', async () => {
  const text = folderText(127);
  const large = await watchedFolder('large', { ...WATCHED_LIMITS, bytes: text.length });
  await large.write('a-large.txt', `${text} `);
  // Sparse: no bytes of it are on the disk.
  await truncate(join(large.folder, 'a-large.txt'), 2 ** 40);
  await large.write('b-good.txt', text);
  await large.look();
  await large.look();
  assert.deepEqual(large.outcomes, ['a-large.txt refused', 'b-good.txt taken']);
  const reason = (await readdir(join(large.folder, 'refused'))).find((name) => name.endsWith('.reason.txt'));
  assert.match(await readFile(join(large.folder, 'refused', `${reason}`), 'utf8'), /more than \d+ bytes/);
  // Another one of that name writes over neither the first nor what is known of it.
  await large.write('a-large.txt', '');
  await truncate(join(large.folder, 'a-large.txt'), 2 ** 39);
  await large.look();
  await large.look();
  assert.deepEqual(
    (await large.names('refused')).filter((name) => name === 'a-large.txt'),
    ['a-large.txt', 'a-large.txt'],
  );
  const rows = await bench.auditor.query(
    `select size_bytes::text from settlement_refusals where name = 'a-large.txt' order by 1`,
  );
  assert.deepEqual(
    rows.map(({ size_bytes }) => size_bytes),
    [String(2 ** 40), String(2 ** 39)].sort(),
  );
  const slow = await watchedFolder('slow', { ...WATCHED_LIMITS, milliseconds: 0 });
  await slow.write('slow.txt', folderText(128));
  await slow.look();
  await slow.look();
  assert.deepEqual(
    [slow.outcomes, await slow.names('refused')],
    [['slow.txt refused'], ['slow.txt', 'slow.txt.reason.txt']],
  );
});

test('a database that was restored to a point takes the files of its folder again, and no file twice', async () => {
  const { folder, look, write } = await watchedFolder('restored');
  const restored = await openMatchingBench();
  try {
    await write('first.txt', folderText(121));
    assert.equal((await restored.take(join(folder, 'first.txt'))).kind, 'taken', 'before the point');
    await write('second.txt', folderText(122));
    await write('third.txt', folderText(124));
    await look();
    await look();
    const again = async () => {
      const kinds: string[] = [];
      for (const name of (await readdir(join(folder, 'taken'))).sort())
        kinds.push((await restored.take(join(folder, 'taken', name))).kind);
      return kinds;
    };
    assert.deepEqual(await again(), ['known', 'taken', 'taken']);
    assert.deepEqual(await again(), ['known', 'known', 'known']);
    const sums = (of: MatchingBench) =>
      of.auditor.query(
        `select sha256, entries, net, missing_before from settlement_files
         where sequence between 122 and 124 and taken_at is not null order by sequence`,
      );
    assert.equal((await sums(restored)).length, 2);
    assert.deepEqual(await sums(restored), await sums(bench));
  } finally {
    await restored.close();
  }
});
