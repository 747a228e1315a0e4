import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { type AuditEntry, entryBytes, headBytes } from './audit-chain.ts';
import { BEFORE_ALL, openChainWalk } from './open-chain-walk.ts';

const seal = (dataKeyId: number, bytes: Buffer) =>
  createHmac('sha256', `key ${dataKeyId}`).update(bytes).digest();
const keyring = {
  checkAuditSeal: async (dataKeyId: number, bytes: Buffer, sealed: Buffer) =>
    seal(dataKeyId, bytes).equals(sealed),
};
const RETIRED_AT = 1_795_000_000_000;
const KEYS = new Map([
  [1, RETIRED_AT],
  [2, Number.POSITIVE_INFINITY],
]);

type Fields = Omit<AuditEntry, 'seal' | 'entryNumber' | 'previousSeal'>;
const FIELDS: Fields = {
  occurredAtSeconds: '1794999000.123456',
  actor: 'ana',
  action: 'card.read',
  outcome: 'success',
  origin: '203.0.113.7',
  resource: 'merchants/loja/cards/1',
  detail: '{"reason":"x"}',
  dataKeyId: 1,
};

/** Sealed one after the other, as the service does it. */
function chainOf(...all: readonly Partial<Fields>[]): AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const fields of all) {
    const previousSeal = entries.at(-1)?.seal ?? Buffer.alloc(0);
    const entry = { ...FIELDS, ...fields, entryNumber: entries.length + 1, previousSeal };
    entries.push({ ...entry, seal: seal(entry.dataKeyId, entryBytes(entry)) });
  }
  return entries;
}

async function faultsOf(entries: readonly AuditEntry[]): Promise<(string | null)[]> {
  const walk = openChainWalk(keyring, KEYS, BEFORE_ALL);
  const faults: (string | null)[] = [];
  for (const entry of entries) faults.push(await walk.follow(entry));
  return faults;
}

test('a chain as it was written has no fault, across a rotation of its key too', async () => {
  const entries = chainOf({}, { actor: 'bia' }, { dataKeyId: 2, occurredAtSeconds: '1796000000.000000' });
  assert.deepEqual(await faultsOf(entries), [null, null, null]);
});

test('a change of any field is found', async () => {
  const [entry] = chainOf({}) as [AuditEntry];
  const changes: Partial<AuditEntry>[] = [
    { occurredAtSeconds: '1794999000.123457' },
    { actor: 'bia' },
    { action: 'card.store' },
    { outcome: 'failure' },
    { origin: '203.0.113.8' },
    { resource: 'merchants/loja/cards/2' },
    { detail: '{"reason":"y"}' },
    { seal: Buffer.alloc(32) },
    { actor: 'anac', action: 'ard.read' as AuditEntry['action'] },
  ];
  for (const change of changes)
    assert.deepEqual(await faultsOf([{ ...entry, ...change }]), ['entryAltered'], JSON.stringify(change));
});

test('a gap, another order and an entry of another chain are found', async () => {
  const [first, second, third] = chainOf({}, {}, { actor: 'bia' }) as [AuditEntry, AuditEntry, AuditEntry];
  assert.deepEqual(await faultsOf([first, third]), [null, 'entryMissing']);
  assert.deepEqual(await faultsOf([first, first]), [null, 'entryUnlinked']);
  const [, foreign] = chainOf({ actor: 'eva' }, {}) as [AuditEntry, AuditEntry];
  assert.deepEqual(await faultsOf([first, foreign]), [null, 'entryUnlinked']);
  assert.deepEqual(await faultsOf([first, second, third]), [null, null, null]);
});

test('a key that is none of the log seals nothing, and a replaced one nothing behind its time', async () => {
  assert.deepEqual(await faultsOf(chainOf({ dataKeyId: 3 })), ['sealForeign']);
  const seconds = (milliseconds: number) => `${(RETIRED_AT + milliseconds) / 1_000}.000000`;
  assert.deepEqual(await faultsOf(chainOf({ occurredAtSeconds: seconds(60_000) })), [null]);
  assert.deepEqual(await faultsOf(chainOf({ occurredAtSeconds: seconds(61_000) })), ['sealOutdated']);
  assert.deepEqual(await faultsOf(chainOf({ dataKeyId: 2 }, { dataKeyId: 1 })), [null, 'sealOutdated']);
});

test('of an entry that is known from elsewhere another one in its place is found', async () => {
  const [entry] = chainOf({}) as [AuditEntry];
  const known = { entryNumber: 1, seal: Buffer.alloc(32, 7), fault: 'anchorDiffers' as const };
  const walk = openChainWalk(keyring, KEYS, BEFORE_ALL, [known]);
  assert.equal(await walk.follow(entry), 'anchorDiffers');
});

test('the end of the chain names its number and its seal', () => {
  const bytes = headBytes(7, Buffer.alloc(32, 1));
  assert.notDeepEqual(headBytes(8, Buffer.alloc(32, 1)), bytes);
  assert.notDeepEqual(headBytes(7, Buffer.alloc(32, 2)), bytes);
});
