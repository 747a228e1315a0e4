import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ArchiveLook } from '../../platform/database-watch/server-facts.sql.ts';
import { judgeArchive } from './check-archive.ts';

const WELL: ArchiveLook = {
  ...{ isOn: true, timeoutSeconds: 60, failingFile: null, failures: 3 },
  ...{ ageSeconds: 30, unarchivedBytes: 5e6, slot: null },
};
const SLOT = { name: 'standby2', isActive: false, keptBytes: 9e9 };

test('an archive that goes on is fine, and what stands in its way is named', () => {
  const cases: readonly (readonly [Partial<ArchiveLook>, string[], RegExp])[] = [
    [{}, ['ok'], /archives its log, 30 s ago; 5 MB wait/],
    [{ ageSeconds: null, unarchivedBytes: null }, ['ok'], /archives its log$/],
    [{ isOn: false }, ['warning'], /archive_mode is off/],
    [{ failingFile: '00000001000000000000000A' }, ['fault'], /0000000A, 3 tries failed; 5 MB wait/],
    [{ timeoutSeconds: 0 }, ['warning'], /archive_timeout is 0/],
    [{ ageSeconds: 1_801, unarchivedBytes: 200e6 }, ['warning'], /for 30 minutes; 200 MB wait/],
    [{ ageSeconds: 1_801 }, ['ok'], /archives/],
    [{ ageSeconds: 3_000, timeoutSeconds: 2_000, unarchivedBytes: 200e6 }, ['ok'], /archives/],
    [{ slot: { ...SLOT, keptBytes: 1e9 } }, ['ok'], /archives/],
    [{ slot: SLOT }, ['ok', 'warning'], /standby2 has no reader, and 9000 MB/],
    [{ slot: { ...SLOT, isActive: true } }, ['ok', 'warning'], /standby2 is behind/],
  ];
  for (const [change, states, says] of cases) {
    const found = judgeArchive({ ...WELL, ...change }, true);
    assert.deepEqual(
      found.map(({ state }) => state),
      states,
    );
    assert.match(found.map((each) => each.says).join('\n'), says);
  }
});

test('homologation need not archive', () => {
  assert.deepEqual(judgeArchive({ ...WELL, isOn: false }, false), []);
});
