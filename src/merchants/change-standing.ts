import type { Database } from '../platform/postgres/database.ts';
import type { MerchantTools } from './create-merchant.ts';
import type { Merchant, Refused, Standing, StandingRefusal } from './merchant.ts';
import { findMerchant, updateStanding } from './merchants.sql.ts';

const ACTIONS = {
  disabled: { on: 'merchant.disable', off: 'merchant.enable' },
  billingsHeld: { on: 'billing.hold', off: 'billing.release' },
} as const;

/** Puts a merchant into a standing, or takes it out; `isOn` that it has already is refused. */
export async function changeStanding(
  tools: MerchantTools & { readonly database: Database },
  merchantId: string,
  {
    standing,
    isOn,
    reason,
  }: { readonly standing: Standing; readonly isOn: boolean; readonly reason: string },
): Promise<Merchant | Refused<StandingRefusal>> {
  const isChanged = await updateStanding(tools.audit, merchantId, standing, isOn, {
    ...tools.operator,
    action: ACTIONS[standing][isOn ? 'on' : 'off'],
    outcome: 'success',
    resource: `merchants/${merchantId}`,
    detail: { reason },
  });
  const merchant = await findMerchant(tools.database, merchantId);
  if (merchant === null) return { refusal: 'merchantUnknown', value: merchantId };
  return isChanged ? merchant : { refusal: 'standsSoAlready', value: merchantId };
}
