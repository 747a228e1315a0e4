import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ecsFields } from '../../platform/log.ts';
import { readLostPix } from './lost-pix.ts';

const ROUTE = '/v1/payments/pix';
const LINE = {
  ...{ method: 'POST', route: ROUTE, status: 200, merchantId: '01700000000001' },
  ...{ paymentId: '019AC5A2-7b1e-7d11-9c55-1f2e3d4c5b6a', referenceTransaction: 'P-1' },
};
const read = (line: object) => readLostPix(JSON.stringify(line), ROUTE);
const FOUND = {
  pixId: '019ac5a2-7b1e-7d11-9c55-1f2e3d4c5b6a',
  merchantId: '01700000000001',
  referenceTransaction: 'P-1',
};

test('the line of the request that made a charge says whose it is, in every format and wrapping', () => {
  assert.deepEqual(read(LINE), FOUND);
  assert.deepEqual(read(ecsFields(LINE)), FOUND);
  assert.deepEqual(read({ log: JSON.stringify(LINE), stream: 'stdout' }), FOUND);
  const { method, route, merchantId, ...rest } = LINE;
  const split = { http: { request: { method }, route }, organization: { id: merchantId }, parcela: rest };
  assert.deepEqual(read(split), FOUND);
});

test('other requests, and those that made nothing, say nothing', () => {
  const { paymentId: _paymentId, ...without } = LINE;
  const { merchantId: _merchantId, ...ofNobody } = LINE;
  const others = [{ ...LINE, method: 'GET' }, { ...LINE, route: '/v1/payments' }, without, ofNobody];
  assert.deepEqual([...others, { ...LINE, paymentId: 'x' }].map(read), [null, null, null, null, null]);
  const quoted = { level: 'info', referenceTransaction: JSON.stringify(LINE) };
  assert.equal(read(quoted), null, 'a text of a caller is no line');
});
