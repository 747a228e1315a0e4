import type { ModuleContext } from '../../platform/module.ts';
import type { ClockedWork, Work } from '../../platform/work/due-work.ts';
import { everySoOften } from '../../platform/work/every-so-often.ts';
import type { DueBilling } from '../collection/due-billings.sql.ts';
import { advanceAuthorization } from './advance-authorization.ts';
import { type AdvanceCollectionTools, advanceCollection } from './advance-collection.ts';
import { collectByPix } from './collect-by-pix.ts';
import {
  claimAuthorizations,
  claimCollections,
  earliestLook,
  LOOKS_DUE,
  listMerchantsToLookAt,
} from './due-looks.sql.ts';

const LOOK_MILLISECONDS = 1_000;
const BATCH = 50;
/** The most merchants with a clock ahead in one run. */
const MOST_AHEAD = 100;
/** Batches of one run; the next run goes on. */
const MOST_BATCHES = 20;

export type AutomaticPix = {
  readonly works: readonly Work[];
  /** Within a jump of a merchant's clock. */
  readonly clocked: Pick<ClockedWork, 'earliestDue' | 'runDue'>;
  readonly collectByPix: (due: DueBilling, deadlineAt: number) => Promise<'pending' | 'notTaken'>;
};

/** What payers agree to, and what is collected under it. */
export function openAutomaticPix(
  { database }: Pick<ModuleContext, 'database'>,
  tools: AdvanceCollectionTools,
): AutomaticPix {
  const advance = async (signal: AbortSignal) => {
    await advanceLooks(tools, null, signal);
    for (const merchantId of await listMerchantsToLookAt(database, MOST_AHEAD)) {
      if (signal.aborted) return;
      await advanceLooks(tools, merchantId, signal);
    }
  };
  return {
    works: [everySoOften('advanceAutomaticPix', LOOK_MILLISECONDS, advance, { piece: LOOKS_DUE })],
    clocked: {
      earliestDue: (merchantId, until) => earliestLook(database, merchantId, until),
      runDue: (merchantId, signal) => advanceLooks(tools, merchantId, signal),
    },
    collectByPix: (due, deadlineAt) => collectByPix(tools, due, deadlineAt),
  };
}

/** Returns how many were looked at. `merchantId` null: of all merchants, by real time. */
async function advanceLooks(
  tools: AdvanceCollectionTools,
  merchantId: string | null,
  signal: AbortSignal,
): Promise<number> {
  let looked = 0;
  for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1) {
    const authorizations = await claimAuthorizations(tools.database, merchantId, BATCH);
    const collections = await claimCollections(tools.database, merchantId, BATCH);
    const asked = [
      ...authorizations.map((key) => advanceAuthorization(tools, key)),
      ...collections.map((key) => advanceCollection(tools, key)),
    ];
    const failed = (await Promise.allSettled(asked)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    looked += asked.length;
    if (authorizations.length < BATCH && collections.length < BATCH) return looked;
  }
  return looked;
}
