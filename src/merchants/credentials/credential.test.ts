import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Instant, instant } from '../../values/instant.ts';
import type { Merchant } from '../merchant.ts';
import { isOverlap, mayLogIn, type NewCredential, newCredentialRefusal } from './credential.ts';

const CREATED_AT: Instant = instant(Date.UTC(2026, 10, 21));
const SHOP: Merchant = {
  merchantId: 'shop',
  cnpj: '11222333000181',
  legalName: 'Padaria',
  contact: { name: 'Ana', email: 'ana@padaria.example', phone: '+55 11 91234-5678' },
  accountNumbers: ['1001', '1002'],
  productionAddresses: [],
  softDescriptor: null,
  businessAddress: null,
  createdAt: CREATED_AT,
  isDisabled: false,
  hasBillingsHeld: false,
  isHeldByRestore: false,
};
const WANTED: NewCredential = {
  merchantId: 'shop',
  accountNumber: null,
  scopes: ['gateway'],
  userName: null,
  allowedAddresses: [],
};

const refusalOf = (change: Partial<NewCredential>, merchant: Merchant | null = SHOP, isProduction = false) =>
  newCredentialRefusal({ ...WANTED, ...change }, merchant, isProduction)?.refusal ?? null;

test('gateway and recurrence credentials log in at the gateway, integration credentials at the other APIs', () => {
  assert.equal(mayLogIn(['gateway'], 'gateway'), true);
  assert.equal(mayLogIn(['recurrence'], 'gateway'), true);
  assert.equal(mayLogIn(['integration'], 'gateway'), false);
  assert.equal(mayLogIn(['gateway', 'recurrence'], 'integration'), false);
  assert.equal(mayLogIn(['gateway', 'integration'], 'integration'), true);
});

test('a credential belongs to a merchant, to one of its accounts, and has a scope', () => {
  assert.equal(refusalOf({}), null);
  assert.equal(refusalOf({}, null), 'merchantUnknown');
  assert.equal(refusalOf({ accountNumber: '1002' }), null);
  assert.equal(refusalOf({ accountNumber: '9' }), 'accountUnknown');
  assert.equal(refusalOf({ scopes: [] }), 'scopeMissing');
});

test('a user name has 3 to 30 plain characters and is not the one that the program uses for itself', () => {
  assert.equal(refusalOf({ userName: 'loja.01@shop' }), null);
  assert.equal(refusalOf({ userName: 'ab' }), 'userNameMalformed');
  assert.equal(refusalOf({ userName: 'x'.repeat(31) }), 'userNameMalformed');
  assert.equal(refusalOf({ userName: 'joão' }), 'userNameMalformed');
  assert.equal(refusalOf({ userName: 'ana-5155901222280001' }), 'userNameMalformed');
  assert.equal(refusalOf({ userName: 'System' }), 'userNameReserved');
});

test('in production a credential needs a list of addresses, its own or the merchant’s', () => {
  assert.equal(refusalOf({}, SHOP, true), 'addressMissing');
  assert.equal(refusalOf({ allowedAddresses: ['203.0.113.7'] }, SHOP, true), null);
  assert.equal(refusalOf({}, { ...SHOP, productionAddresses: ['203.0.113.7'] }, true), null);
  assert.equal(refusalOf({ allowedAddresses: ['shop.example'] }, SHOP, true), 'addressMalformed');
});

test('an old password stays valid for 0 to 24 whole hours', () => {
  assert.deepEqual([0, 1, 24].map(isOverlap), [true, true, true]);
  assert.deepEqual([-1, 0.5, 25, Number.NaN].map(isOverlap), [false, false, false, false]);
});
