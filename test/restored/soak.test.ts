import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorFindings, trendFindings } from '../../chaos/soak/judge.ts';
import type { Reading, Window } from '../../chaos/soak/readings.ts';

const MB = 1_000_000;
const STEADY: Reading = {
  ...{ residentBytes: 200 * MB, heapBytes: 80 * MB, descriptors: 60, connections: 16, mostConnections: 16 },
  ...{ errors: new Map(), requests: 1 },
};
const run = (change: (minute: number) => Partial<Reading>, bloated: Window['bloated'] = null): Window[] =>
  Array.from({ length: 20 }, (_, minute) => ({
    ...{ minute, bloated, deadRows: 0, databaseBytes: 0 },
    services: [STEADY, { ...STEADY, ...change(minute) }],
  }));

test('what grows minute by minute is found, and what swings or grew at the start is not', () => {
  assert.deepEqual(trendFindings(run(() => ({}))), []);
  assert.deepEqual(trendFindings(run((minute) => ({ heapBytes: (80 + (minute % 3) * 4) * MB }))), []);
  assert.deepEqual(trendFindings(run((minute) => ({ heapBytes: Math.min(80 + minute * 8, 110) * MB }))), []);
  assert.match(
    String(trendFindings(run((minute) => ({ heapBytes: (80 + minute) * MB })))),
    /^the heap is flat: service 2/,
  );
  assert.match(
    String(trendFindings(run((minute) => ({ residentBytes: (200 + minute * 5) * MB })))),
    /^memory is flat/,
  );
  assert.match(
    String(trendFindings(run((minute) => ({ descriptors: 60 + minute * 10 })))),
    /descriptors is flat/,
  );
  assert.match(
    String(trendFindings(run(() => ({}), { table: 'deliveries', dead: 60_000 }))),
    /deliveries has 60000 dead rows/,
  );
});

test('one error is found, and a connection too many', () => {
  assert.deepEqual(
    errorFindings(
      run(() => ({})),
      [],
    ),
    [],
  );
  const errors = new Map([['parcela_work_errors_total{work="deliverDue"}', 1]]);
  const told = '{"level":"error","msg":"a lock took too long"}';
  const found = String(
    errorFindings(
      run(() => ({ errors })),
      [[], ['{"level":"info"}', told]],
    ),
  );
  assert.match(found, /service 2: .*deliverDue.* is 1,.*service 2 said: .*too long/);
  assert.match(
    String(
      errorFindings(
        run(() => ({ connections: 17 })),
        [],
      ),
    ),
    /has 17 of 16/,
  );
});
