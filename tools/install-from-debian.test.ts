import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { installFromDebian } from './install-from-debian.ts';

/** Says what it was asked, and makes a file for each package but the one that no mirror has. */
const APT_GET = `#!/bin/sh
echo "$@" >> "$FOLDER/asked"
case "$*" in *silent*) exec tail -f /dev/null ;; *unknown*) exit 100 ;; esac
case "$*" in *install*) for word do touch "$FOLDER/there-$word"; done ;; esac
`;

const { PATH } = process.env;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-apt-'));
  await writeFile(join(folder, 'apt-get'), APT_GET, { mode: 0o755 });
  process.env.PATH = `${folder}:${PATH}`;
  process.env.FOLDER = folder;
});
afterEach(async () => {
  process.env.PATH = PATH;
  delete process.env.FOLDER;
  await rm(folder, { recursive: true, force: true });
});

const program = (name: string) => ({
  name,
  package: name,
  isThere: () => existsSync(join(folder, `there-${name}`)),
});
/** What apt-get was asked, without its options. */
const asked = async () =>
  (await readFile(join(folder, 'asked'), 'utf8'))
    .trimEnd()
    .replaceAll(/-\S+ (\S+=\S+ )?/g, '')
    .split('\n');

test('lists are read before, and one package that cannot be had keeps no other away', async () => {
  assert.equal(installFromDebian(['one', 'unknown', 'two'].map(program)), 1);
  assert.deepEqual(await asked(), [
    'update',
    'install one unknown two',
    'install one',
    'install unknown',
    'install two',
  ]);
  assert.deepEqual(
    ['one', 'unknown', 'two'].map((name) => program(name).isThere()),
    [true, false, true],
  );
});

test('what is there is not asked for', async () => {
  assert.equal(installFromDebian([program('one')]), 0);
  assert.equal(installFromDebian([program('one')]), 0);
  assert.deepEqual(await asked(), ['update', 'install one']);
});

test('a mirror that says nothing ends with the time that there is, and so does what comes after', async () => {
  assert.equal(installFromDebian(['silent', 'one'].map(program), 2_000), 1);
  assert.ok(!program('one').isThere());
});
