import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { readExactJson } from '../../values/exact-json.ts';
import { contract, type Fault } from '../http/endpoint.ts';
import { CARD_NUMBER_IN_TEXT } from './card-numbers.ts';
import { parseQuery, readIdempotencyKey, requestReader } from './request-reader.ts';

const PAY = contract({
  id: 'pay',
  method: 'POST',
  path: '/pay',
  api: 'gateway',
  scope: 'gateway',
  group: 'Test',
  summary: 'Pay',
  body: Type.Object({
    amount: Type.Integer({ minimum: 1 }),
    card: Type.Object({
      brand: Type.Enum(['visa', 'elo']),
      code: Type.Optional(Type.String({ maxLength: 4 })),
    }),
    shares: Type.Optional(Type.Array(Type.Object({ percent: Type.Integer() }), { maxItems: 2 })),
  }),
  query: Type.Object({
    page: Type.Optional(Type.Integer({ minimum: 1 })),
    name: Type.Optional(Type.String({ maxLength: 5 })),
    kind: Type.Optional(Type.Enum(['a', 'b'])),
  }),
  check: (body) => {
    const { card } = (body ?? {}) as { card?: { code?: unknown } };
    if (card?.code !== '0000') return [];
    const sentence = { pt: 'Não pode ser zero.', en: 'Must not be zero.' };
    return [
      { tag: 'card.code', sentence },
      { tag: '__general__', sentence },
    ];
  },
  answers: {},
});
const read = requestReader(PAY);

function readBody(text: string, query: Record<string, unknown> = {}) {
  return read(Buffer.from(text), query, null, readExactJson);
}

function faultsOf(reading: ReturnType<typeof readBody>): readonly Fault[] {
  assert.ok(!reading.ok, 'the request should be refused');
  return reading.faults;
}

const tagsOf = (reading: ReturnType<typeof readBody>) => faultsOf(reading).map(({ tag }) => tag);

test('a good request gives its body and its query', () => {
  const reading = readBody('{"amount":1,"card":{"brand":"elo"},"id":"x"}', {
    page: '2',
    name: 'ana',
    other: 'y',
  });
  assert.deepEqual(reading, {
    ok: true,
    body: { amount: 1, card: { brand: 'elo' } },
    query: { page: 2, name: 'ana' },
  });
});

test('a body is asked for', () => {
  for (const bytes of [undefined, Buffer.alloc(0)]) {
    const [fault, ...others] = faultsOf(read(bytes, {}, null, readExactJson));
    assert.equal(fault?.tag, '');
    assert.equal(fault?.sentence.en, 'The request needs a body.');
    assert.equal(others.length, 0);
  }
});

test('all faults of query, body and rules come at once', () => {
  const sent = '{"amount":0,"card":{"brand":"amex","code":"0000"},"shares":[{"percent":1},{}]}';
  assert.deepEqual(tagsOf(readBody(sent, { page: '0', name: 'too long' })).sort(), [
    '__general__',
    'amount',
    'card.brand',
    'card.code',
    'name',
    'page',
    'shares[1].percent',
  ]);
});

test('faults name fields as the client wrote them, those of a rule too', () => {
  const sent = '{"Amount":"1","Card":{"brand":"elo","Code":"0000"}}';
  assert.deepEqual(tagsOf(readBody(sent)), ['Amount', 'Card.Code', '__general__']);
});

test('a field is named once', () => {
  const sent = '{"amount":1,"Amount":0,"card":{"brand":"elo"}}';
  assert.deepEqual(
    faultsOf(readBody(sent)).map(({ tag, sentence }) => [tag, sentence.en]),
    [['Amount', 'The field was sent more than once.']],
  );
});

test('a required field that is null is missing', () => {
  const [fault] = faultsOf(readBody('{"amount":null,"card":{"brand":"elo"}}'));
  assert.deepEqual([fault?.tag, fault?.sentence.en], ['amount', 'This field is required.']);
});

test('what is no object is refused as a whole', () => {
  for (const text of ['[{}]', '5', '"x"', 'null', 'true', '1e400']) {
    assert.deepEqual(tagsOf(readBody(text)), [''], text);
  }
});

const malformed: [string, string | Buffer, string, string][] = [
  ['broken JSON', '{"amount":1', '', 'The body is not valid JSON: line 1, column 12.'],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), '', 'The body is not UTF-8.'],
  ['a field sent twice', '{"amount":1,"amount":2}', 'amount', 'The field was sent more than once.'],
  ['NUL', '{"card":{"brand":"\\u0000"}}', 'card.brand', 'The NUL character is not allowed.'],
  ['half a character', '{"card":{"brand":"\\ud800"}}', 'card.brand', 'Malformed Unicode text.'],
  ['too many levels', '['.repeat(40) + ']'.repeat(40), 'the path', 'The JSON is nested too deeply.'],
  ['a number without end', `{"amount":1${'0'.repeat(80)}}`, 'amount', 'The number is too long.'],
];

for (const [story, text, tag, sentence] of malformed) {
  test(`${story} is refused, and nothing else is said`, () => {
    const [fault, ...others] = faultsOf(read(Buffer.from(text), {}, null, readExactJson));
    assert.equal(fault?.sentence.en, sentence);
    assert.equal(others.length, 0);
    if (tag !== 'the path') assert.equal(fault?.tag, tag);
  });
}

test('a forbidden name is refused', () => {
  const [fault] = faultsOf(readBody('{"__proto__":{"amount":1}}'));
  assert.equal(fault?.sentence.en, 'This field name is not allowed.');
});

test('faults stay in bounds whatever is sent', () => {
  const shares = `[${'{"percent":"x"},'.repeat(5_000)}1]`;
  const faults = faultsOf(readBody(`{"amount":0,"card":1,"shares":${shares}}`, { page: ['1', '2'] }));
  assert.ok(faults.length <= 100);
});

test('an integer of the query has digits only', () => {
  const good = '{"amount":1,"card":{"brand":"elo"}}';
  for (const page of ['-1', '1.0', '1e3', ' 1', '0x10', 'x', '1'.repeat(40)]) {
    assert.deepEqual(tagsOf(readBody(good, { page })), ['page'], page);
  }
});

test('a choice or number of the query without a value is one that is not there, and a text is refused', () => {
  const sent = (query: string) => readBody('{"amount":1,"card":{"brand":"elo"}}', parseQuery(query));
  assert.deepEqual(sent('page=&name=ana&kind='), sent('name=ana'));
  assert.deepEqual(sent('Page=&Kind='), sent(''));
  for (const query of ['name=', 'name', 'Name=', 'name=%20', 'name=%09%C2%A0', 'page=&name=&kind='])
    assert.deepEqual(
      faultsOf(sent(query)).map(({ tag, sentence }) => [tag.toLowerCase(), sentence.en]),
      [['name', 'It is empty. Give a value, or leave the parameter out.']],
      query,
    );
  for (const query of ['page=&page=', 'Page=&page=2', 'Kind=&kind=a', 'kind=&kind=']) {
    const [fault] = faultsOf(sent(query));
    assert.equal(fault?.sentence.en, 'The field was sent more than once.', query);
  }
});

test('a query parameter sent twice, or with NUL, is refused', () => {
  const good = '{"amount":1,"card":{"brand":"elo"}}';
  assert.deepEqual(tagsOf(readBody(good, { page: ['1', '1'] })), ['page']);
  assert.deepEqual(tagsOf(readBody(good, { name: 'a\0' })), ['name']);
});

test('a query parameter is taken with a capital first letter too, and never twice', () => {
  const sent = (query: string) => readBody('{"amount":1,"card":{"brand":"elo"}}', parseQuery(query));
  assert.deepEqual(sent('Page=2&Name=ana'), sent('page=2&name=ana'));
  assert.deepEqual(tagsOf(sent('page=2&Page=2')), ['Page']);
  assert.deepEqual(tagsOf(sent('Page=0&name=abcdef')), ['Page', 'name']);
});

test('what is no percent-encoded UTF-8 in a query is refused, and not taken as it stands', () => {
  for (const text of ['%ED%A0%80', 'a%FF', '%C0%AF', '100%', '%zz']) {
    const reading = readBody('{"amount":1,"card":{"brand":"elo"}}', parseQuery(`name=${text}`));
    assert.deepEqual(
      faultsOf(reading).map(({ tag, sentence }) => [tag, sentence.en]),
      [['name', 'Malformed Unicode text.']],
      text,
    );
  }
  assert.deepEqual({ ...parseQuery('name=a+%C3%A9&name=b&=&x') }, { name: ['a é', 'b'], '': '', x: '' });
});

test('a name that is a card number is not repeated in the answer', () => {
  for (const name of ['5155901222280001', '5155 9012 2228 0001', '5155-9012-2228-0001']) {
    const [tag = ''] = tagsOf(readBody(`{"x":{"${name}":1,"${name}":2}}`));
    assert.match(tag, /^x.*…/);
    assert.doesNotMatch(tag, /\d/);
  }
});

test('a byte order mark before the body is skipped', () => {
  const good = '{"amount":1,"card":{"brand":"elo"}}';
  assert.deepEqual(readBody(`\ufeff${good}`), readBody(good));
  assert.deepEqual(tagsOf(readBody(`\ufeff\ufeff${good}`)), ['']);
});

test('a parameter by which other gateways charge is refused, and where every name counts any unknown one', () => {
  const good = '{"amount":1,"card":{"brand":"elo"}}';
  assert.deepEqual(tagsOf(readBody(good, { currencyCode: 'usd' })), ['currencyCode']);
  assert.ok(readBody(good, { currencyCode: '', other: 'x' }).ok);
  const exact = requestReader(contract({ ...PAY, check: () => [], isExact: true }));
  const tags = (query: object) =>
    tagsOf(exact(Buffer.from(good), query as Record<string, unknown>, null, readExactJson));
  assert.deepEqual(tags({ value: '700' }), ['value']);
  assert.deepEqual(tags({ amount: '' }), ['amount']);
  assert.ok(exact(Buffer.from(good), { page: '2', Name: 'x' }, null, readExactJson).ok);
  const { body: _, query: __, ...bare } = PAY;
  const nothing = requestReader(contract({ ...bare, check: () => [], isExact: true, isBodyOptional: true }));
  const of = (text: string) => nothing(Buffer.from(text), {}, null, readExactJson);
  for (const empty of ['', '{}', '[]']) assert.ok(of(empty).ok, empty);
  assert.deepEqual(tagsOf(of('{"amount":5}')), ['amount']);
});

test('an endpoint without body and query reads nothing', () => {
  const { body: _, check: __, query: ___, ...bare } = PAY;
  const reading = requestReader(bare)(Buffer.from('not JSON'), { page: 'x' }, null, readExactJson);
  assert.deepEqual(reading, { ok: true, body: undefined, query: {} });
});

test('of a missing object the fields that it needs are named, and the object where it needs none', () => {
  assert.deepEqual(tagsOf(readBody('{}')), ['amount', 'card.brand']);
  assert.deepEqual(tagsOf(readBody('{"amount":1,"card":null}')), ['card.brand']);
  const inner = Type.Object({ note: Type.Optional(Type.String({ maxLength: 5 })) });
  const bare = contract({ ...PAY, body: Type.Object({ inner }), check: () => [] });
  const reading = requestReader(bare)(Buffer.from('{}'), {}, null, readExactJson);
  assert.deepEqual(tagsOf(reading), ['inner']);
});

test('what is sound of a malformed body can be looked at, and what is found there is reported beside the rest', () => {
  const reading = readBody('{"Amount":0,"Card":{"brand":"elo","code":"00000"},"shares":[{"percent":1},{}]}');
  assert.ok(!reading.ok);
  assert.deepEqual(reading.soundBody, { card: { brand: 'elo' } });
  const sentence = { pt: 'Não.', en: 'No.' };
  const more = [
    { tag: 'card.brand', sentence },
    { tag: 'amount', sentence },
  ];
  assert.deepEqual(
    reading.faultsWith(more).map(({ tag }) => tag),
    ['Amount', 'Card.code', 'shares[1].percent', 'Card.brand'],
  );
});

test('a card number in a text is a fault of that text, in lists too, unless the text may hold one', () => {
  const reader = requestReader(
    contract({
      ...PAY,
      query: undefined,
      check: () => [],
      body: Type.Object({
        note: Type.String({ maxLength: 3 }),
        token: Type.String({ mayHoldCard: true }),
        login: Type.String({ format: 'basicAuth' }),
        inner: Type.Object({ texts: Type.Array(Type.Object({ text: Type.String() }), { maxItems: 3 }) }),
      }),
    }),
  );
  const number = '5155 9012 2228 0001';
  const body = {
    note: number,
    token: number,
    login: btoa(`ana:${number}`),
    inner: { Texts: [{ text: 'x' }, { text: `a ${number}` }, { text: 5 }] },
  };
  const reading = reader(Buffer.from(JSON.stringify(body)), {}, null, readExactJson);
  assert.deepEqual(
    faultsOf(reading).map(({ tag, sentence }) => [tag, sentence.en]),
    [
      ['note', 'Must have at most 3 characters.'],
      ['inner.Texts[2].text', 'Must be a string.'],
      ['login', CARD_NUMBER_IN_TEXT.en],
      ['inner.Texts[1].text', CARD_NUMBER_IN_TEXT.en],
    ],
  );
});

test('a card number in a parameter is a fault of it; numbers of operators and acquirers may pass for one', () => {
  const text = Type.Optional(Type.String({ maxLength: 40 }));
  const query = Type.Object({ referenceTransaction: text, planName: text, nsu: text, mid: text });
  const reader = requestReader(contract({ ...PAY, body: undefined, check: () => [], query }));
  const tags = (sent: object) => {
    const reading = reader(undefined, sent as Record<string, unknown>, null, readExactJson);
    return reading.ok ? [] : reading.faults.map(({ tag }) => tag);
  };
  const number = '5155901222280001';
  assert.deepEqual(tags({ ReferenceTransaction: number, planName: 'x 5155 9012 2228 0001' }), [
    'ReferenceTransaction',
    'planName',
  ]);
  assert.deepEqual(tags({ nsu: number, mid: number, planName: 'Clube 5155' }), []);
});

test('a key of a repeatable request holds no card number', () => {
  const read = (key: string) => readIdempotencyKey(['Idempotency-Key', key]);
  assert.deepEqual(read('pedido-1'), { key: 'pedido-1', faults: [] });
  for (const key of ['5155901222280001', 'p 5155-9012-2228-0001']) {
    const { key: taken, faults } = read(key);
    assert.deepEqual([taken, faults.map(({ tag }) => tag)], [null, ['idempotencyKey']]);
  }
});

test('flat fields are read where the contract has them, and faults name them as they were sent', () => {
  const flatFields = {
    cardBrand: { pointers: ['/card/brand'] },
    cardCode: { pointers: ['/card/code'] },
    both: { pointers: ['/card/brand', '/card/code'], split: (text: string) => text.split(' ') },
  };
  const flat = requestReader(PAY, { operation: 'pay', flatFields });
  const sent = (body: object) => flat(Buffer.from(JSON.stringify(body)), {}, null, readExactJson);
  const nested = { amount: 1, card: { brand: 'elo', code: '123' } };
  const asSent = [
    { CardBrand: 'elo', cardCode: '123' },
    { both: 'elo 123' },
    { cardBrand: 'elo', card: { code: '123' } },
  ];
  for (const own of asSent)
    assert.deepEqual(sent({ amount: 1, ...own }), { ok: true, body: nested, query: {} });
  assert.deepEqual(tagsOf(sent({ amount: 1, CardBrand: 'x', cardCode: '12345' })), ['CardBrand', 'cardCode']);
  assert.deepEqual(tagsOf(sent({ amount: 1, cardCode: '123' })), ['cardBrand']);
  assert.deepEqual(tagsOf(sent({ amount: 1, cardBrand: 'elo', card: { brand: 'elo' } })), ['cardBrand']);
  const twice = { cardBrand: 'elo', CardBrand: 'visa', cardCode: '123' };
  assert.deepEqual(tagsOf(sent({ amount: 1, ...twice })), ['cardBrand']);
  assert.deepEqual(sent({ amount: 1, ...twice, CardBrand: '' }), { ok: true, body: nested, query: {} });
});

test('where both are taken, fields come from the body or the query, and one that stands in both has one value', () => {
  const { check: _, ...bare } = PAY;
  const body = Type.Object({ code: Type.String({ maxLength: 4 }) });
  const either = requestReader(contract({ ...bare, body }), { operation: 'pay', isFromEither: true });
  const sent = (text: string, query: Record<string, unknown>) =>
    either(text === '' ? undefined : Buffer.from(text), query, null, readExactJson);
  const read = { ok: true, body: { code: '12' }, query: { page: 2 } };
  assert.deepEqual(sent('{"code":"12"}', { page: '2' }), read);
  assert.deepEqual(sent('', { page: '2', Code: '12' }), read);
  assert.deepEqual(sent('{"code":"12","page":2}', {}), read);
  assert.deepEqual(sent('{"code":"12","page":2}', { page: '2', Code: '12' }), read);
  assert.deepEqual(tagsOf(sent('{"code":"12","page":3}', { page: '2', code: '34' })), ['page', 'code']);
  assert.deepEqual(tagsOf(sent('{"page":0}', { code: '12345' })), ['page', 'code']);
  assert.deepEqual(tagsOf(sent('{', { code: '12' })), ['']);
});
