/**
 * Wrong logins are counted in up to three buckets, before the password is looked at. A full bucket
 * refuses every
 * password, right ones too, known and unknown names alike.
 */
export type FailureBuckets = {
  /**
   * One user name from one address: failures in a row. Not shared with strangers, so that a
   * stranger cannot fill it.
   */
  readonly nameAndAddress: string;
  /**
   * One user name from wherever: against guessing from many addresses. Null for addresses on the
   * credential's list.
   */
  readonly name: string | null;
  /** One address, whatever the name: against trying one password on many names. */
  readonly address: string;
};

/** The operator's settings; the limit for one name and address is fixed. */
export type LoginLimits = { readonly perUserName: number; readonly perAddress: number };

/** PCI DSS 8.3.4: at most 10 wrong tries, then a wait of at least 30 minutes. */
export const MOST_FAILURES_IN_A_ROW = 10;
export const LOCKOUT_SECONDS = 30 * 60;

/**
 * The buckets of one try. A listed address keeps only the first and the last: the bucket of the
 * name is where strangers
 * count, and a merchant's own servers must not be locked out by them.
 */
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
