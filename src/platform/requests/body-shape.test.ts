import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { type JsonValue, readExactJson } from '../../values/exact-json.ts';
import { schemaCheck } from '../http/schema-faults.ts';
import { bodyShaper, tagOf } from './body-shape.ts';

const SCHEMA = Type.Object({
  amount: Type.Integer(),
  note: Type.Optional(Type.String()),
  card: Type.Optional(Type.Object({ brand: Type.Optional(Type.String()) })),
  shares: Type.Optional(
    Type.Array(Type.Object({ percent: Type.Integer(), to: Type.Optional(Type.String()) }), { maxItems: 3 }),
  ),
});
const shape = bodyShaper(SCHEMA);
const findFaults = schemaCheck(SCHEMA);

function read(text: string): JsonValue {
  const reading = readExactJson(text);
  assert.ok(reading.ok);
  return reading.value;
}

test('a name is also taken with a capital first letter, at every depth', () => {
  const { value, faults } = shape(
    read('{"Amount":1,"Card":{"Brand":"elo"},"Shares":[{"Percent":5,"to":"x"}]}'),
  );
  assert.deepEqual(value, { amount: 1, card: { brand: 'elo' }, shares: [{ percent: 5, to: 'x' }] });
  assert.deepEqual(faults, []);
});

test('only the first letter may differ', () => {
  assert.deepEqual(shape(read('{"AMOUNT":1,"nOte":"x"}')).value, {});
});

test('a field in both spellings is a fault', () => {
  const { faults } = shape(read('{"amount":1,"Amount":2}'));
  assert.deepEqual(
    faults.map((fault) => fault.tag),
    ['/amount'],
  );
});

test('a name that begins with a capital, or without a letter, is sent once', () => {
  const shapeOthers = bodyShaper(Type.Object({ Value: Type.Integer(), _id: Type.String() }));
  const { value, faults, sentNames } = shapeOthers(read('{"Value":1,"_id":"x"}'));
  assert.deepEqual(value, { Value: 1, _id: 'x' });
  assert.deepEqual(faults, []);
  assert.equal(sentNames.size, 0);
});

test('null means absent', () => {
  const { value } = shape(read('{"amount":1,"note":null,"Card":null,"shares":[{"percent":1,"to":null}]}'));
  assert.deepEqual(value, { amount: 1, shares: [{ percent: 1 }] });
});

test('names that the schema does not know are dropped', () => {
  const sent = '{"amount":1,"id":"x","status":"Paid","constructor":{"a":1},"card":{"toString":"x"}}';
  assert.deepEqual(shape(read(sent)).value, { amount: 1, card: {} });
});

test('a list keeps one item more than allowed, so that the schema says that there are too many', () => {
  const items = Array.from({ length: 10_000 }, () => ({ percent: 'x' }));
  const { value } = shape({ amount: 1, shares: items });
  assert.equal((value as { shares: unknown[] }).shares.length, 4);
  assert.ok(findFaults(value).some(({ pointer }) => pointer === '/shares'));
});

test('a list without a bound is not built', () => {
  assert.throws(() => bodyShaper(Type.Object({ shares: Type.Array(Type.String()) })), /maxItems/);
});

test('what has another type stays as it is, for the schema to refuse', () => {
  for (const text of ['"text"', '5', 'true', '[]', 'null', '1e400', '0.1000000000000000000001']) {
    assert.notDeepEqual(findFaults(shape(read(text)).value), [], text);
  }
  for (const text of ['"text"', '5', 'true', '[]', '1e400', '12345678901234567890']) {
    const { value } = shape(read(`{"amount":1,"card":${text}}`));
    assert.deepEqual(
      findFaults(value).map(({ pointer }) => pointer),
      ['/card'],
      text,
    );
  }
});

test('tags name fields as the client wrote them', () => {
  const { sentNames } = shape(read('{"amount":1,"Card":{"brand":1},"shares":[{},{"Percent":"x"}]}'));
  assert.equal(tagOf('/card/brand', sentNames), 'Card.brand');
  assert.equal(tagOf('/shares/1/percent', sentNames), 'shares[1].Percent');
  assert.equal(tagOf('/shares/0/percent', sentNames), 'shares[0].percent');
  assert.equal(tagOf('/amount', sentNames), 'amount');
  assert.equal(tagOf('', sentNames), '');
});
