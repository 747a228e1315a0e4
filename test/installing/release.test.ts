import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import {
  appendFile,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleOf } from '../../bin/bundle.mjs';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';
import { logIn, pay } from '../kit/merchant.ts';
import { cleanEnvironment, databaseSettings, startService } from '../kit/service.ts';
import { runParcela } from './run-parcela.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NAME = /^parcela-\d+\.\d+\.\d+\.tar\.gz$/;
/** A release has grown by mistake where it is larger: it was 5 MB when this was written. */
const MOST_BYTES = 12e6;
const run = promisify(execFile);

/** Of npm where no registry answers; its cache may have everything all the same. */
const OFFLINE = /\b(ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT)\b/;

const ground = await mkdtemp(join(tmpdir(), 'parcela-release-test-'));
after(() => rm(ground, { recursive: true, force: true }));
let file = '';
const skip = await pack(ROOT, 'first').then(
  (path) => {
    file = path;
    return false as const;
  },
  (error: Error) => {
    if (!OFFLINE.test(error.message)) throw error;
    return 'no registry answers, and the cache of npm lacks packages of package-lock.json';
  },
);

let database: TestDatabase;
let home: string;
before(async () => {
  database = await createTestDatabase({ migrated: false });
  if (skip !== false) return;
  await mkdir(join(ground, 'empty'));
  await run('tar', ['xzf', file, '-C', join(ground, 'empty')]);
  const [top = ''] = await readdir(join(ground, 'empty'));
  home = join(ground, 'empty', top);
});
after(() => database.drop());

/** `umask`: of the account that packs. */
async function pack(checkout: string, folder: string, umask = '022'): Promise<string> {
  const to = join(ground, folder);
  const words = [`umask ${umask}; exec "$@"`, 'sh', process.execPath, 'tools/release.ts', '--to', to];
  const { stdout } = await run('sh', ['-c', ...words], { cwd: checkout, env: cleanEnvironment({}) });
  assert.match(stdout, /MB packed, .* MB in \d+ files; sha256 [\da-f]{64}/);
  const name = (await readdir(to)).find((one) => NAME.test(one));
  return join(to, name ?? '');
}

test('the same commit gives the same bytes, elsewhere and in a checkout that was changed too', {
  skip,
}, async () => {
  const clone = join(ground, 'clone');
  await run('sh', ['-c', 'umask 077; exec git clone --quiet "$1" "$2"', 'sh', ROOT, clone]);
  for (const name of ['release.ts', 'tarball.ts'])
    await copyFile(join(ROOT, 'tools', name), join(clone, 'tools', name));
  await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  await appendFile(join(clone, 'src/main.ts'), '// changed\n');
  await writeFile(join(clone, 'docs/lies-about.md'), 'not committed');
  const again = await pack(clone, 'second', '077');
  assert.ok((await readFile(file)).equals(await readFile(again)));
  const { stdout } = await run('sha256sum', ['--check', `${again.split('/').at(-1)}.sha256`], {
    cwd: join(ground, 'second'),
  });
  assert.match(stdout, /: OK/);
});

test('its pages link to nothing that it lacks, and its programs may be run', { skip }, async () => {
  const files = await readdir(home, { recursive: true });
  const has = new Set(files);
  assert.ok(has.has('docs/sbom.cdx.json'));
  const pages = files.filter((name) => name.endsWith('.md') && !name.startsWith('node_modules/'));
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(home, page), 'utf8').matchAll(/\]\((?![\w+.-]+:|#)([^)\s#]+)/g)]
      .map(([, link = '']) => join(dirname(page), link).replace(/\/$/, ''))
      .filter((path) => !has.has(path))
      .map((path) => `${page}: ${path}`),
  );
  assert.deepEqual(broken, []);
  for (const program of ['bin/parcela', 'deploy/compose/secrets.sh', 'deploy/compose/roles.sh'])
    assert.equal((await stat(join(home, program))).mode & 0o777, 0o755, program);
});

test('it holds what production needs, and no compiler, no PostgreSQL, no test', { skip }, async () => {
  assert.ok((await stat(file)).size < MOST_BYTES);
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
    optionalDependencies: Record<string, string>;
  };
  const has = (path: string) =>
    stat(join(home, path)).then(
      () => true,
      () => false,
    );
  for (const name of Object.keys(manifest.dependencies)) assert.ok(await has(`node_modules/${name}`), name);
  for (const name of Object.keys({ ...manifest.devDependencies, ...manifest.optionalDependencies }))
    assert.equal(await has(`node_modules/${name}`), false, name);
  const files = await readdir(home, { recursive: true });
  assert.deepEqual(
    files.filter((name) =>
      /^(src|homologation|packages|simulators|test|tools|bench|chaos)\b.*\.test\.ts$|^(test|tools|bench|chaos)\b/.test(
        name,
      ),
    ),
    [],
  );
  const provenance = JSON.parse(await readFile(join(home, 'release.json'), 'utf8')) as {
    commit: string;
  };
  assert.match(provenance.commit, /^[\da-f]{40}$/);
});

test('what it runs is the bundle of its own sources', { skip }, async () => {
  for (const program of ['src/main.ts', 'src/cli/parcela.ts', 'simulators/acquirer/main.ts'])
    assert.ok(bundleOf(program, home) !== null, program);
});

test('unpacked into an empty folder, it migrates a PostgreSQL that is given, serves a payment and opens the demo shop', {
  skip,
}, async () => {
  const folder = join(ground, 'data');
  const program = join(home, 'bin', 'parcela');
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
    // It runs from files beside the bundle.
    assert.equal((await fetch(`${service.gatewayUrl}/demo`)).status, 200);
    const listed = await runParcela(['merchant', 'list'], settings, program);
    assert.match(listed.printed, /^MERCHANT/);
  } finally {
    assert.equal(await service.stop(), 0);
  }
});

test('without a PostgreSQL it says that it brings none', { skip }, async () => {
  const settings = {
    PARCELA_DATA_DIR: join(ground, 'none'),
    PARCELA_NODE: process.execPath,
    PARCELA_PORT: '0',
  };
  const { code, said } = await runParcela(['serve'], settings, join(home, 'bin', 'parcela'));
  assert.equal(code, 1);
  assert.match(said, /no embedded PostgreSQL .*give Parcela the address of a PostgreSQL of yours/s);
});
