import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from './settings.ts';

test('the folder is enough', () => {
  assert.deepEqual(readSettings(['--data', 'books']), {
    port: 0,
    host: '127.0.0.1',
    data: 'books',
    exitWithParent: false,
    lateMilliseconds: 10_000,
    ledgerSync: true,
  });
});

test('an unknown option is refused by name', () => {
  assert.match(String(readSettings(['--data', 'books', '--ledgersync', 'off'])), /--ledgersync/);
  assert.match(String(readSettings(['--data', 'books', 'more'])), /more/);
});

test('a wrong value is refused by the name of its option', () => {
  assert.match(String(readSettings([])), /--data/);
  assert.match(String(readSettings(['--data', 'books', '--port', '65536'])), /--port/);
  assert.match(String(readSettings(['--data', 'books', '--late-milliseconds', '-1'])), /--late-milliseconds/);
  assert.match(String(readSettings(['--data', 'books', '--ledger-sync', 'no'])), /--ledger-sync/);
});
