import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Auditor, TestRows } from './service.ts';

/** Sums that triggers keep of a table's rows. A migration makes them of what there was before. */
export type KeptSums = {
  /** What the rows come to, less what their sums say, of one moment; nothing where they are at one. */
  readonly differences: (auditor: Auditor) => Promise<TestRows>;
  readonly assertAddUp: (auditor: Auditor) => Promise<void>;
  /** As an upgrade does with what there was before. */
  readonly sumPast: (auditor: Auditor) => Promise<TestRows>;
};

export function keptSums(table: string, migration: string): KeptSums {
  const text = readFileSync(new URL(`../../migrations/${migration}`, import.meta.url), 'utf8');
  const ofSeller = /select seller, [\s\S]*?(?=;)/.exec(text)?.[0] ?? '';
  const differences = (auditor: Auditor) =>
    auditor.query(`select d.* from (select distinct merchant_id from ${table}) m cross join lateral (
      ${ofSeller.replaceAll('seller', 'm.merchant_id')}
    ) d`);
  return {
    differences,
    assertAddUp: async (auditor) => assert.deepEqual(await differences(auditor), []),
    sumPast: (auditor) => auditor.query(text),
  };
}
