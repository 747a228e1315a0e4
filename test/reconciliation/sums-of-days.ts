import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Auditor } from '../kit/service.ts';

const BACKFILL = readFileSync(
  new URL('../../migrations/0063-sums-of-past-days.sql', import.meta.url),
  'utf8',
);
const SUMS = /select seller, account_number, day,([\s\S]*?);/.exec(BACKFILL)?.[0] ?? '';
const DIFFERENCES = `select d.* from (select distinct merchant_id from receivables) m cross join lateral (
  ${SUMS.replaceAll('seller', 'm.merchant_id').replace(';', '')}
) d`;

/** What the receivables come to, less what their days say, of one moment; nothing where they are at one. */
export const differencesOfDays = (auditor: Auditor) => auditor.query(DIFFERENCES);

export async function assertDaysAddUp(auditor: Auditor): Promise<void> {
  assert.deepEqual(await differencesOfDays(auditor), []);
}

/** As an upgrade does with what there was before. */
export const sumPastDays = (auditor: Auditor) => auditor.query(BACKFILL);
