import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reader } from './database.ts';
import { pageOf, pageTexts, readPageOf } from './page-of.ts';

const PARTS = {
  before: 'counted as (select count(*) as total from bulbs where merchant_id = $1)',
  keys: '(select watt, bulb_id from bulbs where merchant_id = $1 order by {order} limit $2 + $3)',
  key: 'bulb_id',
  order: ['watt nulls last', 'bulb_id'],
  shown: 'b.* from page g cross join bulbs b',
};
const plain = (text: string) => text.replaceAll(/\s+/g, ' ');

test('a list has one text for each direction, and what has no value comes last in both', () => {
  const [rising, falling] = Object.values(pageTexts(PARTS)).map(plain);
  assert.match(rising as string, /\(order by watt nulls last, bulb_id\) as place/);
  assert.match(falling as string, /\(order by watt desc nulls last, bulb_id desc\) as place/);
  assert.match(falling as string, /sortable order by watt desc nulls last, bulb_id desc limit \$2/);
});

test('parts that are put in order by themselves have the order of the page', () => {
  const [rising, falling] = Object.values(pageTexts(PARTS)).map(plain);
  assert.match(rising as string, /\$1 order by watt nulls last, bulb_id limit \$2 \+ \$3\)/);
  assert.match(falling as string, /\$1 order by watt desc nulls last, bulb_id desc limit \$2 \+ \$3\)/);
});

test('a count can end early for people, and no other does', () => {
  const before =
    'counted as (select count(*) as total from (select from bulbs where merchant_id = $1 {counted}) c)';
  const { up, down, few_up: fewUp, few_down: fewDown } = pageTexts({ ...PARTS, before });
  for (const text of [up, down]) assert.match(plain(text ?? ''), /where merchant_id = \$1 \) c\)/);
  for (const text of [fewUp, fewDown])
    assert.match(plain(text ?? ''), /where merchant_id = \$1 limit 1001\) c\)/);
  assert.deepEqual(Object.keys(pageTexts(PARTS)), ['up', 'down']);
});

test('pages follow one another: each begins where the one before ended', async () => {
  const asked: (readonly unknown[])[] = [];
  const reader = {
    query: async (_: unknown, values: readonly unknown[]) => {
      asked.push(values);
      return [{ total: 0, place: null }];
    },
  } as unknown as Reader;
  const statements = pageOf({ name: 'bulbs.list', ...PARTS });
  for (const page of [1, 2, 3]) {
    const wanted = { page, limit: 20, order: { field: 'watt', isDescending: false } };
    await readPageOf(reader, statements, 'loja', wanted, ['own']);
  }
  assert.deepEqual(asked, [
    ['loja', 20, 0, 'own'],
    ['loja', 20, 20, 'own'],
    ['loja', 20, 40, 'own'],
  ]);
});
