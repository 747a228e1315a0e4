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
    numbers: {},
  });
});

test("a simulator's own numbers are read, within their limits", () => {
  const options = { 'lag-milliseconds': { otherwise: 5, most: 1_000 } };
  const read = (...words: string[]) => readLedgerSettings(['--data', 'books', ...words], options);
  const numbersOf = (settings: ReturnType<typeof read>) =>
    typeof settings === 'string' ? settings : settings.numbers;
  assert.deepEqual(numbersOf(read()), { 'lag-milliseconds': 5 });
  assert.deepEqual(numbersOf(read('--lag-milliseconds', '0')), { 'lag-milliseconds': 0 });
  assert.match(String(read('--lag-milliseconds', '1001')), /--lag-milliseconds must be .* 1000/);
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
