import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Closing, closeAll } from '../platform/closings.ts';
import { ALWAYS_OPEN } from '../platform/gate.ts';
import { openMetrics } from '../platform/metrics.ts';
import { openOutages } from '../platform/outages.ts';
import { DatabaseUnavailable } from '../platform/postgres/database-errors.ts';
import type { Work } from '../platform/work/due-work.ts';
import { createWakeSignal } from '../platform/work/wake-signal.ts';
import { startWorks } from './start-works.ts';

type Line = { readonly msg: string; readonly work?: string; readonly stack?: readonly string[] };

test('a fault of a work is logged with its place, once for the same again; what an outage explains is not', async () => {
  const lines: Line[] = [];
  const write = (fields: object, msg: string) => void lines.push({ ...fields, msg });
  const log = {
    debug: write,
    info: write,
    warn: write,
    error: write,
    flushed: async () => {},
    close: async () => {},
  };
  const metrics = openMetrics();
  const outages = openOutages(log, metrics);
  const closings: Closing[] = [];
  const runs = { broken: 0, waiting: 0 };
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const work = (name: keyof typeof runs, fail: () => Error): Work => ({
    name,
    wakeSignal: createWakeSignal(),
    async runDue() {
      runs[name] += 1;
      if (runs.broken >= 3 && runs.waiting >= 3) resolve();
      throw fail();
    },
  });
  const works = [
    work('broken', () => new TypeError(`of ${runs.broken === 1 ? 'one' : 'another'} kind`)),
    work('waiting', () => {
      const error = new DatabaseUnavailable('connect ECONNREFUSED');
      outages.databaseFailed(error);
      return error;
    }),
  ];
  const database = { query: async () => [] };
  const context = { closings, log, metrics, outages, gate: ALWAYS_OPEN, tracer: null, database };
  startWorks(context as unknown as Parameters<typeof startWorks>[0], works);
  await enough;
  await closeAll(closings, assert.fail);
  outages.close();
  assert.deepEqual(
    lines.map(({ msg, work: name }) => [msg, name]),
    [
      ['background work failed', 'broken'],
      ['background work failed', 'broken'],
    ],
    'the third time is as the second',
  );
  for (const { stack } of lines) assert.match(stack?.[0] ?? '', /start-works\.test\.ts/);
  const shown = await metrics.text();
  assert.match(shown, /^parcela_work_errors_total\{work="broken"\} [3-9]$/m);
  assert.match(shown, /^parcela_work_errors_total\{work="waiting"\} 0$/m);
});
