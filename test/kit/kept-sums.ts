import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Auditor, TestRows } from './service.ts';

/** Sums that triggers keep of a table's rows, and the script of the operator that mends them. */
export type KeptSums = {
  /** What the rows come to, less what their sums say, of one moment; nothing where they are at one. */
  readonly differences: (auditor: Auditor) => Promise<TestRows>;
  readonly assertAddUp: (auditor: Auditor) => Promise<void>;
  readonly mend: (auditor: Auditor) => Promise<TestRows>;
};

export function keptSums(table: 'receivables' | 'billings'): KeptSums {
  const script = `../../deploy/repair/${table.slice(0, -1)}-days.sql`;
  const text = readFileSync(new URL(script, import.meta.url), 'utf8');
  const ofSeller = /select seller, [\s\S]*?(?=;)/.exec(text)?.[0] ?? '';
  const differences = (auditor: Auditor) =>
    auditor.query(`select d.* from (select distinct merchant_id from ${table}) m cross join lateral (
      ${ofSeller.replaceAll('seller', 'm.merchant_id')}
    ) d`);
  return {
    differences,
    assertAddUp: async (auditor) => assert.deepEqual(await differences(auditor), []),
    mend: (auditor) => auditor.query(text),
  };
}
