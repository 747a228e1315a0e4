import { test } from 'node:test';
import { SETTINGS } from '../../src/app/settings.ts';
import { environmentComplaints } from './environment.ts';
import { assertNone, assertOne, planted } from './planted.ts';
import { settingsComplaints } from './settings.ts';
import { readSourceTree } from './source-tree.ts';

const tree = readSourceTree();

test('the table of docs/configuration.md names exactly the settings there are', () => {
  assertNone(
    settingsComplaints(
      tree,
      SETTINGS.map(({ name }) => name),
    ),
  );
});

test('only config.ts reads the environment', () => {
  assertNone(environmentComplaints(tree));
});

test('a setting that the table lacks is found, and the reverse', () => {
  const page = (rows: string) =>
    planted({
      'docs/configuration.md': `# Configuration\n\n| a | b |\n|---|---|\n${rows}\n\n## Next\n| \`ELSE\` |\n`,
    });
  assertNone(settingsComplaints(page('| `A` | `B` |\n| `C_D` | |'), ['A', 'C_D']));
  assertOne(settingsComplaints(page('| `A` | `B` |'), ['A', 'C_D']), /lacks C_D/);
  assertOne(settingsComplaints(page('| `A` | |\n| `B` | |'), ['A']), /B is no setting/);
  assertOne(settingsComplaints(page('| `A` | |\n| `A` | |'), ['A']), /stands twice/);
  assertOne(settingsComplaints(planted({ 'docs/configuration.md': '# Configuration\n' }), ['A']), /lacks A/);
  assertNone(settingsComplaints(planted({}), ['A']));
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
