import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DataFolderInUse, DataFolderUnusable, openDataFolder } from './data-folder.ts';

const place = await mkdtemp(join(tmpdir(), 'parcela-data-folder-'));
after(() => rm(place, { recursive: true, force: true }));
const quietly = () => {};
const isRoot = process.getuid?.() === 0;

/** Another Parcela that holds the folder until it is killed. */
async function startHolder(path: string, platform: NodeJS.Platform = process.platform) {
  const program = `
    import { openDataFolder } from ${JSON.stringify(new URL('./data-folder.ts', import.meta.url).href)};
    await openDataFolder(${JSON.stringify(path)}, () => {}, ${JSON.stringify(platform)});
    console.log('held');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

test('a new data folder is closed to other users and said', async () => {
  const said: string[] = [];
  const folder = await openDataFolder(join(place, 'new', 'inner'), (line) => said.push(line));
  assert.equal((await stat(folder.path)).mode & 0o777, isRoot ? 0o711 : 0o700);
  assert.deepEqual(said, [`Created the data folder ${folder.path}`]);
  await folder.release();
});

// 'darwin' stands for every system without abstract sockets; its way works on Linux too.
for (const platform of ['linux', 'darwin'] as const) {
  if (platform === 'linux' && process.platform !== 'linux') continue;

  test(`a second start on the same folder is refused until the first is killed (as on ${platform})`, async () => {
    const path = join(place, `held-on-${platform}`);
    const holder = await startHolder(path, platform);
    const alias = join(place, `alias-on-${platform}`);
    await symlink(path, alias);
    for (const name of [path, alias]) {
      await assert.rejects(openDataFolder(name, quietly, platform), (error: Error) => {
        assert.ok(error instanceof DataFolderInUse);
        assert.match(error.message, new RegExp(`process ${holder.pid}\\b.*held-on-${platform}`));
        return true;
      });
    }
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await (await openDataFolder(path, quietly, platform)).release();
  });
}

test('a released folder can be opened again by the same process', async () => {
  const path = join(place, 'released');
  const first = await openDataFolder(path, quietly);
  await assert.rejects(openDataFolder(path, quietly), DataFolderInUse);
  await first.release();
  await (await openDataFolder(path, quietly)).release();
});

test('a full folder that everybody can write is refused and left as it is', async () => {
  const path = join(place, 'shared');
  await mkdir(path);
  await writeFile(join(path, 'something'), '');
  await chmod(path, 0o777);
  await assert.rejects(openDataFolder(path, quietly), DataFolderUnusable);
  assert.equal((await stat(path)).mode & 0o777, 0o777);
});

test('a path that is a file is refused with its name', async () => {
  const path = join(place, 'file');
  await writeFile(path, '');
  await assert.rejects(openDataFolder(path, quietly), /data folder .*file cannot be used/);
});
