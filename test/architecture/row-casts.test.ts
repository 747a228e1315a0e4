import { test } from 'node:test';
import { assertNone, assertOne, planted } from './planted.ts';
import { rowCastComplaints } from './row-casts.ts';
import { readSourceTree } from './source-tree.ts';

test('what a row holds is read, and not believed', () => {
  assertNone(rowCastComplaints(readSourceTree()));
});

test('a cast of a column is found', () => {
  const complaints = (source: string) => rowCastComplaints(planted({ 'src/cards/cards.sql.ts': source }));
  for (const source of [
    'const state = row.state as CardState;',
    'const state = row?.state as CardState | undefined;',
    'const moment = found.sold_at as Instant;',
  ])
    assertOne(complaints(source), /believes what a row holds/);
  assertNone(complaints('const card = CARD.parse(row); const brand = body.brand as CardBrand;'));
});
