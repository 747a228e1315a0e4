import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeWeaknesses } from './production-faults.ts';

test('what weakens TLS or opens the memory is named with its place, however it is written', () => {
  for (const [options, option] of [
    ['--tls-min-v1.0', '--tls-min-v1.0'],
    ['--max-old-space-size=512 --tls_min_v1.1', '--tls-min-v1.1'],
    ['"--inspect=0.0.0.0:9229"', '--inspect'],
    ['--inspect-brk', '--inspect-brk'],
    ['--debug-port=1', '--debug-port'],
    ['--insecure-http-parser', '--insecure-http-parser'],
    ['--tls-keylog=/tmp/keys', '--tls-keylog'],
    ['--heapsnapshot-signal=SIGUSR2', '--heapsnapshot-signal'],
  ] as const) {
    const [fault = '', ...others] = nodeWeaknesses({ NODE_OPTIONS: options }, [], undefined);
    assert.ok(fault.startsWith(`NODE_OPTIONS: ${option} `), `${options}: ${fault}`);
    assert.deepEqual(others, []);
  }
  assert.match(
    nodeWeaknesses({}, ['--inspect'], undefined)[0] ?? '',
    /^the command line of Node: --inspect /,
  );
  assert.match(
    nodeWeaknesses({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, [], undefined)[0] ?? '',
    /believes every certificate/,
  );
  assert.match(
    nodeWeaknesses({}, [], 'ws://127.0.0.1:9229/ab')[0] ?? '',
    /inspector of Node is open at 127\.0\.0\.1:9229,/,
  );
  assert.match(nodeWeaknesses({ NODE_DEBUG: 'http,tls' }, [], undefined)[0] ?? '', /^NODE_DEBUG/);
});

test('what weakens nothing is allowed', () => {
  const options =
    '--use-openssl-ca --max-old-space-size=512 --tls-min-v1.3 --import "./a file.mjs" --disable-sigusr1';
  const environment = {
    NODE_OPTIONS: options,
    NODE_TLS_REJECT_UNAUTHORIZED: '1',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
  };
  assert.deepEqual(nodeWeaknesses(environment, ['--disable-sigusr1', '--enable-source-maps'], undefined), []);
});
