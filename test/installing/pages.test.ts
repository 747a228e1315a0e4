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
const PAGES = ['docs/installing.md', 'docs/upgrading.md'];

let here: Installation;
let empty: TestDatabase;
before(async () => {
  here = await openInstallation();
  empty = await createTestDatabase({ migrated: false });
});
after(async () => {
  await here.close();
  await empty.drop();
});

for (const page of PAGES) {
  test(`the commands of ${page} work as they are pasted`, async () => {
    const commands = snippetsOf(readFileSync(join(ROOT, page), 'utf8')).filter(
      ({ language, isShownOnly }) => language === 'sh' && !isShownOnly,
    );
    assert.ok(commands.length > 0);
    const settings = { ...here.settings, ...databaseSettings(empty), PARCELA_HOLD_WORK: '1' };
    const script = `set -e\nparcela() { "${join(ROOT, 'bin/parcela')}" "$@"; }\n${commands.map(({ text }) => text).join('\n')}`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      env: cleanEnvironment(settings),
      cwd: here.folder,
    });
    assert.match(stdout, /applied|nothing was applied|The schema is of this version/);
  });
}
