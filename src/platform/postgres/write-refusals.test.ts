import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailable } from '../postgres/database-errors.ts';
import { kindOfRefusedWrite } from './write-refusals.ts';

const coded = (code: string) => Object.assign(new Error('no'), { code });

test('a write that the server refused for reasons of its own is distinguished from all other errors', () => {
  for (const [code, kind] of [
    ['53100', 'full'],
    ['53200', 'short'],
    ['53300', 'short'],
    ['25006', 'readOnly'],
    ['26000', 'pooled'],
    ['42P05', 'pooled'],
    ['23505', null],
    ['55P03', null],
    ['ECONNRESET', null],
  ] as const) {
    assert.equal(kindOfRefusedWrite(coded(code)), kind, code);
  }
  assert.equal(kindOfRefusedWrite(new Error('no')), null);
  assert.equal(kindOfRefusedWrite('no'), null);
});

test('it is found through what wraps it', () => {
  const wrapped = new DatabaseUnavailable('no', { cause: coded('25006') });
  assert.equal(kindOfRefusedWrite(new Error('no', { cause: wrapped })), 'readOnly');
});
