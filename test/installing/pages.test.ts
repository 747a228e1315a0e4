import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { snippetsOf } from '../architecture/translations.ts';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';
import { cleanEnvironment, databaseSettings } from '../kit/service.ts';
import { type Installation, openInstallation } from './doctor-setup.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What each command prints; a page has its commands in this order. */
const PRINTED = {
  'parcela help': /^Usage: parcela <command>/,
  'parcela help migrate': /--dry-run/,
  'parcela migrate --dry-run': /^\d+ to apply, 0 applied; nothing was changed\./m,
  'parcela migrate': /^applied {2}0001-merchants\.sql$/m,
  'parcela doctor': /^\d+ faults, \d+ warnings, \d+ fine$/m,
  'parcela doctor --json': /"diagnoses":/,
} as const;
type Command = keyof typeof PRINTED;
const PAGES: Readonly<Record<string, readonly Command[]>> = {
  'docs/installing.md': [
    'parcela help',
    'parcela help migrate',
    'parcela migrate --dry-run',
    'parcela migrate',
    'parcela doctor',
    'parcela doctor --json',
  ],
  'docs/upgrading.md': ['parcela migrate --dry-run', 'parcela migrate'],
};
/** Between what two commands print. */
const MARK = '=== next ===';

let here: Installation;
const opened: TestDatabase[] = [];
before(async () => {
  here = await openInstallation();
});
after(async () => {
  await here.close();
  await Promise.all(opened.map((database) => database.drop()));
});

async function newDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase({ migrated: false });
  opened.push(database);
  return database;
}

for (const [page, wanted] of Object.entries(PAGES)) {
  test(`the commands of ${page} work as they are pasted`, async () => {
    const commands = snippetsOf(readFileSync(join(ROOT, page), 'utf8'))
      .filter(({ language, isShownOnly }) => language === 'sh' && !isShownOnly)
      .flatMap(({ text }) => text.split('\n').filter((line) => line.trim() !== ''));
    assert.deepEqual(
      commands.map((line) => line.replace(/ *#.*/, '')),
      wanted,
    );
    const settings = { ...here.settings, ...databaseSettings(await newDatabase()), PARCELA_HOLD_WORK: '1' };
    const script = [
      `set -e\nparcela() { "${join(ROOT, 'bin/parcela')}" "$@"; }`,
      ...commands.map((line) => `${line}\necho '${MARK}'`),
    ].join('\n');
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      env: cleanEnvironment(settings),
      cwd: here.folder,
    });
    const printed = stdout.split(`${MARK}\n`);
    for (const [index, command] of wanted.entries())
      assert.match(printed[index] ?? '', PRINTED[command], command);
  });
}
