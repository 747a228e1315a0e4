import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sliceOf } from '../kit/patience.ts';
import { attack, seedFrom } from './attack.ts';
import type { HostileService } from './hostile-service.ts';

const CASES = sliceOf(3_000, 60);
const SEED = seedFrom(process.env, 1);

/** Requests with several faults each, to a service that is open by then. */
export function tryCombined(service: () => HostileService): void {
  test(`${CASES} requests with one to three faults each are all answered as they deserve (HOSTILE_SEED=${SEED})`, async (context) => {
    const cases = Array.from({ length: CASES }, (_, number) => number);
    const { violations, byStatus } = await attack(service(), { seed: SEED, cases });
    context.diagnostic(JSON.stringify(Object.fromEntries(byStatus)));
    if (violations.length > 0)
      assert.fail(`seed ${SEED}: ${violations.length} violations:\n${violations.join('\n')}`);
  });
}
