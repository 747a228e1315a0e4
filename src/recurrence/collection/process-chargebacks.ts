import type { ModuleContext } from '../../platform/module.ts';
import type { Look } from '../../platform/work/looks.sql.ts';
import {
  CHARGEBACKS_DUE,
  findUnprocessedChargeback,
  listUnprocessedChargebacks,
  type UnprocessedChargeback,
} from '../../transactions/changes/chargebacks.sql.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import { blockForChargeback } from './chargebacks.sql.ts';

export type ChargebackTools = Pick<ModuleContext, 'database' | 'clock'> & {
  readonly deliverer: Pick<Deliverer, 'notify'>;
};

export const DUE_CHARGEBACKS: Look = { piece: CHARGEBACKS_DUE };

const BATCH = 50;
/** The most chargebacks of one merchant in one jump of the test clock. */
const MOST_OF_MERCHANT = 1_000;

/** Returns how many chargebacks there were. Throws the first error at the end. */
export async function processChargebacks(tools: ChargebackTools): Promise<number> {
  const chargebacks = await listUnprocessedChargebacks(tools.database, BATCH);
  const errors: unknown[] = [];
  for (const chargeback of chargebacks) await apply(tools, chargeback).catch((error) => errors.push(error));
  if (errors.length > 0) throw errors[0];
  return chargebacks.length;
}

/** Processes a merchant's chargebacks, before its billings are charged. Returns how many. */
export async function applyChargebacksOf(tools: ChargebackTools, merchantId: string): Promise<number> {
  for (let processed = 0; processed < MOST_OF_MERCHANT; processed += 1) {
    const chargeback = await findUnprocessedChargeback(tools.database, merchantId);
    if (chargeback === null) return processed;
    await apply(tools, chargeback);
  }
  return MOST_OF_MERCHANT;
}

async function apply(tools: ChargebackTools, chargeback: UnprocessedChargeback): Promise<void> {
  await blockForChargeback(tools, chargeback, tools.clock.now(chargeback.merchantId));
}
