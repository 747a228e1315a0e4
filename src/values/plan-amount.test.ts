import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ExactNumber, readExactJson } from './exact-json.ts';
import {
  centsOfPlanAmount,
  type PlanAmount,
  parsePlanAmount,
  planAmount,
  writePlanAmount,
} from './plan-amount.ts';

test('an amount of 12 and 6 digits goes in and out digit for digit', () => {
  const reading = readExactJson('123456789012.123456');
  assert.ok(reading.ok);
  const amount = planAmount(reading.value as ExactNumber);
  assert.equal(amount, '123456789012.123456');
  assert.equal(
    JSON.stringify({ amount: writePlanAmount(amount as PlanAmount) }),
    '{"amount":123456789012.123456}',
  );
  assert.equal(parsePlanAmount('123456789012.123456'), amount);
});

test('amounts that are equal are written alike', () => {
  for (const [sent, kept] of [
    [49.9, '49.9'],
    [new ExactNumber('49.900000'), '49.9'],
    [new ExactNumber('499e-1'), '49.9'],
    [1, '1'],
    [0.000001, '0.000001'],
  ] as const) {
    assert.equal(planAmount(sent), kept);
  }
  assert.equal(parsePlanAmount('49.900000'), '49.9');
});

test('nothing, less than nothing and too many digits are no amounts', () => {
  for (const sent of [
    0,
    -1,
    1e12,
    0.0000001,
    Number.NaN,
    new ExactNumber('0.0000000'),
    new ExactNumber('1234567890123.1'),
  ]) {
    assert.equal(planAmount(sent), null);
  }
});

test('half a cent goes to the even cent', () => {
  for (const [text, charged] of [
    ['0.005', 0],
    ['0.015', 2],
    ['0.025', 2],
    ['0.025001', 3],
    ['49.904999', 4_990],
    ['999999999999.999999', 100_000_000_000_000],
  ] as const) {
    assert.equal(centsOfPlanAmount(text as PlanAmount), charged);
  }
});

test('every amount survives the database and the wire, and its cents are within half a cent', () => {
  const micros = fc.bigInt({ min: 1n, max: 10n ** 18n - 1n });
  fc.assert(
    fc.property(micros, (value) => {
      const digits = String(value).padStart(7, '0');
      const text = `${digits.slice(0, -6)}.${digits.slice(-6)}`;
      const amount = parsePlanAmount(text);
      const read = readExactJson(JSON.stringify(writePlanAmount(amount)));
      assert.ok(read.ok && planAmount(read.value as number) === amount);
      const twice = 2n * (BigInt(centsOfPlanAmount(amount)) * 10_000n - value);
      assert.ok(twice <= 10_000n && twice >= -10_000n);
    }),
  );
});
