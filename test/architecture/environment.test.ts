import { test } from 'node:test';
import { environmentComplaints } from './environment.ts';
import { assertNone, assertOne, planted } from './planted.ts';
import { readSourceTree } from './source-tree.ts';

const tree = readSourceTree();

test('only config.ts reads the environment', () => {
  assertNone(environmentComplaints(tree));
});

test('another reader of the environment is found', () => {
  for (const source of [
    'const port = process.env.PORT;',
    "const port = process?.env['PORT'];",
    'const { env } = process;',
    'const { argv, env: settings } = process;',
    'const started = start(process.env);',
    "import { env } from 'node:process';",
  ]) {
    assertOne(environmentComplaints(planted({ 'src/cards/open-card.ts': source })), /open-card\.ts:1: /);
  }
  assertOne(environmentComplaints(planted({ 'src/main.ts': 'go(process.env.PORT)' })), /only config\.ts/);
  const good = 'const started = start(process.env); const child = { env: {} };';
  assertNone(environmentComplaints(planted({ 'src/main.ts': good, 'src/app/config.ts': 'process.env.A' })));
});
