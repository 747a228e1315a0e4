import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureBuckets } from './login-failures.ts';

test('a stranger counts in the bucket of the name, a listed server does not', () => {
  const stranger = failureBuckets('loja', '4:1', false);
  const server = failureBuckets('loja', '4:2', true);
  assert.notEqual(stranger.name, null);
  assert.equal(server.name, null);
  assert.notEqual(stranger.nameAndAddress, server.nameAndAddress);
});

test('the bucket of a name is the same from every address, that of an address the same for every name', () => {
  assert.equal(failureBuckets('loja', '4:1', false).name, failureBuckets('loja', '4:2', false).name);
  assert.equal(failureBuckets('loja', '4:1', false).address, failureBuckets('outra', '4:1', false).address);
});

test('no user name can be made to fall into the bucket of another', () => {
  const names = ['a', 'a","4:1', '["name","a"]', '4:1'];
  const texts = names.flatMap((name) => Object.values(failureBuckets(name, '4:1', false)));
  assert.equal(new Set(texts).size, names.length * 2 + 1);
});
