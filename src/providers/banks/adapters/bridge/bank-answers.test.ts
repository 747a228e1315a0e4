import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Asked } from '../../../../platform/channels/ask-once.ts';
import { composeBarCode } from '../../../../values/bar-code.ts';
import { cents } from '../../../../values/cents.ts';
import { type Day, instant } from '../../../../values/instant.ts';
import { isPixCodeOf, readCancel, readFound, readIssue } from './bank-answers.ts';
import { readBankChanges } from './bridge.ts';

const ASKED = { ourNumber: '00000000001', amount: cents(12_990), dueOn: '2026-11-10' as Day };
const BAR_CODE = composeBarCode({ bankCode: '237', ...ASKED, freeField: '1'.repeat(25) });
const PIX =
  '00020101021226540014br.gov.bcb.pix2532pix.example/qr/v2/0123456789abcd' +
  '520400005303986' +
  '5406129.90' +
  '5802BR5904LOJA6009SAO PAULO62070503***6304';

const QUERY = { merchantId: 'M1', cursor: null, until: instant(Date.UTC(2027, 0, 1)), limit: 5 };
const answered = (body: unknown, status = 200): Asked => ({ kind: 'answer', status, body });
const issued = (changed: object = {}) =>
  answered({ ourNumber: ASKED.ourNumber, outcome: 'issued', barCode: BAR_CODE, pixEmv: null, ...changed });
const reasonOf = (asked: Asked) => {
  const read = readIssue(asked, ASKED, '237');
  return 'reason' in read ? read.reason : read.kind;
};

test('an answer is a boleto only as it was asked for', () => {
  assert.deepEqual(readIssue(issued(), ASKED, '237'), { kind: 'issued', barCode: BAR_CODE, pixEmv: null });
  const wrong: readonly [object, RegExp][] = [
    [{ ourNumber: '00000000002' }, /another number/],
    [{ outcome: 'registered' }, /neither a yes nor a no/],
    [{ barCode: null }, /no bar code/],
    [{ barCode: BAR_CODE.slice(1) }, /wrongLength/],
    [{ barCode: composeBarCode({ bankCode: '341', ...ASKED, freeField: '1'.repeat(25) }) }, /another bank/],
    [{ pixEmv: 'x' }, /Pix code cannot be/],
    [{ pixEmv: 7 }, /Pix code cannot be/],
    [{ outcome: 'refused', reason: 'other' }, /neither a yes nor a no/],
  ];
  for (const [changed, reason] of wrong) assert.match(reasonOf(issued(changed)), reason);
  assert.match(reasonOf(answered({ error: 'referenceReused' }, 409)), /another boleto/);
  for (const status of [201, 204, 301, 400, 401, 404, 429, 500, 503])
    assert.equal(readIssue(answered({}, status), ASKED, '237').kind, 'unknown', `${status}`);
});

test('an answer that cannot be used is none of silence', () => {
  const causeOf = (asked: Asked) => {
    const [read, found] = [readIssue(asked, ASKED, '237'), readFound(asked, ASKED, '237')];
    const page = readBankChanges(asked, QUERY, '237');
    const causes = [read, found, page].map((one) => ('cause' in one ? one.cause : one.kind));
    assert.equal(new Set(causes).size, 1, String(causes));
    return causes[0];
  };
  assert.equal(causeOf(answered({})), 'unusable');
  for (const status of [201, 401, 404, 409, 429]) assert.equal(causeOf(answered({}, status)), 'unusable');
  for (const status of [500, 503]) assert.equal(causeOf(answered({}, status)), 'silent');
  for (const kind of ['unknown', 'notConnected'] as const)
    assert.equal(causeOf({ kind, reason: 'x' }), 'silent');
  assert.equal(causeOf({ kind: 'notSent', reason: 'x' }), 'notAsked');
});

test('what was not sent was not asked, and a question about it is unknown', () => {
  const notSent: Asked = { kind: 'notSent', reason: 'no connection was free' };
  assert.equal(readIssue(notSent, ASKED, '237').kind, 'notConnected');
  assert.equal(readCancel(notSent, ASKED.ourNumber).kind, 'notConnected');
  assert.equal(readFound(notSent, ASKED, '237').kind, 'unknown');
});

test('whatever comes is read as one of the known answers, and repeated in no sentence', () => {
  const kinds = ['issued', 'paid', 'canceled', 'expired', 'notFound', 'refused', 'unknown', 'changes'];
  const names = ['ourNumber', 'outcome', 'reason', 'status', 'barCode', 'pixEmv', 'items', 'next', 'hasMore'];
  const known = [ASKED.ourNumber, 'issued', 'refused', 'paid', 'canceled', BAR_CODE, true, false];
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>(...known));
  const body = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...names), value));
  fc.assert(
    fc.property(body, fc.constantFrom(200, 404, 409, 500), (json, status) => {
      const given = answered(json, status);
      const read = [
        readIssue(given, ASKED, '237'),
        readCancel(given, ASKED.ourNumber),
        readFound(given, ASKED, '237'),
        readBankChanges(given, QUERY, '237'),
      ];
      for (const answer of read) {
        assert.ok(kinds.includes(answer.kind), answer.kind);
        if ('reason' in answer) assert.ok(answer.reason.length < 80, answer.reason);
      }
    }),
  );
});

test('an item that cannot be is kept for a person, and those behind it are read', () => {
  const paid = {
    changeId: '1',
    merchantId: 'M1',
    ourNumber: ASKED.ourNumber,
    event: 'paid',
    amount: 12_990,
    paidOn: '2026-11-10',
    creditedOn: null,
    fee: null,
    at: '2026-11-10T23:00:00Z',
  };
  const wrong: readonly [object, string][] = [
    [{ changeId: 1 }, 'changeId'],
    [{ merchantId: 'M2' }, 'merchantId that was asked for'],
    [{ ourNumber: '1' }, 'ourNumber'],
    [{ event: 'settled' }, 'event that is known'],
    [{ amount: 0 }, 'amount that can be'],
    [{ amount: null }, 'amount that can be'],
    [{ paidOn: '2026-02-30' }, 'paidOn that can be'],
    [{ creditedOn: 20261111 }, 'creditedOn that can be'],
    [{ fee: -1 }, 'fee that can be'],
    [{ at: '2026-11-10' }, 'at that can be'],
    [{ at: '2028-01-01T00:00:00Z' }, 'at that can be'],
  ];
  const items = [...wrong.map(([changed]) => ({ ...paid, ...changed })), paid];
  const query = { merchantId: 'M1', cursor: null, until: instant(Date.UTC(2027, 0, 1)), limit: 50 };
  const read = readBankChanges(answered({ items, next: '12', hasMore: false }), query, '237');
  assert.ok(read.kind === 'changes');
  assert.deepEqual(
    read.unreadable.map(({ reason }) => reason),
    wrong.map(([, name]) => `it has no ${name}`),
  );
  assert.deepEqual([read.changes.length, read.changes[0]?.amount], [1, 12_990]);
  for (const page of [
    { items, next: '', hasMore: false },
    { items, next: '12' },
    { items: {}, next: '12', hasMore: false },
    { items: Array(51).fill(paid), next: '12', hasMore: false },
  ])
    assert.equal(readBankChanges(answered(page), query, '237').kind, 'unknown');
  const behind = (cursor: string) =>
    readBankChanges(answered({ items, next: '12', hasMore: true }), { ...query, cursor }, '237');
  assert.equal(behind('237:12').kind, 'unknown');
  // Another bank's cursor says nothing of this one's.
  assert.equal(behind('341:12').kind, 'changes');
  assert.equal(read.cursor, '237:12');
});

test('a page that promises more and brings nothing is not asked for again at once', () => {
  const moreAfter = (items: readonly unknown[]) => {
    const read = readBankChanges(answered({ items, next: '12', hasMore: true }), QUERY, '237');
    return read.kind === 'changes' && read.hasMore;
  };
  assert.deepEqual([moreAfter([]), moreAfter([{}])], [false, true]);
});

/** CRC-16/CCITT-FALSE of the standard's check value, as a table of 256 makes it. */
function checkSum(text: string): string {
  const table = Array.from({ length: 256 }, (_, index) => {
    let value = index << 8;
    for (let bit = 0; bit < 8; bit += 1) value = value & 0x8000 ? (value << 1) ^ 0x1021 : value << 1;
    return value & 0xffff;
  });
  let sum = 0xffff;
  for (const byte of Buffer.from(text)) sum = ((sum << 8) ^ (table[(sum >> 8) ^ byte] as number)) & 0xffff;
  return sum.toString(16).toUpperCase().padStart(4, '0');
}

test('a Pix code is believed with its check sum and the asked amount, and no other', () => {
  assert.equal(checkSum('123456789'), '29B1');
  const code = PIX + checkSum(PIX);
  assert.ok(isPixCodeOf(code, 12_990));
  assert.ok(!isPixCodeOf(code, 12_991));
  const without = PIX.replace('5406129.90', '');
  assert.ok(isPixCodeOf(without + checkSum(without), 12_991));
  for (let place = 0; place < code.length; place += 1) {
    const other = code[place] === '1' ? '2' : '1';
    assert.ok(!isPixCodeOf(code.slice(0, place) + other + code.slice(place + 1), 12_990), String(place));
  }
  const dollars = PIX.replace('5303986', '5303840');
  assert.ok(!isPixCodeOf(dollars + checkSum(dollars), 12_990));
});
