import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockFolder } from './folder-lock.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A process that locks the folder and stays. */
async function locker(folder: string, platform: NodeJS.Platform) {
  const source = `
    const { lockFolder } = await import(${JSON.stringify(join(import.meta.dirname, 'folder-lock.ts'))});
    await lockFolder(${JSON.stringify(folder)}, 0, ${JSON.stringify(platform)});
    process.stdout.write('locked');
    setInterval(() => {}, 1_000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source]);
  await once(child.stdout, 'data');
  return child;
}

for (const platform of process.platform === 'linux'
  ? (['linux', 'darwin'] as const)
  : (['darwin'] as const)) {
  test(`a folder has one program at a time, until that is killed (${platform})`, async (t) => {
    const folder = temporaryFolder(t);
    const child = await locker(folder, platform);
    t.after(() => child.kill('SIGKILL'));
    assert.equal(await lockFolder(folder, 0, platform), null);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    assert.equal(existsSync(join(folder, 'lock.sock')), platform === 'darwin');
    const lock = await lockFolder(folder, 5_000, platform);
    assert.equal(await lockFolder(folder, 0, platform), null);
    lock?.release();
    assert.notEqual(await lockFolder(folder, 5_000, platform), null);
  });
}

test('a folder is the same by every name', { skip: process.platform !== 'linux' }, async (t) => {
  const folder = temporaryFolder(t);
  const other = join(temporaryFolder(t), 'link');
  symlinkSync(folder, other);
  assert.notEqual(await lockFolder(folder, 0), null);
  assert.equal(await lockFolder(other, 0), null);
});
