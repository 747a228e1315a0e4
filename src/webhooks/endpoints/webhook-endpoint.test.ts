import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registrationChanges } from './webhook-endpoint.ts';

const plain = { url: 'https://loja.example/hooks?key=1', hasLogin: false };

test('of a registration the audit log says the server and whether it has a login, never path, query or login', () => {
  assert.deepEqual(registrationChanges(null, plain), {
    'server.new': 'https://loja.example',
    'login.new': 'no',
  });
  assert.deepEqual(registrationChanges({ ...plain, hasLogin: true }, null), {
    'server.old': 'https://loja.example',
    'login.old': 'yes',
  });
});

test('a new server, a new path and a login given anew are each named', () => {
  const moved = { url: 'https://nova.example/hooks?key=1', hasLogin: true };
  assert.deepEqual(registrationChanges(plain, moved), {
    'server.old': 'https://loja.example',
    'server.new': 'https://nova.example',
    'login.old': 'no',
    'login.new': 'yes',
  });
  const elsewhere = { url: 'https://nova.example/hooks?key=2', hasLogin: true };
  assert.deepEqual(registrationChanges(moved, elsewhere), { path: 'changed', login: 'given anew' });
  assert.deepEqual(registrationChanges(plain, plain), {});
});
