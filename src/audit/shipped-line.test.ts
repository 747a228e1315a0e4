import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ecsFields } from '../platform/log.ts';
import { readShippedLine, shippedChange } from './shipped-line.ts';

const VAULT = '0192f0c1-7a1b-7c3d-8e4f-1234567890ab';
const of = (action: 'subscription.change' | 'plan.change' | 'merchant.change', detail: object) =>
  shippedChange({ action, detail: JSON.stringify(detail) });

test('a line says states and stored cards, and of everything else its name alone', () => {
  const state = { 'state.old': 'active', 'state.new': 'canceled' };
  assert.deepEqual(of('subscription.change', state), { changed: state });
  const card = { 'vaultId.old': VAULT, 'vaultId.new': VAULT };
  assert.deepEqual(of('subscription.change', card), { changed: card });
  assert.deepEqual(of('subscription.change', { 'customer.new': 'ana@example.com' }), {
    alsoChanged: ['customer'],
  });
  const edited = { 'name.old': 'Clube da Ana', 'name.new': 'Clube', 'amount.new': '49.9' };
  assert.deepEqual(of('plan.change', edited), { alsoChanged: ['name', 'amount'] });
  assert.deepEqual(of('merchant.change', { 'legalName.new': 'Ana' }), {}, 'others are not done again');
  assert.deepEqual(shippedChange({ action: 'plan.change', detail: '' }), {});
});

const LINE = {
  ...{ level: 'info', time: '2026-11-21T13:00:00.123Z', auditEntry: 7, auditSeal: 'ab'.repeat(32) },
  ...{ action: 'plan.change', outcome: 'success', actor: 'loja', origin: '127.0.0.1' },
  ...{ resource: 'merchants/LOJA/plans/1', changed: { 'state.new': 'canceled' } },
};

test('a line is read as it was written, behind whatever a shipper put before it', () => {
  const read = readShippedLine(`Nov 21 10:00:00 host parcela[1]: ${JSON.stringify(LINE)}`);
  assert.deepEqual(read, {
    ...{ entryNumber: 7, seal: LINE.auditSeal, time: LINE.time, action: 'plan.change', outcome: 'success' },
    ...{ actor: 'loja', resource: LINE.resource, changed: LINE.changed, alsoChanged: [] },
  });
});

test("a command's entry is of the moment when it was written, not when a service logged it", () => {
  const writtenAt = '2026-11-21T12:59:59.500Z';
  for (const line of [
    { ...LINE, writtenAt },
    { '@timestamp': LINE.time, parcela: { ...LINE, writtenAt } },
  ])
    assert.equal(readShippedLine(JSON.stringify(line))?.time, writtenAt);
});

test('a line is read in the names of ECS, and as runtimes and shippers wrap it', () => {
  const { time, level, ...fields } = LINE;
  const ecs = { 'log.level': level, '@timestamp': time, message: 'audit', ...ecsFields(fields) };
  const { parcela, ...rest } = { ...ecs, parcela: fields };
  const apart = { '@timestamp': rest['@timestamp'], parcela };
  const lines = [LINE, ecs].map((line) => JSON.stringify(line));
  const docker = lines.map((log) => ({ log: `${log}\n`, stream: 'stdout', time: '2026-11-21T13:00:09Z' }));
  const wrapped: object[] = [ecs, apart, ...docker, { MESSAGE: lines[0] }, { jsonPayload: LINE }];
  for (const each of [
    ...wrapped,
    { _source: docker[0] },
    { _source: { '@timestamp': 'x', message: lines[1] } },
  ])
    assert.deepEqual(
      readShippedLine(JSON.stringify(each)),
      readShippedLine(lines[0] as string),
      JSON.stringify(each),
    );
  assert.ok(readShippedLine(`2026-11-21T13:00:00.1Z stdout F ${lines[1]}`));
});

test('what a caller has put into a text is no line of an entry', () => {
  const forged = JSON.stringify(LINE);
  const lines = [{ msg: forged }, { userName: forged }, { message: `refused ${forged}` }, { address: LINE }];
  for (const line of lines) assert.equal(readShippedLine(JSON.stringify(line)), null, JSON.stringify(line));
});

test('what is no line of an entry, torn or made up is none', () => {
  const torn = JSON.stringify(LINE).slice(0, -1);
  const others = [{ ...LINE, auditSeal: 'x' }, { ...LINE, auditEntry: '7' }, { msg: '"auditSeal"' }];
  for (const text of ['', 'auditSeal', torn, '"auditSeal" {', ...others.map((one) => JSON.stringify(one))])
    assert.equal(readShippedLine(text), null, text);
});
