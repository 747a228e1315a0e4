import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const ground = await mkdtemp(join(tmpdir(), 'parcela-install-'));
after(() => rm(ground, { recursive: true, force: true }));

const lock = {
  lockfileVersion: 3,
  packages: {
    '': { name: 'parcela' },
    'node_modules/alpha': { version: '1.2.3', integrity: 'sha512-alpha' },
    'node_modules/@of/beta': { version: '2.0.0', integrity: 'sha512-beta' },
    'node_modules/node-here': {
      version: process.versions.node,
      integrity: 'sha512-node',
      optional: true,
      os: [process.platform],
      cpu: process.arch,
      bin: { node: 'bin/node' },
    },
    'node_modules/node-there': { version: '9.9.9', optional: true, os: ['aix'], cpu: ['ppc64'] },
    'node_modules/needed-there': { version: '1.0.0', optional: true, integrity: 'sha512-there' },
    'node_modules/tool': { version: '3.0.0', integrity: 'sha512-tool', dev: true },
    'node_modules/tool-without-proof': { version: '3.0.0', dev: true, optional: true },
  },
};

/**
 * Stands in for npm: installs what the lock file lists in a moment. FAKE_NPM makes it do otherwise;
 * each `ci` adds a line to calls.log.
 */
const fakeNpm = `
const fs = require('node:fs');
const path = require('node:path');
const mode = process.env.FAKE_NPM || '';
if (process.argv.includes('--version')) {
  console.log(mode === 'old' ? '10.9.2' : '12.2.0');
  process.exit(0);
}
const calls = fs.existsSync('calls.log') ? fs.readFileSync('calls.log', 'utf8').trim().split('\\n').length : 0;
fs.appendFileSync('calls.log', process.pid + ' ' + process.argv.slice(2).join(' ') + '\\n');
fs.rmSync('node_modules', { recursive: true, force: true });
if (mode === 'offline') {
  console.error('npm error code ENOTFOUND\\nnpm error network request to https://registry.npmjs.org/alpha failed');
  process.exit(1);
}
const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
const installed = {};
for (const [folder, entry] of Object.entries(packages)) {
  if (folder === '' || folder.includes('there')) continue;
  if (entry.dev && process.argv.includes('--omit=dev')) continue;
  if (mode === 'incomplete' || (mode === 'incomplete once' && calls === 0)) if (entry.optional) continue;
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ version: entry.version }));
  installed[folder] = entry;
  if (mode === 'hangs') break;
}
function finish() {
  fs.mkdirSync('node_modules/.bin', { recursive: true });
  if (installed['node_modules/node-here']) fs.symlinkSync(process.env.REAL_NODE, 'node_modules/.bin/node');
  fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: installed }));
}
if (mode === 'hangs') setInterval(() => {}, 1000);
else if (mode === 'slow') {
  const timer = setInterval(() => {
    if (!fs.existsSync('go-on')) return;
    clearInterval(timer);
    finish();
  }, 20);
}
else finish();
`;

type Run = { code: number | null; output: string };

async function newCheckout(name: string) {
  const checkout = join(ground, name);
  await mkdir(join(checkout, 'tools'), { recursive: true });
  await mkdir(join(checkout, 'npm'));
  await cp(new URL('./install.mjs', import.meta.url), join(checkout, 'tools', 'install.mjs'));
  await cp(new URL('./checkout-lock.mjs', import.meta.url), join(checkout, 'tools', 'checkout-lock.mjs'));
  await writeFile(join(checkout, 'npm', 'npm-cli.js'), fakeNpm);
  await writeFile(join(checkout, 'package-lock.json'), JSON.stringify(lock));

  type Started = { child: ChildProcess; ended: Promise<Run> };
  function start(mode = '', args: string[] = [], settings: Record<string, string> = {}): Started {
    const child = spawn(process.execPath, [join(checkout, 'tools', 'install.mjs'), ...args], {
      cwd: '/',
      env: {
        PATH: dirname(process.execPath),
        FAKE_NPM: mode,
        REAL_NODE: process.execPath,
        npm_execpath: join(checkout, 'npm', 'npm-cli.js'),
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, output })) };
  }

  return {
    checkout,
    start,
    run: (mode = '', args: string[] = [], settings: Record<string, string> = {}): Promise<Run> =>
      start(mode, args, settings).ended,
    /** The arguments of each `npm ci`, with its process id before them. */
    async calls(): Promise<string[]> {
      const text = await readFile(join(checkout, 'calls.log'), 'utf8').catch(() => '');
      return text.split('\n').filter((line) => line !== '');
    },
  };
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function comesTrue(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}

test('a fresh checkout is installed once, and then left alone in silence', async () => {
  const { run, calls } = await newCheckout('fresh');
  const first = await run();
  assert.equal(first.code, 0, first.output);
  assert.match(first.output, /Installing the packages of Parcela \(they are not installed yet\)/);
  assert.match((await calls())[0] ?? '', / ci .*--ignore-scripts --include=dev --include=optional/);
  assert.deepEqual(await run(), { code: 0, output: '' });
  assert.equal((await calls()).length, 1);
});

test('--quiet installs without a word', async () => {
  const { run } = await newCheckout('quiet');
  assert.deepEqual(await run('', ['--quiet']), { code: 0, output: '' });
});

test('production gets no packages of development, and a tool brings them back', async () => {
  for (const settings of [
    { PARCELA_ENVIRONMENT: 'production' },
    { NODE_ENV: 'production' },
    { npm_config_omit: 'optional dev' },
  ]) {
    const { checkout, run, calls } = await newCheckout(`production-${Object.keys(settings)[0]}`);
    const first = await run('', ['--to-run'], settings);
    assert.equal(first.code, 0, first.output);
    assert.match((await calls())[0] ?? '', / --omit=dev --include=optional/);
    assert.ok(!(await exists(join(checkout, 'node_modules', 'tool'))));
    assert.deepEqual(await run('', ['--to-run'], settings), { code: 0, output: '' });
    assert.match((await run('', [], settings)).output, /tool is missing/);
    assert.ok(await exists(join(checkout, 'node_modules', 'tool')));
    assert.deepEqual(await run('', ['--to-run'], settings), { code: 0, output: '' });
  }
  const { run, calls } = await newCheckout('homologation');
  await run('', ['--to-run']);
  assert.match((await calls())[0] ?? '', / --include=dev /);
});

test('a package that runs is refused without its integrity, one of development or another machine is not', async () => {
  const { checkout, run, calls } = await newCheckout('unproven');
  const { integrity: _, ...unproven } = lock.packages['node_modules/alpha'];
  const packages = { ...lock.packages, 'node_modules/alpha': unproven };
  await writeFile(join(checkout, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
  const { code, output } = await run();
  assert.equal(code, 1);
  assert.match(output, /package-lock\.json gives no integrity of alpha:/);
  assert.deepEqual(await calls(), []);
});

test('every package has its integrity in the lock file, also what other machines install', async () => {
  const text = await readFile(new URL('../package-lock.json', import.meta.url), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, { integrity?: string }> };
  const unproven = Object.entries(packages).filter(([path, { integrity }]) => path !== '' && !integrity);
  assert.deepEqual(unproven, []);
});

const damages: [string, (checkout: string) => Promise<void>, RegExp][] = [
  [
    'a removed package',
    (checkout) => rm(join(checkout, 'node_modules', '@of'), { recursive: true }),
    /@of\/beta is missing/,
  ],
  [
    'a package replaced half way',
    (checkout) =>
      writeFile(join(checkout, 'node_modules', 'alpha', 'package.json'), '{ "version": "1.0.0" }'),
    /alpha is 1\.0\.0, not 1\.2\.3/,
  ],
  [
    'a lock file of another version',
    async (checkout) => {
      const changed = structuredClone(lock);
      changed.packages['node_modules/alpha'].version = '1.2.4';
      await writeFile(join(checkout, 'package-lock.json'), JSON.stringify(changed));
    },
    /alpha is 1\.2\.3, not 1\.2\.4 of the lock file/,
  ],
  [
    'a removed Node',
    (checkout) => rm(join(checkout, 'node_modules', '.bin', 'node')),
    /\.bin\/node is missing/,
  ],
  [
    'a Node that does not run',
    async (checkout) => {
      const node = join(checkout, 'node_modules', '.bin', 'node');
      await rm(node);
      await writeFile(node, '#!/bin/sh\nexit 1\n');
      await chmod(node, 0o755);
    },
    /\.bin\/node does not run/,
  ],
  [
    'a Node of another major version',
    async (checkout) => {
      const node = join(checkout, 'node_modules', '.bin', 'node');
      await rm(node);
      await writeFile(node, '#!/bin/sh\necho v20.1.0\n');
      await chmod(node, 0o755);
    },
    /\.bin\/node is v20\.1\.0/,
  ],
];
for (const [what, damage, reason] of damages) {
  test(`${what} is repaired by the next run`, async () => {
    const { checkout, run, calls } = await newCheckout(what.replaceAll(' ', '-'));
    await run();
    await damage(checkout);
    const { code, output } = await run();
    assert.equal(code, 0, output);
    assert.match(output, reason);
    assert.equal((await calls()).length, 2);
    assert.deepEqual(await run(), { code: 0, output: '' });
  });
}

test('an installation killed half way is repaired by the next run', async () => {
  const { checkout, start, run, calls } = await newCheckout('killed');
  const killed = start('hangs');
  await comesTrue(() => exists(join(checkout, 'node_modules', 'alpha')));
  killed.child.kill('SIGKILL');
  process.kill(Number((await calls())[0]?.split(' ')[0]), 'SIGKILL');
  await killed.ended;
  const { code, output } = await run();
  assert.equal(code, 0, output);
  assert.ok(!(await exists(join(checkout, '.installing'))));
});

test('an interrupted installation ends npm and frees the checkout', async () => {
  const { checkout, start, calls } = await newCheckout('interrupted');
  const interrupted = start('hangs');
  await comesTrue(() => exists(join(checkout, 'node_modules', 'alpha')));
  interrupted.child.kill('SIGTERM');
  assert.equal((await interrupted.ended).code, 1);
  assert.ok(!(await exists(join(checkout, '.installing'))));
  const npm = Number((await calls())[0]?.split(' ')[0]);
  assert.throws(() => process.kill(npm, 0), { code: 'ESRCH' });
});

test('of two installations at once the second waits and npm runs once', async () => {
  const { checkout, start, calls } = await newCheckout('twice');
  const first = start('slow');
  await comesTrue(() => exists(join(checkout, '.installing', 'owner.json')));
  const waiting = start('slow');
  let said = '';
  waiting.child.stderr?.on('data', (text: string) => {
    said += text;
  });
  await comesTrue(async () => said.includes('waiting'));
  await writeFile(join(checkout, 'go-on'), '');
  const second = await waiting.ended;
  assert.match(second.output, /Another installation is at work here \(process \d+.*\): waiting/);
  assert.equal(second.code, 0, second.output);
  assert.equal((await first.ended).code, 0);
  assert.equal((await calls()).length, 1);
});

test('an npm that leaves out an optional package is run once more, on the Node that came', async () => {
  const { run, calls } = await newCheckout('incomplete-once');
  const { code, output } = await run('incomplete once');
  assert.equal(code, 0, output);
  assert.match(output, /Once more, because node-here is missing/);
  assert.equal((await calls()).length, 2);
});

test('packages that stay incomplete are said, with what to do', async () => {
  const { run, calls } = await newCheckout('incomplete');
  const { code, output } = await run('incomplete');
  assert.equal(code, 1);
  assert.match(output, /not complete: node-here is missing\.\n.*start again/);
  assert.equal((await calls()).length, 2);
});

test('without a network it says so and frees the checkout', async () => {
  const { checkout, run } = await newCheckout('offline');
  const { code, output } = await run('offline');
  assert.equal(code, 1);
  assert.match(output, /The npm registry cannot be reached\..*ENOTFOUND/s);
  assert.ok(!(await exists(join(checkout, '.installing'))));
});

test('an npm that is too old is refused with what to do', async () => {
  const { run, calls } = await newCheckout('old-npm');
  const { code, output } = await run('old');
  assert.equal(code, 1);
  assert.match(output, /npm 10\.9\.2 is too old.*npm install --global npm@11/s);
  assert.deepEqual(await calls(), []);
});

test('a machine that Parcela brings no Node for is refused by name', async () => {
  const { checkout, run, calls } = await newCheckout('elsewhere');
  const packages = Object.entries(lock.packages).filter(([path]) => path !== 'node_modules/node-here');
  await writeFile(
    join(checkout, 'package-lock.json'),
    JSON.stringify({ packages: Object.fromEntries(packages) }),
  );
  const { code, output } = await run();
  assert.equal(code, 1);
  assert.match(output, new RegExp(`Parcela does not run on ${process.platform} ${process.arch}`));
  assert.deepEqual(await calls(), []);
});
