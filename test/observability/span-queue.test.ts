import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainChannel } from '../../src/platform/channels/open-channel.ts';
import { openSpanExport, type SpanFate } from '../../src/platform/tracing/open-span-export.ts';
import { Tracer } from '../../src/platform/tracing/tracer.ts';
import { startCollector } from '../kit/collector.ts';
import { until } from '../kit/service.ts';

async function openExport() {
  const collector = await startCollector();
  const fates: Record<SpanFate, number> = { exported: 0, queueFull: 0, notTaken: 0 };
  const exporting = openSpanExport({
    url: `${collector.url}/behind/`,
    channel: plainChannel(1_000),
    resource: { 'service.name': 'parcela' },
    observe(fate, spans) {
      fates[fate] += spans;
    },
  });
  const tracer = new Tracer({ ratio: 1, targets: [], chance: () => 0.5, take: exporting.take });
  const end = (spans: number) => {
    for (let nth = 0; nth < spans; nth += 1) tracer.begin({ name: 'request' }, {}).end();
  };
  return { collector, fates, exporting, end };
}

test('beside the batch that is under way 4096 spans wait, and the rest is dropped and counted', async (t) => {
  const { collector, fates, exporting, end } = await openExport();
  t.after(() => collector.close());
  collector.answerWith('hang');
  end(6_000);
  assert.deepEqual(fates, { exported: 0, queueFull: 6_000 - 256 - 4_096, notTaken: 0 });
  await until('the batch is under way', async () => collector.received.length > 0);
  await exporting.close();
});

test('full batches go one after the other, and the rest when the process ends', async (t) => {
  const { collector, fates, exporting, end } = await openExport();
  t.after(() => collector.close());
  end(1_000);
  await until('the full ones are sent', async () => fates.exported === 3 * 256);
  await exporting.close();
  assert.deepEqual(fates, { exported: 1_000, queueFull: 0, notTaken: 0 });
  assert.equal(collector.spans().length, 1_000);
  assert.deepEqual([...new Set(collector.received.map(({ path }) => path))], ['/behind/v1/traces']);
  assert.ok(collector.busy.most === 1);
});
