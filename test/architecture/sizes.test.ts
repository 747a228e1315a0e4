import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNone, assertOne, planted } from './planted.ts';
import { functionsOf, idleSizeExceptions, sizeComplaints } from './sizes.ts';
import { readSourceTree } from './source-tree.ts';
import { tokensOf } from './tokens.ts';

const tree = readSourceTree();

test('files have at most 400 lines and functions at most 60', () => {
  assertNone(sizeComplaints(tree));
  assertNone(idleSizeExceptions(tree));
});

const lines = (count: number) => 'go();\n'.repeat(count);

test('a file or function that grew too long is found', () => {
  assertOne(sizeComplaints(planted({ 'src/cards/card.ts': lines(401) })), /401 lines; at most 400/);
  assertNone(
    sizeComplaints(planted({ 'src/cards/card.ts': lines(400), 'src/cards/card.test.ts': lines(900) })),
  );
  for (const source of [
    `export async function pay(a: { b: number }): Promise<Map<string, { c: number }>> {\n${lines(59)}}`,
    `function pay<A extends { b: () => void }>(a: A): a is A & { c: 1 } {\n${lines(59)}}`,
    `const service = {\n async pay(a): Promise<Map<string, A>> {\n${lines(59)}},\n};`,
    `class Service {\n pay() {\n${lines(59)}}\n}`,
  ]) {
    assertOne(sizeComplaints(planted({ 'src/cards/card.ts': source })), /the function pay has 61 lines/);
  }
  const arrow = `export const pay = async (a: A) => {\n${lines(59)}};`;
  assertOne(sizeComplaints(planted({ 'src/cards/card.ts': arrow })), /without a name.* has 61 lines/);
  assertNone(sizeComplaints(planted({ 'src/cards/card.ts': `function pay() {\n${lines(58)}}` })));
});

test('a closure with a name counts for itself, a callback for the text that it stands in', () => {
  const closures = `function factory() {\n${lines(20)}function inner() {\n${lines(40)}}\n${lines(20)}}`;
  assertNone(sizeComplaints(planted({ 'src/cards/card.ts': closures })));
  assert.deepEqual(
    functionsOf(tokensOf(closures)).map(({ name, ownLines }) => [name, ownLines]),
    [
      ['factory', 42],
      ['inner', 42],
    ],
  );
  const callbacks = `function pay() {\n${lines(30)}list.map(() => {\n${lines(30)}});\n}`;
  assertOne(sizeComplaints(planted({ 'src/cards/card.ts': callbacks })), /the function pay/);
});

test('what only looks like a function is none', () => {
  const source = `if (a) {\n}\nfor (const a of b(c)) {\n}\nswitch (a) {\n case b(c): {\n}\n}\nconst x = a ? b(c) : { d };`;
  assert.deepEqual(functionsOf(tokensOf(source)), []);
});
