import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { attack, seedFrom } from './attack.ts';
import { type HostileService, openHostileService, REQUESTS_ALONE } from './hostile-service.ts';
import { hangUp } from './wire.ts';

const CASES = 3_000;
const seed = seedFrom(process.env);

let service: HostileService;

before(async () => {
  service = await openHostileService(REQUESTS_ALONE);
});
after(async () => {
  hangUp();
  await service.close();
});

test(`${CASES} requests with one to three faults each are all answered as they deserve (HOSTILE_SEED=${seed})`, async () => {
  const cases = Array.from({ length: CASES }, (_, number) => number);
  const { violations, byStatus, byEndpoint } = await attack(service, { seed, cases });
  console.log(`HOSTILE_SEED=${seed}`, Object.fromEntries(byStatus), Object.fromEntries(byEndpoint));
  if (violations.length > 0)
    assert.fail(`seed ${seed}: ${violations.length} violations:\n${violations.join('\n')}`);
});
