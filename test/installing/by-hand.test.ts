import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Ended, runCommandHere } from '../kit/command.ts';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';
import { cleanEnvironment, databaseUrl } from '../kit/service.ts';
import { runParcela } from './run-parcela.ts';

const PARCELA = fileURLToPath(new URL('../../bin/parcela', import.meta.url));
const NOBODY = 65_534;

/** As the units have it on a machine: settings and secrets, and nothing in the environment of a shell. */
let folder: string;
let database: TestDatabase;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-machine-'));
  database = await createTestDatabase({ migrated: false, hasOwnRole: true });
  const file = (name: string, text: string) => writeFile(join(folder, name), text, { mode: 0o600 });
  await file(
    'parcela.env',
    '# settings\nPARCELA_ACQUIRER_URL="http://127.0.0.1:9"\nPARCELA_TRUSTED_PROXIES=127.0.0.1\n',
  );
  await file('database-url', `${databaseUrl(database.runtime)}\n`);
  await file('owner-database-url', `${databaseUrl(database.address)}\n`);
  await file('key', (await parcela('key', 'create', '--for', 'environment')).printed);
});
after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

function parcela(...words: string[]): Promise<Ended> {
  return runCommandHere(words, { PARCELA_SETTINGS_FOLDER: folder });
}

const firstLineOf = (said: string) => said.split('\n')[0];

test('a key for a file is made with nothing set, and is all that is printed', async () => {
  const { code, printed, said } = await runCommandHere(['key', 'create', '--for', 'environment'], {});
  assert.equal(code, 0, said);
  assert.match(printed, /^[\w+/]{43}=\n$/);
  assert.match(said, /Keep a copy/);
});

test('by hand a command has the settings and secrets of the units, and says first where it acts', async () => {
  // The address of the owner is for those alone who work as it: no other command migrates.
  const early = await parcela('merchant', 'list');
  assert.equal(early.code, 1);
  assert.match(early.said, /run parcela migrate/);
  const migrated = await parcela('migrate');
  assert.match(migrated.printed, /^applied {2}0001-merchants\.sql$/m, migrated.said);
  assert.doesNotMatch(migrated.printed, /no entry/);
  const audited = await parcela('audit', 'list', '--action', 'schema.migrate', '--json');
  assert.match(audited.printed, /migrations\/0001-merchants\.sql/);
  const { code, printed, said } = await parcela('merchant', 'list', '--json');
  assert.deepEqual([code, JSON.parse(printed)], [0, { items: [] }], said);
  const { host, database: name } = database.address;
  assert.equal(firstLineOf(said), `production (${join(folder, 'parcela.env')}): database ${name} at ${host}`);
  assert.ok(!said.includes(String(database.runtime.password)));
  const examined = await parcela('doctor');
  assert.match(examined.printed, /this is production$/m);
});

test('the audit log names the person who was root by sudo', {
  skip: process.getuid?.() === 0 ? false : 'only root is somebody else by sudo',
}, async () => {
  const sudo = { PARCELA_SETTINGS_FOLDER: folder, SUDO_USER: 'ana' };
  const invited = await runCommandHere(
    ['user', 'invite', '--name', 'bia@example.com', '--role', 'admin'],
    sudo,
  );
  assert.equal(invited.code, 0, invited.said);
  const { printed } = await parcela('audit', 'list', '--action', 'user.invite');
  assert.match(printed, / ana \(root\) +user\.invite /);
});

test('who names another database has neither address of the machine', async () => {
  const other = await createTestDatabase({ migrated: false });
  try {
    const named = { PARCELA_SETTINGS_FOLDER: folder, DATABASE_URL: databaseUrl(other.address) };
    const { code, printed, said } = await runCommandHere(['migrate', '--dry-run', '--json'], named);
    assert.equal(code, 0, said);
    assert.match(firstLineOf(said) ?? '', new RegExp(`: database ${other.address.database} at `));
    assert.ok((JSON.parse(printed) as { pending: unknown[] }).pending.length > 0, 'it is the other database');
  } finally {
    await other.drop();
  }
});

test('what cannot be read is said with who may', async () => {
  const broken = join(folder, 'broken');
  await mkdir(broken);
  await writeFile(join(broken, 'parcela.env'), 'PARCELA_ACQUIRER_URL http://127.0.0.1:9\n');
  const { code, said } = await runCommandHere(['merchant', 'list'], { PARCELA_SETTINGS_FOLDER: broken });
  assert.equal(code, 1);
  assert.match(said, /parcela\.env, line 1: must be NAME=value/);
});

test('another account is told who may read the settings', {
  skip: process.getuid?.() === 0 ? false : 'only root runs commands as somebody else',
}, async () => {
  for (const mode of [0o711, 0o700]) {
    await chmod(folder, mode);
    await chmod(join(folder, 'parcela.env'), 0o644);
    const { status, stderr } = spawnSync(PARCELA, ['merchant', 'list'], {
      env: cleanEnvironment({ PARCELA_SETTINGS_FOLDER: folder, PARCELA_NODE: process.execPath }),
      uid: NOBODY,
      encoding: 'utf8',
    });
    assert.equal(status, 1, stderr);
    assert.match(stderr, /this account may not read .*: run the command as root/);
  }
});

test('who forgot the settings of an installation changes no homologation, and starts none', async () => {
  const data = join(folder, 'homologation');
  await mkdir(data);
  const forgotten = await runCommandHere(['merchant', 'disable', '--merchant', 'X', '--reason', 'x'], {
    PARCELA_DATA_DIR: data,
    PARCELA_TRUSTED_PROXIES: '10.0.0.5',
  });
  assert.equal(forgotten.code, 1);
  assert.match(forgotten.said, /PARCELA_TRUSTED_PROXIES is set, and neither DATABASE_URL .*nothing was done/);
  const stopped = await runCommandHere(['merchant', 'list'], { PARCELA_DATA_DIR: data });
  assert.equal(stopped.code, 1);
  assert.match(
    stopped.said,
    /no database is named.*does not run: start it .*PARCELA_ENVIRONMENT=homologation/s,
  );
  assert.deepEqual(await readdir(data), []);
  const served = await runParcela(['serve'], {
    PARCELA_SETTINGS_FOLDER: folder,
    PARCELA_NODE: process.execPath,
  });
  assert.equal(served.code, 1);
  assert.match(served.said, /this machine has an installation .*systemctl start parcela@8081/);
});

test('a Node of another major, or one that cannot run, is named before it runs anything', async () => {
  const node = async (name: string, script: string) => {
    const path = join(folder, name);
    await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return runParcela(['help'], { PARCELA_NODE: path });
  };
  const old = await node('node18', '[ "$1" = --version ] && echo v18.20.4 || echo "bad option" >&2');
  assert.deepEqual([old.code, old.printed], [1, '']);
  assert.match(
    old.said,
    /^parcela: install Node 26, or name one in PARCELA_NODE: \S+\/node18 is v18\.20\.4\n$/,
  );
  const lacking = await node('lacking', 'echo "node: error: libatomic.so.1: cannot open" >&2; exit 127');
  assert.match(lacking.said, /none that runs here .*libatomic\.so\.1.*\n.*apt-get install libatomic1\n$/);
});
