/**
 * A failure is counted in two or three buckets before the check. A full bucket refuses all, unknown names
 * too.
 */
export type FailureBuckets = {
  /** Failures in a row, by name and address: a stranger cannot fill it. */
  readonly nameAndAddress: string;
  /** By name, against guessing from many addresses. null for addresses on the credential's list. */
  readonly name: string | null;
  /** By address, against one password tried on many names. */
  readonly address: string;
};

/** The limit for one name and address is fixed. */
export type LoginLimits = { readonly perUserName: number; readonly perAddress: number };

/** PCI DSS 8.3.4: at most 10 wrong tries, then a wait of at least 30 minutes. */
export const MOST_FAILURES_IN_A_ROW = 10;
export const LOCKOUT_SECONDS = 30 * 60;

/** Listed addresses skip the bucket of the name: strangers who fill it must not lock out the merchant. */
export function failureBuckets(
  userName: string,
  addressGroup: string,
  isListedAddress: boolean,
): FailureBuckets {
  return {
    nameAndAddress: JSON.stringify(['nameAndAddress', userName, addressGroup]),
    name: isListedAddress ? null : JSON.stringify(['name', userName]),
    address: JSON.stringify(['address', addressGroup]),
  };
}
