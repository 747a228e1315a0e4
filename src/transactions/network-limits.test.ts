import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DeclineCount, networkRefusal } from './network-limits.ts';

const funds = (inLastDay: number, inLastThirtyDays: number, isSameAmount = true): DeclineCount => ({
  responseCode: '51',
  adviceCode: null,
  isSameAmount,
  inLastDay,
  inLastThirtyDays,
});

test('a card without declines may always be tried', () => {
  for (const brand of ['visa', 'mastercard', 'elo', 'amex', 'hipercard'] as const) {
    assert.equal(networkRefusal(brand, []), null);
  }
});

test('Visa takes 20 tries of one amount in 30 days, however many in a day', () => {
  assert.equal(networkRefusal('visa', [funds(19, 19)]), null);
  assert.equal(networkRefusal('visa', [funds(0, 20)]), 'tooManyTries');
  assert.equal(networkRefusal('visa', [funds(30, 30, false)]), null);
});

test('Mastercard takes 7 tries in a day and 35 in 30 days, of all amounts together', () => {
  assert.equal(networkRefusal('mastercard', [funds(6, 6)]), null);
  assert.equal(networkRefusal('mastercard', [funds(4, 4), funds(3, 3, false)]), 'tooManyTries');
  assert.equal(networkRefusal('mastercard', [funds(0, 34)]), null);
  assert.equal(networkRefusal('mastercard', [funds(0, 20), funds(0, 15, false)]), 'tooManyTries');
});

test('Elo takes 15 tries of one amount in 30 days, and Amex and Hipercard name no number', () => {
  assert.equal(networkRefusal('elo', [funds(0, 14)]), null);
  assert.equal(networkRefusal('elo', [funds(0, 15)]), 'tooManyTries');
  assert.equal(networkRefusal('amex', [{ ...funds(99, 99), responseCode: '116' }]), null);
  assert.equal(networkRefusal('hipercard', [funds(99, 99)]), null);
});

test('a final no is not repeated: for its amount, or for every amount when the card is canceled', () => {
  const of = (
    responseCode: string,
    isSameAmount: boolean,
    adviceCode: string | null = null,
  ): DeclineCount => ({
    responseCode,
    adviceCode,
    isSameAmount,
    inLastDay: 0,
    inLastThirtyDays: 1,
  });
  assert.equal(networkRefusal('visa', [of('13', true)]), 'neverAgain');
  assert.equal(networkRefusal('visa', [of('13', false)]), null);
  assert.equal(networkRefusal('visa', [of('41', false)]), 'neverAgain');
  assert.equal(networkRefusal('mastercard', [of('51', false, '21')]), 'neverAgain');
  assert.equal(networkRefusal('mastercard', [of('51', false, '24')]), null);
  assert.equal(networkRefusal('amex', [of('200', false)]), 'neverAgain');
});
