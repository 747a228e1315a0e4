import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeFault } from './node-version.ts';

test('another major of Node is refused by name', () => {
  assert.equal(nodeFault('26.1.0'), null);
  assert.equal(nodeFault(), null);
  for (const version of ['25.9.0', '260.0.0', '2.6.0'])
    assert.match(nodeFault(version) ?? '', new RegExp(`runs on Node 26, this is v${version}`));
});
