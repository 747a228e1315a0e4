import type { Database } from '../platform/postgres/database.ts';
import type { MerchantTools } from './create-merchant.ts';
import type { Merchant, Refused, Standing, StandingRefusal } from './merchant.ts';
import { findMerchant, stand } from './merchants.sql.ts';
import { endTokensOfMerchant } from './tokens/access-tokens.sql.ts';

const ACTIONS = {
  disabled: { on: 'merchant.disable', off: 'merchant.enable' },
  billingsHeld: { on: 'billing.hold', off: 'billing.release' },
} as const;

/**
 * Puts a merchant into a standing, or takes it out; `isOn` that it has already is refused. A lockout
 * ends its tokens for good, and so does its end: a login may have run beside it. What a restore holds is
 * released by `releaseRestored`.
 */
export async function changeStanding(
  tools: MerchantTools & { readonly database: Database },
  merchantId: string,
  {
    standing,
    isOn,
    reason,
  }: { readonly standing: Standing; readonly isOn: boolean; readonly reason: string },
): Promise<Merchant | Refused<StandingRefusal>> {
  const event = {
    ...tools.operator,
    action: ACTIONS[standing][isOn ? 'on' : 'off'],
    outcome: 'success',
    resource: `merchants/${merchantId}`,
    detail: { reason },
  } as const;
  const isChanged = await tools.audit.transaction(async (tx) => {
    if (!(await stand(tx, merchantId, standing, isOn))) return false;
    if (standing === 'disabled') await endTokensOfMerchant(tx, merchantId);
    tx.record(event);
    return true;
  });
  const merchant = await findMerchant(tools.database, merchantId);
  if (merchant === null) return { refusal: 'merchantUnknown', value: merchantId };
  if (isChanged) return merchant;
  const isOfRestore = standing === 'billingsHeld' && !isOn && merchant.isHeldByRestore;
  return { refusal: isOfRestore ? 'heldByRestore' : 'standsSoAlready', value: merchantId };
}
