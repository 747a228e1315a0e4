import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ecsFields } from './log.ts';

test('a request has the names that the schema has for it, and its duration in nanoseconds', () => {
  const line = { requestId: 'r', method: 'POST', route: '/v1/payments', status: 200, milliseconds: 12.5 };
  assert.deepEqual(ecsFields({ ...line, merchantId: 'LOJA1', paymentId: 'p', userName: undefined }), {
    'http.request.id': 'r',
    'http.request.method': 'POST',
    'http.route': '/v1/payments',
    'http.response.status_code': 200,
    'event.duration': 12_500_000,
    'organization.id': 'LOJA1',
    'parcela.paymentId': 'p',
  });
});

test('an error has its type, message and places; a reason without one is that of the event', () => {
  const error = { error: 'TypeError', reason: 'no', code: 'E1', cause: undefined, stack: ['at a', 'at b'] };
  assert.deepEqual(ecsFields(error), {
    'error.type': 'TypeError',
    'error.message': 'no',
    'error.code': 'E1',
    'error.stack_trace': 'at a\nat b',
  });
  assert.deepEqual(ecsFields({ reason: 'away', status: 'failed', code: 51 }), {
    'event.reason': 'away',
    'parcela.status': 'failed',
    'parcela.code': 51,
  });
});
