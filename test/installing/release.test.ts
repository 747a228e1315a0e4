import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';
import { logIn, pay } from '../kit/merchant.ts';
import { cleanEnvironment, databaseSettings, startService } from '../kit/service.ts';
import { runParcela } from './run-parcela.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NAME = /^parcela-\d+\.\d+\.\d+\.tar\.gz$/;
/** A release has grown by mistake where it is larger: it was 5 MB when this was written. */
const MOST_BYTES = 12e6;
const run = promisify(execFile);

let ground: string;
let database: TestDatabase;
let release: { readonly file: string; readonly home: string };

before(async () => {
  ground = await mkdtemp(join(tmpdir(), 'parcela-release-test-'));
  database = await createTestDatabase({ migrated: false });
  const file = await pack('first');
  await mkdir(join(ground, 'empty'));
  await run('tar', ['xzf', file, '-C', join(ground, 'empty')]);
  const [top = ''] = await readdir(join(ground, 'empty'));
  release = { file, home: join(ground, 'empty', top) };
});
after(async () => {
  await database.drop();
  await rm(ground, { recursive: true, force: true });
});

async function pack(folder: string): Promise<string> {
  const to = join(ground, folder);
  const { stdout } = await run(process.execPath, ['tools/release.ts', '--to', to], {
    cwd: ROOT,
    env: cleanEnvironment({}),
  });
  assert.match(stdout, /MB packed, .* MB in \d+ files; sha256 [\da-f]{64}/);
  const name = (await readdir(to)).find((one) => NAME.test(one));
  return join(to, name ?? '');
}

test('the same commit gives the same bytes', async () => {
  const again = await pack('second');
  assert.ok((await readFile(release.file)).equals(await readFile(again)));
  const { stdout } = await run('sha256sum', ['--check', `${again.split('/').at(-1)}.sha256`], {
    cwd: join(ground, 'second'),
  });
  assert.match(stdout, /: OK/);
});

test('it holds what production needs, and no compiler, no PostgreSQL, no test', async () => {
  assert.ok((await stat(release.file)).size < MOST_BYTES);
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
    optionalDependencies: Record<string, string>;
  };
  const has = (path: string) =>
    stat(join(release.home, path)).then(
      () => true,
      () => false,
    );
  for (const name of Object.keys(manifest.dependencies)) assert.ok(await has(`node_modules/${name}`), name);
  for (const name of Object.keys({ ...manifest.devDependencies, ...manifest.optionalDependencies }))
    assert.equal(await has(`node_modules/${name}`), false, name);
  const files = await readdir(release.home, { recursive: true });
  assert.deepEqual(
    files.filter((name) =>
      /^(src|simulators|test|tools|bench|chaos)\b.*\.test\.ts$|^(test|tools|bench|chaos)\b/.test(name),
    ),
    [],
  );
  const provenance = JSON.parse(await readFile(join(release.home, 'release.json'), 'utf8')) as {
    commit: string;
  };
  assert.match(provenance.commit, /^[\da-f]{40}$/);
});

test('unpacked into an empty folder, it migrates a PostgreSQL that is given and serves a payment', async () => {
  const folder = join(ground, 'data');
  const program = join(release.home, 'bin', 'parcela');
  const settings = {
    ...databaseSettings(database),
    PARCELA_DATA_DIR: folder,
    PARCELA_NODE: process.execPath,
  };
  const migrated = await runParcela(['migrate'], settings, program);
  assert.equal(migrated.code, 0, migrated.said);
  assert.match(migrated.printed, /^applied {2}0001-merchants\.sql$/m);
  const service = await startService({ folder, settings, program });
  try {
    const { gateway } = await service.demo();
    const token = await logIn(service.gatewayUrl, gateway);
    const { reply } = await pay(service.gatewayUrl, token, 4_990);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const listed = await runParcela(['merchant', 'list'], settings, program);
    assert.match(listed.printed, /^MERCHANT/);
  } finally {
    assert.equal(await service.stop(), 0);
  }
});

test('without a PostgreSQL it says that it brings none', async () => {
  const settings = {
    PARCELA_DATA_DIR: join(ground, 'none'),
    PARCELA_NODE: process.execPath,
    PARCELA_PORT: '0',
  };
  const { code, said } = await runParcela(['serve'], settings, join(release.home, 'bin', 'parcela'));
  assert.equal(code, 1);
  assert.match(said, /no embedded PostgreSQL .*give Parcela the address of a PostgreSQL of yours/s);
});
