import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { type JsonValue, readExactJson } from '../../values/exact-json.ts';
import { MOST_FAULTS, schemaCheck } from '../http/schema-faults.ts';
import { bodyShaper, tagOf } from './body-shape.ts';

const SCHEMA = Type.Object({
  amount: Type.Integer(),
  note: Type.Optional(Type.String()),
  card: Type.Optional(Type.Object({ brand: Type.Optional(Type.String()) })),
  shares: Type.Optional(
    Type.Array(Type.Object({ percent: Type.Integer(), to: Type.Optional(Type.String()) }), { maxItems: 3 }),
  ),
});
const shape = bodyShaper(SCHEMA, false);
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
  const shapeOthers = bodyShaper(Type.Object({ Value: Type.Integer(), _id: Type.String() }), false);
  const { value, faults, sentNames } = shapeOthers(read('{"Value":1,"_id":"x"}'));
  assert.deepEqual(value, { Value: 1, _id: 'x' });
  assert.deepEqual(faults, []);
  assert.equal(sentNames.size, 0);
});

test('null means absent', () => {
  const { value } = shape(read('{"amount":1,"note":null,"Card":null,"shares":[{"percent":1,"to":null}]}'));
  assert.deepEqual(value, { amount: 1, shares: [{ percent: 1 }] });
});

const FORM = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 9 }),
  note: Type.Optional(Type.String({ maxLength: 9, format: 'visibleText' })),
  kind: Type.Optional(Type.Enum(['bruto', 'liquido'])),
  count: Type.Optional(Type.Integer()),
  isOn: Type.Optional(Type.Boolean()),
  payer: Type.Optional(
    Type.Object({
      email: Type.Optional(Type.String({ format: 'emailAddress', reads: 'emailAddress' })),
      document: Type.Optional(Type.String({ format: 'cpfOrCnpj', reads: 'document' })),
      state: Type.Optional(Type.Enum(['SP', 'RJ'], { reads: 'capitals' })),
      zipCode: Type.Optional(Type.String({ format: 'postalCode', reads: 'postalCode' })),
      token: Type.Optional(Type.String({ reads: 'smallLetters' })),
    }),
  ),
  lines: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: 3 })),
});
const shapeForm = bodyShaper(FORM, false);
const formFaults = schemaCheck(FORM);

test('an optional text that is empty or blank is absent, at every depth and in lists; nothing else is', () => {
  for (const blank of ['', ' ', '\t\r\n', '\u00a0']) {
    const sent = {
      name: 'x',
      note: blank,
      kind: blank,
      payer: { email: blank, state: blank },
      lines: [blank],
    };
    assert.deepEqual(shapeForm(sent).value, { name: 'x', payer: {}, lines: [] });
    const required = shapeForm({ name: blank }).value;
    assert.deepEqual(required, { name: blank });
    const others = shapeForm({ name: 'x', count: blank, isOn: blank }).value;
    assert.deepEqual(
      formFaults(others).map(({ pointer }) => pointer),
      ['/count', '/isOn'],
    );
  }
});

test('an empty list stands for an empty object, the whole body too, or for an optional list that is not given, and never for anything else', () => {
  assert.deepEqual(shapeForm([]).value, {});
  assert.deepEqual(shapeForm({ name: 'x', payer: [], lines: [] }).value, { name: 'x', payer: {} });
  for (const sent of [
    { name: [] },
    { name: 'x', note: [] },
    { name: 'x', count: [] },
    { name: 'x', payer: [[]] },
  ])
    assert.notDeepEqual(formFaults(shapeForm(sent as JsonValue).value), [], JSON.stringify(sent));
});

test('an item behind empty ones is named as it was sent', () => {
  const { value, sentNames } = shapeForm({ name: 'x', lines: ['', 'a', ' ', 'b'] });
  assert.deepEqual((value as { lines: unknown }).lines, ['a', 'b']);
  assert.equal(tagOf('/lines/1', sentNames), 'lines[3]');
});

test('masks, blanks around an address and small letters are read, and what is something else stays', () => {
  const payers: [Record<string, string>, Record<string, string>][] = [
    [{ document: '529.982.247-25' }, { document: '52998224725' }],
    [{ document: '11.222.333/0001-81' }, { document: '11222333000181' }],
    [{ document: '12.ABC.345/01DE-35' }, { document: '12ABC34501DE35' }],
    [{ document: 'RG 12.345-6' }, { document: 'RG 12.345-6' }],
    [{ email: ' ana@loja.example\n' }, { email: 'ana@loja.example' }],
    [{ state: ' sp' }, { state: 'SP' }],
    [{ zipCode: '13010-000' }, { zipCode: '13010000' }],
    [{ zipCode: '13.010-000' }, { zipCode: '13010000' }],
    [{ zipCode: '1301-000' }, { zipCode: '1301-000' }],
    [{ token: 'F0B1C7DE' }, { token: 'f0b1c7de' }],
  ];
  for (const [sent, read] of payers)
    assert.deepEqual(shapeForm({ name: 'x', payer: sent }).value, { name: 'x', payer: read });
});

test('where every name counts an unknown one, null and a blank are faults, and no body, {} and [] are not', () => {
  const exact = bodyShaper(Type.Object({ amount: Type.Optional(Type.Integer()) }), true);
  const tags = (text: string) => exact(read(text)).faults.map(({ tag }) => tag);
  for (const good of ['{}', '[]', '{"amount":5}', '{"Amount":5}']) assert.deepEqual(tags(good), [], good);
  assert.deepEqual(tags('{"value":700}'), ['/value']);
  assert.deepEqual(tags('{"AMOUNT":700,"id":null}'), ['/AMOUNT', '/id']);
  assert.deepEqual(tags('{"amount":null}'), ['/amount']);
  assert.deepEqual(tags('{"Amount":null}'), ['/Amount']);
  for (const blank of ['""', '" "', '"\\t"'])
    assert.deepEqual(tags(`{"amount":${blank}}`), ['/amount'], blank);
});

test('fields by which other gateways charge are faults at every depth, unless they say nothing', () => {
  const tags = (sent: JsonValue) => shapeForm(sent).faults.map(({ tag }) => tag);
  const foreign = {
    ...{ Code3DS: '1', xid: 'x', sellers: [{ id: 1 }], currencyCode: 'usd', capture: false },
    ...{ payer: { eci: '05', unknown: [{ cavv_ucaf: 'x' }] }, serviceTaxAmount: 5, threeDs: { version: 2 } },
    ...{ capture_type: 'pa', capture_method: 'manual', pre_authorization: true, operation_type: 'auth_only' },
    ...{ 'Config Split': [{ percent: 50 }], marketplace_subseller_payments: [1], Interest: 'ByIssuer' },
  };
  assert.deepEqual(tags(foreign as JsonValue), [
    ...['/Code3DS', '/xid', '/sellers', '/currencyCode', '/capture'],
    ...['/payer/eci', '/payer/unknown/0/cavv_ucaf', '/serviceTaxAmount', '/threeDs'],
    ...['/capture_type', '/capture_method', '/pre_authorization', '/operation_type'],
    ...['/Config Split', '/marketplace_subseller_payments', '/Interest'],
  ]);
  const nothing = {
    ...{ code3DS: '', xid: null, sellers: [], currencyCode: 'BRL', Currency: '986', capture: true },
    ...{ captureType: 'AC', captureMethod: 'automatic', operation_type: 'auth_and_capture', delayed: false },
    ...{ threeDs: {}, authenticate: false, serviceTaxAmount: 0, orderNumber: '1', lineItems: [1] },
  };
  assert.deepEqual(tags(nothing as JsonValue), []);
  const many = Array.from({ length: 5_000 }, () => ({ eci: '05', xid: 'x' }));
  assert.equal(tags({ lineItems: many } as JsonValue).length, MOST_FAULTS, 'no more than an answer has');
  const own = bodyShaper(Type.Object({ currency: Type.Optional(Type.String()) }), false);
  assert.deepEqual(own({ currency: 'usd' }).faults, [], 'unless the contract has it');
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
  assert.throws(() => bodyShaper(Type.Object({ shares: Type.Array(Type.String()) }), false), /maxItems/);
});

test('what has another type stays as it is, for the schema to refuse', () => {
  for (const text of ['"text"', '5', 'true', '[1]', 'null', '1e400', '0.1000000000000000000001']) {
    assert.notDeepEqual(findFaults(shape(read(text)).value), [], text);
  }
  for (const text of ['"text"', '5', 'true', '[{}]', '1e400', '12345678901234567890']) {
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
