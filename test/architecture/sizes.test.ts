import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNone, assertOne, planted } from './planted.ts';
import { functionsOf, idleSizeExceptions, sizeComplaints } from './sizes.ts';
import { readSourceTree } from './source-tree.ts';

const tree = readSourceTree();

test('files have at most 400 lines and functions at most 80', () => {
  assertNone(sizeComplaints(tree));
  assertNone(idleSizeExceptions(tree));
});

const lines = (count: number) => 'go();\n'.repeat(count);
const CARD = 'src/cards/card.ts';

test('a file or function that grew too long is found', () => {
  assertOne(sizeComplaints(planted({ [CARD]: lines(401) })), /401 lines; at most 400/);
  assertNone(sizeComplaints(planted({ [CARD]: lines(400), 'src/cards/card.test.ts': lines(900) })));
  for (const source of [
    `export async function pay(a: { b: number }): Promise<Map<string, { c: number }>> {\n${lines(79)}}`,
    `function pay<A extends { b: () => void }>(a: A): a is A & { c: 1 } {\n${lines(79)}}`,
    `const shop = {\n async pay(a: A): Promise<Map<string, A>> {\n${lines(79)}},\n};`,
    `class Shop {\n pay() {\n${lines(79)}}\n}`,
    `class Shop {\n pay = () => {\n${lines(79)}}\n}`,
    `class Shop {\n #pay() {\n${lines(79)}}\n}`,
    `export const pay = async (a: A) => {\n${lines(79)}};`,
  ]) {
    assertOne(sizeComplaints(planted({ [CARD]: source })), /the function pay has 81 lines/);
  }
  assertOne(sizeComplaints(planted({ [CARD]: `list.map(() => {\n${lines(79)}});` })), /without a name/);
  assertNone(sizeComplaints(planted({ [CARD]: `function pay() {\n${lines(78)}}` })));
});

test('a function is counted whole, whatever is inside it', () => {
  const closures = `function factory() {\n${lines(20)}function inner() {\n${lines(40)}}\n${lines(20)}}`;
  assertOne(sizeComplaints(planted({ [CARD]: closures })), /the function factory has 84 lines/);
  assert.deepEqual(
    functionsOf(CARD, closures).map(({ name, line, lines }) => [name, line, lines]),
    [
      ['factory', 1, 84],
      ['inner', 22, 42],
    ],
  );
});

test('the callback of a test may be long, a fixture beside it may not', () => {
  const file = 'test/cards/cards.test.ts';
  const callbacks = `test('a', async () => {\n${lines(90)}});\ntest('b', async (t) => {\nawait t.test('c', () => {\n${lines(90)}});\n});`;
  assertNone(sizeComplaints(planted({ [file]: callbacks })));
  assertOne(
    sizeComplaints(planted({ [file]: `async function openShop() {\n${lines(90)}}` })),
    /the function openShop/,
  );
  assertOne(sizeComplaints(planted({ 'test/cards/shop.ts': `test(() => {\n${lines(90)}});` })), /shop.ts/);
});

test('what only looks like a function is none', () => {
  const source = `if (a) {\n}\nfor (const a of b(c)) {\n}\nswitch (a) {\n case b(c): {\n}\n}\nconst x = a ? b(c) : { d };`;
  assert.deepEqual(functionsOf(CARD, source), []);
});
