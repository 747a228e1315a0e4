import type { Database } from '../platform/postgres/database.ts';
import type { MerchantTools } from './create-merchant.ts';
import {
  changedMerchant,
  changeRefusal,
  type Merchant,
  type MerchantChange,
  type MerchantChangeRefusal,
  type Refused,
  type Standing,
  type StandingRefusal,
  shownChange,
} from './merchant.ts';
import { findMerchant, stand, updateMerchant } from './merchants.sql.ts';
import { endTokensOfMerchant } from './tokens/access-tokens.sql.ts';

/** Every process follows within two seconds. The audit log gets old and new values, except of the contact. */
export async function changeMerchant(
  tools: MerchantTools & { readonly database: Database },
  merchantId: string,
  change: MerchantChange,
): Promise<Merchant | Refused<MerchantChangeRefusal>> {
  const found = await findMerchant(tools.database, merchantId);
  if (found === null) return { refusal: 'merchantUnknown', value: merchantId };
  const { merchant, fields } = changedMerchant(found, change);
  const refused = changeRefusal(merchant);
  if (refused !== null) return refused;
  if (fields.length === 0) return { refusal: 'nothingToChange', value: '' };
  const isChanged = await updateMerchant(tools.audit, merchant, fields, {
    ...tools.operator,
    action: 'merchant.change',
    outcome: 'success',
    resource: `merchants/${merchantId}`,
    detail: shownChange(found, merchant, fields),
  });
  return isChanged ? merchant : { refusal: 'merchantUnknown', value: merchantId };
}

const ACTIONS = {
  disabled: { on: 'merchant.disable', off: 'merchant.enable' },
  billingsHeld: { on: 'billing.hold', off: 'billing.release' },
} as const;

/**
 * Refused if the merchant is in this state already. Disabling and enabling end all tokens for good:
 * a login may have run meanwhile.
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
