import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { openProductionProcess, type ProductionService } from '../antifraud/production-service.ts';
import { call } from '../kit/merchant.ts';
import { type Service, startService, until } from '../kit/service.ts';

const NO_INSPECTOR = '--disable-sigusr1';
/** Bit of SIGUSR1 in the masks of /proc. */
const SIGUSR1_BIT = 1n << 9n;
let production: ProductionService<Service>;

before(async () => {
  production = await openProductionProcess({});
});
after(() => production.close());

/** The ports that a process listens on, as the kernel says. */
async function listening(processId: number): Promise<string[]> {
  const folder = `/proc/${processId}/fd`;
  const links = (await readdir(folder)).map((name) => readlink(`${folder}/${name}`).catch(() => ''));
  const inodes = new Set((await Promise.all(links)).map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
  const tables = ['tcp', 'tcp6'].map((name) =>
    readFile(`/proc/${processId}/net/${name}`, 'utf8').catch(() => ''),
  );
  const rows = (await Promise.all(tables)).flatMap((table) => table.split('\n').slice(1));
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && inodes.has(inode))
    .map(([, local = '']) => local)
    .sort();
}

async function hasPending(processId: number): Promise<boolean> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8');
  return (BigInt(`0x${/^ShdPnd:\s*(\w+)/m.exec(status)?.[1] ?? '0'}`) & SIGUSR1_BIT) !== 0n;
}

test('npm start and the command line keep the inspector out of reach of a signal', async () => {
  const { scripts } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const name of ['start', 'parcela'])
    assert.match(scripts[name] ?? '', new RegExp(`/node ${NO_INSPECTOR} bin/run\\.mjs src/`), name);
});

test('SIGUSR1 opens nothing in a service of production, and it lives on', async () => {
  const { service } = production;
  const processId = service.process.pid as number;
  const before = await listening(processId);
  assert.equal(before.length, 2, 'both APIs and the metrics');
  service.process.kill('SIGUSR1');
  await until('the kernel holds the signal back', () => hasPending(processId));
  assert.equal((await call(service.gatewayUrl, '/health/live')).status, 200);
  assert.deepEqual(await listening(processId), before);
  assert.doesNotMatch(service.said.join('\n'), /Debugger listening/);
});

test('a start without the option of npm start opens nothing either', async () => {
  const { keys, settings } = production;
  const service = await startService({
    folder: keys.folder,
    settings: { ...keys.settings, ...settings },
    nodeOptions: [],
  });
  try {
    const processId = service.process.pid as number;
    const before = await listening(processId);
    service.process.kill('SIGUSR1');
    await until('it says so', async () => service.said.includes('SIGUSR1: the inspector stays closed.'));
    assert.equal((await call(service.gatewayUrl, '/health/live')).status, 200);
    assert.deepEqual(await listening(processId), before);
  } finally {
    await service.stop();
  }
});

test('the same signal opens the inspector of a Node without either: the proof can fail', async () => {
  const child: ChildProcess = spawn(
    process.execPath,
    ['--inspect-port=0', '-e', 'console.log("up");setInterval(()=>{}, 1000)'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  try {
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    const processId = child.pid as number;
    assert.deepEqual(await listening(processId), []);
    child.kill('SIGUSR1');
    await until('it listens', async () => (await listening(processId)).length === 1);
  } finally {
    child.kill('SIGKILL');
  }
});
