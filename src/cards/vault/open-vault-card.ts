import { isUuid } from '../../values/ids.ts';
import type { Instant } from '../../values/instant.ts';
import { cardRefusals, cardSummaryOf, type NamedCard } from '../card.ts';
import type { CardTools, OpenedCardSource } from '../open-card-source.ts';
import { openSealedNumber } from '../open-sealed-number.ts';
import type { CardRefusal } from '../refusals.ts';
import { fieldsThatDiffer, nextUseOf, vaultCardRecord } from './vault-card.ts';

/**
 * Opens a stored card of this merchant, in memory; or returns every fault. `now` is business time
 * (expiry). Another merchant's card, one that never was and a malformed id get one answer. Throws
 * `KeyAbsent` for an existing card without its key.
 */
export async function openVaultCard(
  tools: Pick<CardTools, 'keyring' | 'findVaultCard' | 'takesBrand'>,
  merchantId: string,
  vaultId: string,
  named: NamedCard,
  now: Instant,
): Promise<OpenedCardSource | readonly CardRefusal[]> {
  if (!isUuid(vaultId)) return ['vaultIdUnknown'];
  const { value: stored } = await tools.findVaultCard({ merchantId, vaultId: vaultId.toLowerCase() });
  if (stored === null) return ['vaultIdUnknown'];
  const record = vaultCardRecord(merchantId, stored.vaultId);
  const number = await openSealedNumber(tools.keyring, record, stored.number);
  // It was altered: the alarm has been raised, and the caller is answered as for an unknown card.
  if (number === null) return ['vaultIdUnknown'];
  const { brand, holderName, expirationMonth, expirationYear } = stored;
  const whole = { brand, holderName, expirationMonth, expirationYear, securityCode: named.securityCode };
  const refusals = [...fieldsThatDiffer(named, stored), ...cardRefusals(number, whole, now)];
  if (refusals.length > 0) return refusals;
  if (!tools.takesBrand(brand)) return ['brandNotOffered'];
  const fingerprints = tools.keyring.fingerprints(number);
  // A doubtful brand was reported when the card was stored.
  return {
    card: { number, ...whole },
    trace: cardSummaryOf(number, brand, fingerprints[0]),
    fingerprints,
    cardSource: null,
    stored: nextUseOf(stored),
    isBrandDoubtful: false,
  };
}
