import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { adiqFileLines } from '../../packages/settlement-files/test/adiq-lines.ts';
import { cnab240 } from '../../packages/settlement-files/test/return-lines.ts';

const PACKAGE = fileURLToPath(new URL('../../packages/settlement-files', import.meta.url));
const run = promisify(execFile);
let folder: string;
const homeOf = () => join(folder, 'node_modules/@parcela/settlement-files');

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-settlement-files-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: PACKAGE });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as { filename: string }[];
  await mkdir(homeOf(), { recursive: true });
  const words = ['-xzf', join(folder, packed?.filename ?? ''), '-C', homeOf(), '--strip-components=1'];
  await run('tar', words);
  await writeFile(
    join(folder, 'bank.ret'),
    cnab240({ bank: '237' }, [{ movement: '06', paid: 100 }]).join('\n'),
  );
  await writeFile(join(folder, 'adiq.txt'), adiqFileLines().join('\n'));
});
after(async () => {
  await rm(join(PACKAGE, 'dist'), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
});

test('the program of the README runs with the package alone, and reads each kind', async () => {
  const page = await readFile(join(homeOf(), 'README.md'), 'utf8');
  const program = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  assert.ok(program.split('\n').length <= 20);
  await writeFile(join(folder, 'read.mjs'), program);
  const { stdout } = await run(process.execPath, ['read.mjs', 'bank.ret', 'adiq.txt'], { cwd: folder });
  assert.match(stdout, /format: 'cnab240'[\s\S]*paid null 100[\s\S]*format: 'adiq'[\s\S]*payout/);
});

test('its command prints the events of a file, and has types', async () => {
  const command = join(homeOf(), 'dist/command.js');
  const { stdout } = await run(process.execPath, [command, 'read', join(folder, 'adiq.txt')]);
  const types = stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { type: string }).type);
  assert.deepEqual([types[0], types.at(-1)], ['head', 'end']);
  const refused = run(process.execPath, [command, 'read', join(dirname(command), 'index.js')]);
  await assert.rejects(refused, { code: 1 });
  assert.match(await readFile(join(homeOf(), 'dist/index.d.ts'), 'utf8'), /readReturnEvents/);
});
