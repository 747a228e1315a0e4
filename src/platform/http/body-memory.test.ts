import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyMemory, type BodyOwner } from './body-memory.ts';

const BYTES = 8_000;
const merchant = (name: string): BodyOwner => ({ isKnown: true, name });
const stranger = (name: string): BodyOwner => ({ isKnown: false, name });

function openMemory() {
  const seen = { held: 0, refused: [] as string[] };
  const memory = new BodyMemory(BYTES, {
    held: (bytes) => {
      seen.held = bytes;
    },
    refused: (reason) => seen.refused.push(reason),
  });
  /** Holds a hundred bytes at a time until refused, and gives how many it got. */
  const fill = (owner: BodyOwner) => {
    const hold = memory.open(owner);
    let got = 0;
    while (hold.add(100)) got += 100;
    return { got, hold };
  };
  return { seen, fill };
}

test('one merchant holds half of seven eighths, and what it leaves is shared on', () => {
  const { seen, fill } = openMemory();
  assert.equal(fill(merchant('A')).got, 3_500);
  assert.equal(fill(merchant('B')).got, 1_800);
  assert.equal(seen.held, 5_300);
  assert.deepEqual(seen.refused, ['share', 'share']);
});

test('callers who are not known hold an eighth in all, and merchants none of it', () => {
  const { seen, fill } = openMemory();
  for (let address = 0; address < 50; address += 1) fill(stranger(String(address)));
  assert.ok(seen.held > 900 && seen.held <= 1_000, String(seen.held));
  assert.equal(fill(merchant('A')).got, 3_500);
});

test('what is released is free for others, and a request that is over takes nothing more', () => {
  const { seen, fill } = openMemory();
  const { got, hold } = fill(merchant('A'));
  hold.release();
  assert.equal(seen.held, 0);
  assert.equal(hold.add(1), false);
  assert.equal(fill(merchant('B')).got, got);
});
