import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LAST_RELEASE, whyNoRelease } from '../../chaos/upgrade/last-release.ts';
import { runUpgrade } from '../../chaos/upgrade/run-upgrade.ts';

/** `npm run chaos -- upgrade` (docs/upgrading.md): another draw each time, the seed is printed. */
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

test('the last release and this version serve one database, forwards and back, and no request fails', {
  skip: (await whyNoRelease(LAST_RELEASE)) ?? false,
}, async (context) => {
  const report = await runUpgrade({
    ...{ commit: LAST_RELEASE, perSecond: 5, phaseSeconds: 2, seed: SEED },
    say: (line) => context.diagnostic(line),
  });
  const { paid, notified, charged, failures, violations } = report;
  assert.deepEqual(failures, [], `SEED=${SEED}\n${report.warnings.slice(-40).join('\n')}`);
  assert.deepEqual(violations, [], `SEED=${SEED}`);
  assert.ok(paid.approved > 0 && paid.givenBack > 0 && notified.deliveries > 0 && charged.payments > 0);
});
