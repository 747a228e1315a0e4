import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Routing, routingOf } from './routing.ts';

test('of an address its host is shown, and nothing that could be secret in it', () => {
  const { acquirer, bankHost, antiFraudHost, providers } = routingOf({
    acquirerUrl: 'https://user:secret@bridge.example:8443/path?key=secret',
    capabilities: {} as Routing['acquirer']['capabilities'],
    bankUrl: null,
    antiFraudUrl: 'https://fraud.example/v1/token',
    isHomologation: false,
    providers: [{ kind: 'bank', name: 'by-file', url: '', disabledAt: null }],
    rules: [],
    standing: '',
    processes: [],
  });
  assert.deepEqual([acquirer.host, bankHost, antiFraudHost], ['bridge.example:8443', null, 'fraud.example']);
  assert.equal(providers[0]?.host, null, 'a bank by file has no address');
});
