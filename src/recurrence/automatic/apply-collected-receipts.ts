import { newPageKey } from '../../platform/chance.ts';
import type { ModuleContext } from '../../platform/module.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { recordOverPix } from '../../transactions/methods/pix/collected-pix.sql.ts';
import {
  type CollectedReceipt,
  claimCollectedReceipts,
  EARLIEST_COLLECTED_RECEIPT,
  handOnReceipt,
} from '../../transactions/methods/pix/receipts/collected-receipts.sql.ts';
import { findAuthorization } from './authorizations.sql.ts';
import { findLastOfTxid, hurryCollections } from './collections.sql.ts';
import { payerOf } from './payer.ts';

const BATCH = 4;

type ApplyTools = Pick<ModuleContext, 'database' | 'clock'>;

/** Records every Pix received under a txid of ours, whatever became of its charge. */
export function applyCollectedReceipts(tools: ApplyTools): Work {
  return {
    name: 'applyCollectedReceipts',
    wakeSignal: createWakeSignal(),
    async runDue() {
      const claimed = await claimCollectedReceipts(tools.database, BATCH);
      const applied = await Promise.allSettled(claimed.map((receipt) => apply(tools, receipt)));
      const failed = applied.find((one) => one.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      return claimed.length;
    },
    look: { piece: EARLIEST_COLLECTED_RECEIPT },
  };
}

/**
 * While the charge is open, or may be tried again, the bank is asked about it: this Pix may have paid it.
 * Otherwise the Pix is a surprise, and is recorded as one.
 */
async function apply({ database, clock }: ApplyTools, receipt: CollectedReceipt): Promise<void> {
  if (await database.transaction((tx) => handOnReceipt(tx, receipt))) return;
  const last = await findLastOfTxid(database, receipt);
  if (last === null) return;
  const now = clock.now(receipt.merchantId);
  if (last.isUnderWay) return hurryCollections(database, last, now);
  const authorization = await findAuthorization(database, last);
  if (authorization === null) return;
  const { bank, planName } = authorization;
  await database.transaction(async (tx) => {
    await recordOverPix(tx, {
      ...last,
      ...{ pageKey: newPageKey(), payer: payerOf(authorization), bank, description: planName },
      ...{ referenceTransaction: last.billingId, at: now },
    });
    await handOnReceipt(tx, receipt);
  });
}
