import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefersCsv } from '../http/routes.ts';

test('CSV is answered to those who name it, and prefer it to JSON', () => {
  for (const accept of ['text/csv', 'Text/CSV; charset=utf-8', 'text/csv, */*', 'text/csv, application/json'])
    assert.ok(prefersCsv(accept), accept);
  assert.ok(prefersCsv('application/json;q=0.5, text/csv;q=0.8'));
  for (const accept of [undefined, '', '*/*', 'text/*', 'application/json', 'application/json, text/csv'])
    assert.equal(prefersCsv(accept), false, `${accept}`);
  for (const accept of ['text/csv;q=0', 'text/csv;q=0.1, application/json', 'text/csv;q=x'])
    assert.equal(prefersCsv(accept), false, `${accept}`);
});
