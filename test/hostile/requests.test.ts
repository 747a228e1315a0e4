import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type HostileService, openHostileService, REQUESTS_ALONE } from './hostile-service.ts';
import { tryCallers } from './try-callers.ts';
import { tryCardNumbers } from './try-card-numbers.ts';
import { tryCombined } from './try-combined.ts';
import { tryFields } from './try-fields.ts';
import { tryLookUpsBeside } from './try-look-ups-beside.ts';
import { hangUp } from './wire.ts';

/** What is hostile in a request by itself, all to one service in which nothing works beside requests. */
let service: HostileService;
const opened = (): HostileService => service;

before(async () => {
  service = await openHostileService(REQUESTS_ALONE);
});
after(async () => {
  hangUp();
  await service.close();
});

tryFields(opened);
tryLookUpsBeside(opened);
tryCardNumbers(opened);
tryCombined(opened);
tryCallers(opened);

test('after all that every line of the log is one entry, and none records a failure', async () => {
  const lines = [...service.log];
  for (const line of lines) JSON.parse(line);
  assert.ok(lines.length > 100);
  const failures = lines.filter((line) => /"level":"(error|fatal)"/.test(line));
  assert.deepEqual(failures.slice(0, 5), []);
});
