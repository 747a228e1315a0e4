import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLedgerSettings } from './ledger-settings.ts';

test('the folder is enough', () => {
  assert.deepEqual(readLedgerSettings(['--data', 'books']), {
    port: 0,
    host: '127.0.0.1',
    data: 'books',
    exitWithParent: false,
    lateMilliseconds: 10_000,
    ledgerSync: true,
  });
});

test('an unknown option is refused by name', () => {
  assert.match(String(readLedgerSettings(['--data', 'books', '--ledgersync', 'off'])), /--ledgersync/);
  assert.match(String(readLedgerSettings(['--data', 'books', 'more'])), /more/);
});

test('a wrong value is refused by the name of its option', () => {
  assert.match(String(readLedgerSettings([])), /--data/);
  assert.match(String(readLedgerSettings(['--data', 'books', '--port', '65536'])), /--port/);
  assert.match(
    String(readLedgerSettings(['--data', 'books', '--late-milliseconds', '-1'])),
    /--late-milliseconds/,
  );
  assert.match(String(readLedgerSettings(['--data', 'books', '--ledger-sync', 'no'])), /--ledger-sync/);
});
