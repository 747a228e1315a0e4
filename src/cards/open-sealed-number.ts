import { KeyAbsent, type Keyring, type Sealed } from '../keys/open-keyring.ts';
import { Overloaded } from '../platform/work/overloaded.ts';

/**
 * A card number at rest, opened; null when it was altered, after the alarm. Throws `KeyAbsent` when
 * its key is not available: an existing card must not be taken for one that never was.
 */
export async function openSealedNumber(
  keyring: Pick<Keyring, 'open' | 'hasKey'>,
  record: string,
  sealed: Sealed,
): Promise<string | null> {
  const opened = await keyring.open('card', record, sealed).catch((error: unknown) => {
    // The key store does not answer for a key that is new to this process.
    if (error instanceof Overloaded) throw new KeyAbsent(sealed.dataKeyId, { cause: error });
    throw error;
  });
  if (opened !== null) return opened.toString('latin1');
  if (!keyring.hasKey(sealed.dataKeyId)) throw new KeyAbsent(sealed.dataKeyId);
  return null;
}
