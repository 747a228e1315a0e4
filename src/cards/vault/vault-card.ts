import type { AuditEvent } from '../../audit/audit-event.ts';
import type { Sealed } from '../../keys/open-keyring.ts';
import type { WantedPage } from '../../platform/pages.ts';
import type { NetworkReference } from '../../providers/acquirers/network-reference.ts';
import type { CardBrand } from '../../values/card-number.ts';
import type { Instant } from '../../values/instant.ts';
import { isCardExpired, type NamedCard, type StoredUse } from '../card.ts';
import type { CardRefusal } from '../refusals.ts';

/** A stored card. Its number is sealed; its security code is not stored. */
export type VaultCard = {
  readonly merchantId: string;
  /** A UUID in lower case. */
  readonly vaultId: string;
  readonly number: Sealed;
  readonly brand: CardBrand;
  readonly firstSix: string;
  readonly lastFour: string;
  readonly expirationMonth: string;
  readonly expirationYear: string;
  readonly holderName: string;
  /** True: a charge, or the verification before storing, was approved. */
  readonly isUsed: boolean;
  /**
   * The network's id of the first use, or of the latest if the acquirer wants that, and the first link that
   * came.
   */
  readonly networkReference: NetworkReference;
};

export type ShownCard = Pick<
  VaultCard,
  'vaultId' | 'brand' | 'firstSix' | 'lastFour' | 'expirationMonth' | 'expirationYear' | 'holderName'
>;

/** In the order of ids, which contain the time of creation. */
export type WantedCards = WantedPage<'vaultId'> & {
  readonly lastFour: string | null;
};

export const VAULT_CARD_STATUSES = ['active', 'expired'] as const;
export type VaultCardStatus = (typeof VAULT_CARD_STATUSES)[number];

/** `now`: business time. */
export function vaultCardStatus(
  card: Pick<VaultCard, 'expirationMonth' | 'expirationYear'>,
  now: Instant,
): VaultCardStatus {
  return isCardExpired(card.expirationMonth, card.expirationYear, now) ? 'expired' : 'active';
}

/** Sealed with a number, so that it opens only for this merchant and stored card. */
export function vaultCardRecord(merchantId: string, vaultId: string): string {
  return `vault card|${merchantId}|${vaultId}`;
}

export type Keeper = { readonly merchantId: string; readonly userName: string; readonly address: string };

export function vaultCardEvent(
  action: 'card.store' | 'card.read' | 'card.delete',
  { merchantId, userName, address }: Keeper,
  vaultId: string,
): AuditEvent {
  const resource = `merchants/${merchantId}/cards/${vaultId}`;
  return { action, outcome: 'success', actor: userName, origin: address, resource };
}

export function nextUseOf({ vaultId, isUsed, networkReference }: VaultCard): StoredUse {
  return { vaultId, isFirst: !isUsed, networkReference };
}

/** Fields beside a `vaultId` must equal the stored ones: another name or expiry means another card. */
export function fieldsThatDiffer(named: NamedCard, stored: VaultCard): CardRefusal[] {
  const differs = (field: 'brand' | 'holderName' | 'expirationMonth' | 'expirationYear') =>
    named[field] !== null && named[field] !== stored[field];
  return [
    ...(differs('holderName') ? (['holderNameDiffers'] as const) : []),
    ...(differs('brand') ? (['brandDiffers'] as const) : []),
    ...(differs('expirationMonth') ? (['expirationMonthDiffers'] as const) : []),
    ...(differs('expirationYear') ? (['expirationYearDiffers'] as const) : []),
  ];
}
