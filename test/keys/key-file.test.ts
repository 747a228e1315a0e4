import assert from 'node:assert/strict';
import { chown, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { auditedKeyChanges } from '../../src/audit/audit-event.ts';
import type { CommitKeyChange } from '../../src/keys/key-change.ts';
import { createNextKey, rotateFileKey } from '../../src/keys/stores/rotate-file-key.ts';
import type { AuditedTools } from '../kit/keys.ts';
import { type KeySetup, openKeySetup } from './key-setup.ts';

let service: KeySetup;
let tools: AuditedTools;
/** Only root may give files to another account; for others this is their own. */
const IS_ROOT = process.geteuid?.() === 0;
const SERVICE = IS_ROOT
  ? { uid: 64_123, gid: 64_456 }
  : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
const ROTATE = ['key', 'rotate', '--kind', 'key-encryption'];

before(async () => {
  service = await openKeySetup();
  ({ tools } = await service.makeDemo());
});
after(() => service.close());

async function ownerOf(path: string): Promise<{ uid: number; gid: number }> {
  const { uid, gid } = await stat(path);
  return { uid, gid };
}

async function keyIds(path = service.keyFile): Promise<string[]> {
  const { keys } = JSON.parse(await readFile(path, 'utf8')) as { keys: { keyId: string }[] };
  return keys.map(({ keyId }) => keyId);
}

/** The log's entries of key-encryption keys: `key.create success 0123…`. */
async function reported(where = service): Promise<string[]> {
  const rows = await where.auditor.query(
    `select action, outcome, resource from audit_entries where resource like 'keys/key-encryption/%' order by entry_number`,
  );
  return rows.map(({ action, outcome, resource }) => `${action} ${outcome} ${basename(String(resource))}`);
}

async function run(words: readonly string[], change: Record<string, string> = {}): Promise<void> {
  const { code, said } = await service.parcela(words, change);
  assert.equal(code, 0, said);
}

test('a key file that root changes still belongs to the account of the service, and only that account reads it', async () => {
  await chown(service.keyFile, SERVICE.uid, SERVICE.gid);
  for (const words of [['key', 'create'], ROTATE]) {
    const before = (await stat(service.keyFile)).ino;
    await run(words);
    assert.notEqual((await stat(service.keyFile)).ino, before, 'it was replaced');
    assert.deepEqual(await ownerOf(service.keyFile), SERVICE);
    assert.equal((await stat(service.keyFile)).mode & 0o777, 0o600);
  }
});

test('a key file behind a symbolic link is changed where it lies, and the link stays', async () => {
  const real = join(service.folder, 'real-keys.json');
  await rename(service.keyFile, real);
  await symlink(real, service.keyFile);
  try {
    const before = await keyIds(real);
    await run(ROTATE);
    assert.ok((await lstat(service.keyFile)).isSymbolicLink());
    assert.equal((await keyIds(real)).length, before.length + 1);
    assert.deepEqual(await ownerOf(real), SERVICE);
  } finally {
    await rm(service.keyFile);
    await rename(real, service.keyFile);
  }
});

test('a key that is prepared is reported once, however often it is asked for', async () => {
  const before = await reported();
  for (let times = 0; times < 3; times += 1) await run(['key', 'create']);
  const made = (await keyIds()).at(-1);
  assert.deepEqual((await reported()).slice(before.length), [`key.create success ${made}`]);
  await run(ROTATE);
  assert.deepEqual((await reported()).slice(before.length + 1), [`key.rotate success ${made}`]);
});

/** No entry is added meanwhile; everything else goes on, so that a command comes as far as its entry. */
async function withLockedLog(use: () => Promise<void>): Promise<void> {
  const locker = new pg.Client(service.database.address);
  await locker.connect();
  try {
    await locker.query('begin');
    await locker.query('lock table audit_entries in exclusive mode');
    await use();
  } finally {
    await locker.end();
  }
}

async function refuseUntold(words: readonly string[]): Promise<void> {
  const before = await readFile(service.keyFile, 'utf8');
  const { code, said } = await service.parcela(words);
  assert.equal(code, 1, words.join(' '));
  assert.match(said, /nothing was done: the audit log cannot be written/);
  assert.equal(await readFile(service.keyFile, 'utf8'), before, words.join(' '));
  assert.deepEqual(await readdir(dirname(service.keyFile)), [basename(service.keyFile)]);
}

test('while the audit log cannot be written no key is made, put to use or forgotten', async () => {
  const former = (await keyIds())[0] ?? '';
  const before = await reported();
  await withLockedLog(async () => {
    for (const words of [['key', 'create'], ROTATE, ['key', 'forget', '--key-id', former]])
      await refuseUntold(words);
  });
  await run(['key', 'create']);
  await withLockedLog(() => refuseUntold(ROTATE));
  const made = (await keyIds()).at(-1);
  assert.deepEqual((await reported()).slice(before.length), [`key.create success ${made}`]);
  await run(ROTATE);
});

test('a change of the key file that fails after it was reported is reported again, as a failure', async () => {
  const commit = auditedKeyChanges(tools.audit, tools.operator);
  const draft = `${service.keyFile}.${process.pid}.new`;
  let isDraftTaken = false;
  const commitChange: CommitKeyChange = async (work) => {
    // The file system fails between the entry and the file.
    if (isDraftTaken) await rm(draft, { force: true });
    return commit(work);
  };
  const file = { environment: 'homologation', commitChange };
  const next = await createNextKey(service.keyFile, file);
  assert.ok(next !== 'tooManyKeys');
  const before = { text: await readFile(service.keyFile, 'utf8'), reported: await reported() };
  isDraftTaken = true;
  await assert.rejects(rotateFileKey(service.keyFile, file), { code: 'ENOENT' });
  assert.equal(await readFile(service.keyFile, 'utf8'), before.text);
  assert.deepEqual((await reported()).slice(before.reported.length), [
    `key.rotate success ${next.keyId}`,
    `key.rotate failure ${next.keyId}`,
  ]);
  await run(ROTATE);
});

test('the first key file is of the account whose folder it is made in; one that cannot be known is not denied', async () => {
  const empty = await openKeySetup();
  const production = {
    PARCELA_ENVIRONMENT: 'production',
    PARCELA_TRUSTED_PROXIES: 'none',
    PARCELA_ACQUIRER_URL: 'http://127.0.0.1:9',
  };
  try {
    const folder = join(empty.folder, 'of-the-service');
    await mkdir(folder);
    await chown(folder, SERVICE.uid, SERVICE.gid);
    const keyFile = join(folder, 'keys', 'inside', 'key.json');
    await empty.auditor.query('alter table audit_entries rename to audit_entries_gone');
    const { code, said } = await empty.parcela(['key', 'create'], {
      ...production,
      PARCELA_KEY_FILE: keyFile,
    });
    assert.equal(code, 1);
    const [keyId] = await keyIds(keyFile);
    assert.match(
      said,
      new RegExp(`made the key-encryption key ${keyId} in .*, but the audit log does not record it`),
    );
    assert.doesNotMatch(said, /nothing was done/);
    for (const path of [join(folder, 'keys'), dirname(keyFile), keyFile])
      assert.deepEqual(await ownerOf(path), SERVICE, path);
  } finally {
    await empty.close();
  }
});
