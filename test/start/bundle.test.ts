import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bundleOf, freshBundle } from '../../bin/bundle.mjs';
import { HOME } from '../../src/platform/home.ts';
import { cleanEnvironment } from '../kit/service.ts';

const PARCELA = 'src/cli/parcela.ts';
const HELP = 'src/cli/run-command.ts';
const FIRST_WORDS = 'Usage: parcela <command> [options]';
const [PLAIN, CHANGED] = ['<command> [options]', '<COMMAND> [OPTIONS]'];
let ground: string;

before(async () => {
  ground = await mkdtemp(join(tmpdir(), 'parcela-bundle-test-'));
  await freshBundle();
});
after(() => rm(ground, { recursive: true, force: true }));

/** A checkout of its own, with the packages of this one. */
async function checkout(name: string, { hasBuilder = true } = {}): Promise<string> {
  const home = join(ground, name);
  for (const part of ['bin', 'src', 'homologation', 'packages', 'simulators', 'migrations', 'package.json'])
    await cp(join(HOME, part), join(home, part), { recursive: true });
  const packages = join(HOME, 'node_modules');
  await mkdir(join(home, 'node_modules'));
  for (const entry of await readdir(packages))
    if (hasBuilder || entry !== '@esbuild')
      await symlink(join(packages, entry), join(home, 'node_modules', entry));
  return home;
}

function run(home: string, words: readonly string[]): Promise<{ printed: string; said: string }> {
  const child = spawn(process.execPath, [join(home, 'bin/run.mjs'), ...words], {
    env: cleanEnvironment({}),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { printed: '', said: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    texts.printed += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    texts.said += chunk;
  });
  return new Promise((resolve) => child.once('close', () => resolve(texts)));
}

/** Leaves length and time of the file as they were. */
async function change(home: string, path: string, from: string, to: string): Promise<void> {
  const file = join(home, path);
  const [text, { atime, mtime }] = [await readFile(file, 'utf8'), await stat(file)];
  assert.ok(text.includes(from), from);
  await writeFile(file, text.replace(from, to));
  await utimes(file, atime, mtime);
}

test('a source that changed, in its content alone, is never run from the bundle of before', async () => {
  const home = await checkout('changed');
  const umask = process.umask(0o077);
  await freshBundle(home).finally(() => process.umask(umask));
  assert.ok(bundleOf(PARCELA, home) !== null);
  for (const one of await readdir(join(home, 'built'), { recursive: true }))
    assert.ok(
      ((await stat(join(home, 'built', one))).mode & 0o004) !== 0,
      `${one} is read by other accounts`,
    );
  await change(home, HELP, PLAIN, CHANGED);
  assert.equal(bundleOf(PARCELA, home), null);
  assert.ok(bundleOf('simulators/bank/main.ts', home) !== null, 'has nothing of that source');
  const { printed } = await run(home, [PARCELA, 'help']);
  assert.ok(printed.includes(CHANGED), printed);
  const bundle = bundleOf(PARCELA, home);
  assert.ok(bundle !== null && (await readFile(bundle.main, 'utf8')).length > 0);
  await change(home, HELP, CHANGED, PLAIN);
  assert.equal(bundleOf(PARCELA, home), null);
  await rm(join(home, HELP));
  assert.equal(bundleOf(PARCELA, home), null);
});

test('several that start at once where there is no bundle make one, and all of them run', async () => {
  const home = await checkout('at-once');
  const runs = await Promise.all([1, 2, 3].map(() => run(home, [PARCELA, 'help'])));
  for (const { printed, said } of runs) {
    assert.ok(printed.startsWith(FIRST_WORDS), printed);
    assert.equal(said, '');
  }
  const made = (await readdir(join(home, 'built'))).filter((name) => name !== 'current.json');
  assert.match(made.join(' '), /^[\da-f]{16}$/);
});

test('without the builder the sources run, and it says so', async () => {
  const home = await checkout('without', { hasBuilder: false });
  const { printed, said } = await run(home, [PARCELA, 'help']);
  assert.ok(printed.startsWith(FIRST_WORDS), printed);
  assert.match(said, /^Running from the sources, which starts slower: .*@esbuild/);
  assert.equal(bundleOf(PARCELA, home), null);
});

test('the stack of an error names the file and the line of the source', async () => {
  const home = await checkout('stack');
  const program = 'simulators/antifraud/main.ts';
  const file = join(home, program);
  const text = await readFile(file, 'utf8');
  const planted =
    'type Nothing = null;\nfunction plantedFault(): Nothing {\n  throw new Error("planted");\n}\n';
  const call = 'try {\n  plantedFault();\n} catch (error) {\n  console.error((error as Error).stack);\n}\n';
  await writeFile(file, `${text}${planted}${call}process.exit();\n`);
  const line = text.split('\n').length + 2;
  const { said } = await run(home, [program, '--port', '0']);
  assert.ok(bundleOf(program, home) !== null);
  const [head, first, second] = said.split('\n');
  assert.equal(head, 'Error: planted');
  assert.match(first ?? '', new RegExp(`^ {4}at plantedFault \\(file://.*/${program}:${line}:9\\)$`));
  assert.match(second ?? '', new RegExp(`^ {4}at file://.*/${program}:${line + 3}:3$`));
});
