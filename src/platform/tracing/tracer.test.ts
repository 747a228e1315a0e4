import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTraceparent, type Span } from './span.ts';

import { TRACE_TARGETS, Tracer } from './tracer.ts';

const CALLER = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true };

function open(ratio: number, chance = () => 0.5) {
  const taken: Span[] = [];
  const tracer = new Tracer({ ratio, targets: [], chance, take: (span) => taken.push(span) });
  return { tracer, taken };
}

test('a caller gets few traces recorded beyond our own ratio, however many it asks for', () => {
  const { tracer, taken } = open(0);
  for (let nth = 0; nth < 2_000; nth += 1) tracer.begin({ name: 'request' }, { caller: CALLER }).end();
  assert.ok(taken.length > 0 && taken.length < 1_000, String(taken.length));
  for (const { context, parentSpanId } of taken) {
    assert.equal(context.traceId, CALLER.traceId);
    assert.equal(parentSpanId, CALLER.spanId);
  }
});

test('a caller that wants no record is recorded by our own ratio all the same', () => {
  const { tracer, taken } = open(0.6);
  tracer.begin({ name: 'request' }, { caller: { ...CALLER, isSampled: false } }).end();
  assert.equal(taken.length, 1);
});

test('what is not recorded costs no spans, and what follows of a recorded one is recorded', () => {
  const { tracer, taken } = open(0.5);
  const unrecorded = tracer.begin({ name: 'request' }, {});
  assert.equal(unrecorded.child({ name: 'step' }), null);
  unrecorded.end();
  tracer.remember('p', unrecorded);
  assert.equal(tracer.causeOf('p'), null);
  const recorded = open(0.6).tracer.begin({ name: 'request' }, {});
  tracer.remember('p', recorded);
  tracer.begin({ name: 'task' }, { cause: tracer.causeOf('p') }).end();
  assert.deepEqual(
    taken.map(({ name, context }) => [name, context.traceId]),
    [['task', recorded.context.traceId]],
  );
});

test('a trace has so many spans and no more', () => {
  const { tracer } = open(1);
  const root = tracer.begin({ name: 'request' }, {});
  const made = Array.from({ length: 1_000 }, () => root.child({ name: 'step' }));
  assert.equal(made.filter((span) => span !== null).length, 250);
});

test('an attribute that does not have its shape is left out', () => {
  const { tracer } = open(1);
  const span = tracer.begin({ name: 'request' }, {});
  span.set({
    'http.route': '/v1/payments',
    'parcela.payment.id': '5155901222280001',
    'error.type': 'no such',
  });
  span.set({ 'http.response.status_code': Number.NaN, 'peer.service': 'ana@example.com' });
  assert.deepEqual([...span.attributes], [['http.route', '/v1/payments']]);
});

test('each of those whom we ask is named as the other side of its call', () => {
  const { tracer } = open(1);
  for (const target of TRACE_TARGETS) {
    const peer = target === 'merchants' ? 'webhook' : target;
    const span = tracer.begin({ name: 'call', attributes: { 'peer.service': peer } }, {});
    assert.deepEqual([...span.attributes], [['peer.service', peer]]);
  }
});

test('a traceparent is taken only in its shape', () => {
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const sampled = { traceId, spanId, isSampled: true };
  assert.deepEqual(readTraceparent(`00-${traceId}-${spanId}-01`), sampled);
  assert.deepEqual(readTraceparent(`00-${traceId}-${spanId}-02`), { ...sampled, isSampled: false });
  assert.deepEqual(readTraceparent(`cc-${traceId}-${spanId}-01-what-comes`), sampled);
  for (const header of [
    undefined,
    '',
    `00-${traceId}-${spanId}-01-more`,
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  ])
    assert.equal(readTraceparent(header), null, String(header));
});
