import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authenticationResult, isOfBrand } from '../providers/acquirers/authentication.ts';
import { checkAuthentication, readAuthentication } from './authentication-contract.ts';

const CAVV = 'AAABBZEEBgAAAAAAAAQGAAAAAAA=';
const ID = '8C3F2E9A-0B1D-4A20-8C4E-2B6D1E5F3A77';

const tags = (body: object, isOffered = true) => checkAuthentication(body, isOffered).map(({ tag }) => tag);

test('an indicator of an authentication needs its proof, and the proof an id', () => {
  for (const eci of ['05', '06', '02', '01', '5', '2']) {
    assert.deepEqual(tags({ threeDSecure: { eci } }), ['threeDSecure.cavv', 'threeDSecure.dsTransactionId']);
    assert.deepEqual(tags({ threeDSecure: { eci, cavv: CAVV, xid: CAVV } }), []);
    assert.deepEqual(tags({ threeDSecure: { eci, cavv: CAVV, dsTransactionId: ID } }), []);
    assert.deepEqual(tags({ sellerInfo: { eci } }), ['sellerInfo.cavvUcaf', 'sellerInfo.xid']);
  }
  for (const eci of ['00', '04', '07', '7']) assert.deepEqual(tags({ threeDSecure: { eci } }), []);
});

test("the family's fields are nothing without an indicator, and stand alone", () => {
  assert.deepEqual(tags({ sellerInfo: { cavvUcaf: CAVV, xid: CAVV } }), ['sellerInfo.eci']);
  assert.deepEqual(tags({ sellerInfo: { programProtocol: '2' } }), ['sellerInfo.eci']);
  assert.deepEqual(tags({ sellerInfo: { codeAntiFraud: 'x' } }, false), []);
  assert.deepEqual(tags({ threeDSecure: { eci: '07' }, sellerInfo: { eci: '07' } }), ['threeDSecure']);
});

test('it is refused where no acquirer takes it, by the field that has it', () => {
  assert.deepEqual(tags({ threeDSecure: { eci: '07' } }, false), ['threeDSecure']);
  assert.deepEqual(tags({ sellerInfo: { eci: '07' } }, false), ['sellerInfo.eci']);
});

test('both spellings are one authentication', () => {
  const read = { eci: '05', version: '2.2.0', cavv: CAVV, xid: null, dsTransactionId: ID.toLowerCase() };
  const own = { eci: '5', cavv: CAVV, dsTransactionId: ID, version: '2.2.0' };
  assert.deepEqual(readAuthentication(own, {}), { ...read, field: 'threeDSecure' });
  const family = { eci: '05', cavvUcaf: CAVV, xid: ID, programProtocol: '2.2.0' };
  assert.deepEqual(readAuthentication(undefined, family), { ...read, field: 'sellerInfo' });
  const shorter = readAuthentication(undefined, { eci: '2', cavvUcaf: CAVV, xid: CAVV });
  assert.deepEqual(shorter, {
    ...{ eci: '02', version: '2', cavv: CAVV, xid: CAVV, dsTransactionId: null, field: 'sellerInfo' },
  });
  assert.equal(readAuthentication(undefined, {}), null);
});

test("an indicator is read by its network's own table", () => {
  const of = (eci: string) => ({ eci, version: '2' });
  assert.ok(isOfBrand(of('02'), 'mastercard') && isOfBrand(of('05'), 'visa') && isOfBrand(of('04'), 'elo'));
  assert.ok(
    !isOfBrand(of('05'), 'mastercard') && !isOfBrand(of('02'), 'visa') && !isOfBrand(of('01'), 'amex'),
  );
  assert.deepEqual(['02', '05', '01', '06', '00', '04', '07'].map(authenticationResult), [
    'authenticated',
    'authenticated',
    'attempted',
    'attempted',
    ...Array(3).fill('notAuthenticated'),
  ]);
});
