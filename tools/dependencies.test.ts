import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Lock } from './bill-of-materials.ts';
import {
  dependencyComplaints,
  dependencyWarnings,
  listedDependencies,
  type Manifest,
} from './dependencies.ts';

const MANIFEST: Manifest = { dependencies: { web: '2.0.0' }, devDependencies: { '@a/b': '1.0.0-beta.1' } };
const WEB = '| `web` | 2.0.0 | 2026-01-31 | MIT | 2026-06-01 | serves |';
const TOOL = '| `@a/b` | 1.0.0-beta.1 | 2026-02-01 | ISC | 2026-02-01 | checks |';
const PAGE = `# Dependencies\n\n| a |\n|---|\n${WEB}\n${TOOL}\n| other | \`web\` |\n`;
const LOCK: Lock = {
  name: 'shop',
  version: '1.0.0',
  packages: {
    '': { version: '1.0.0' },
    'node_modules/web': { version: '2.0.0', license: 'MIT', integrity: 'sha512-AAEC' },
    'node_modules/@a/b': { version: '1.0.0-beta.1', license: 'ISC', integrity: 'sha512-AAEC' },
    'node_modules/@a/b-other-machine': {
      ...{ version: '1.0.0', license: 'MIT', integrity: 'sha512-AAEC' },
      ...{ dev: true, optional: true },
    },
  },
};

function packagesWith(path: string, entry: Lock['packages'][string]): Lock {
  return { ...LOCK, packages: { ...LOCK.packages, [path]: entry } };
}

function assertOne(complaints: readonly string[], wanted: RegExp): void {
  assert.equal(complaints.length, 1, complaints.join('\n'));
  assert.match(complaints[0] as string, wanted);
}

test('package.json, the lock and the page say alike', () => {
  const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  const manifest = JSON.parse(read('package.json')) as Manifest;
  const lock = JSON.parse(read('package-lock.json')) as Lock;
  assert.deepEqual(dependencyComplaints(manifest, lock, read('docs/dependencies.md')), []);
  assert.ok(listedDependencies(read('docs/dependencies.md')).length > 20);
});

test('a difference is found', () => {
  const of = (manifest: Manifest, page = PAGE, lock = LOCK) => dependencyComplaints(manifest, lock, page);
  assert.deepEqual(of(MANIFEST), []);
  assertOne(of({ ...MANIFEST, optionalDependencies: { more: '1.0.0' } }), /lacks more/);
  assertOne(of({ dependencies: { web: '2.0.0' } }), /@a\/b is no dependency/);
  assertOne(of(MANIFEST, PAGE + WEB), /web twice/);
  assertOne(of(MANIFEST, PAGE.replace('2.0.0', '1.9.0')), /web is 2\.0\.0, not 1\.9\.0/);
  assertOne(of(MANIFEST, PAGE.replace('MIT', 'ISC')), /licence of web is MIT/);
  assertOne(of(MANIFEST, PAGE.replace('2026-01-31', '2026-01-32')), /needs the day/);
  assertOne(of(MANIFEST, PAGE.replace('2026-06-01', '2026-01-30')), /needs the day/);
  assertOne(of(MANIFEST, PAGE.replace('serves', '')), /says nothing/);
  for (const version of ['^2.0.0', '*', 'latest', '2.0', '>=2.0.0', 'github:a/b', '2.0.0 || 3.0.0']) {
    const complaints = of({ ...MANIFEST, dependencies: { web: version } }, PAGE.replace('2.0.0', version));
    assert.ok(
      complaints.some((text) => text.includes('pinned to one version')),
      version,
    );
  }
});

test('a licence that is not on the list, none, and a package without its hash are found', () => {
  const of = (entry: Lock['packages'][string]) =>
    dependencyComplaints(MANIFEST, packagesWith('node_modules/web/node_modules/log', entry), PAGE);
  assert.deepEqual(of({ version: '1.0.0', license: 'BSD-3-Clause', integrity: 'sha512-AAEC' }), []);
  assertOne(
    of({ version: '1.0.0', license: 'AGPL-3.0', integrity: 'sha512-AAEC' }),
    /log is under AGPL-3\.0/,
  );
  assertOne(of({ version: '1.0.0', integrity: 'sha512-AAEC' }), /log is under no licence/);
  assertOne(of({ version: '1.0.0', license: 'MIT' }), /log has no integrity/);
  assertOne(of({ version: '1.0.0', license: 'MIT', dev: true }), /log has no integrity/);
  assertOne(of({ version: '1.0.0', license: 'MIT', dev: true, optional: true }), /log has no integrity/);
});

test('time alone only warns: of a version of eighteen months that was not looked at for six', () => {
  assert.deepEqual(dependencyWarnings(PAGE, '2027-07-31'), []);
  const [warning, ...others] = dependencyWarnings(PAGE, '2027-08-01');
  assert.match(warning ?? '', /^web 2\.0\.0 is of 2026-01-31/);
  assert.deepEqual(others, []);
  assert.equal(dependencyWarnings(PAGE, '2027-08-02').length, 2);
  assert.equal(dependencyWarnings(PAGE.replace('2026-06-01', '2027-02-02'), '2027-08-02').length, 1);
  assert.deepEqual(dependencyComplaints(MANIFEST, LOCK, PAGE), []);
});
