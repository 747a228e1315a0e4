import type { Instant } from '../../values/instant.ts';
import { type FeeTable, readFeeTable } from './fee-table.ts';

/** The owner of a version for all merchants that have none of their own. */
export const ALL_MERCHANTS = '';

export const FEE_SOURCES = ['setting', 'operator'] as const;
/** `setting`: PARCELA_FEES, as a start found it. */
export type FeeSource = (typeof FEE_SOURCES)[number];

/**
 * How long after it was written a version begins, at the least: every process reads new ones every two
 * seconds, and a sale of its first moment must find it, whichever process makes it.
 */
export const FEE_LEAD_MILLISECONDS = 10_000;

/** The table of fees from a moment on, until its next version. */
export type FeeVersion = {
  /** `ALL_MERCHANTS`, or one. */
  readonly merchantId: string;
  /** Business time. */
  readonly validFrom: Instant;
  /** As it was written. Of a merchant's own version an empty text gives it the table of all again. */
  readonly rules: string;
  readonly source: FeeSource;
  readonly createdBy: string;
};

/**
 * Why a version is not put beside the others. `saleAfter`: it would change the fee of a sale that was
 * made.
 */
export type FeeRefusal =
  | 'rulesMalformed'
  | 'dayMalformed'
  | 'dayOver'
  | 'merchantUnknown'
  | 'saleAfter'
  | 'sameMoment';

/** What a process has of all versions, to find those of a sale's moment. */
export type FeeVersions = { readonly tableAt: (merchantId: string, soldAt: Instant) => FeeTable };

type OfMoment = Pick<FeeVersion, 'merchantId' | 'validFrom' | 'rules'>;

/** Of several versions those with the same owner and moment are one. */
export function feeVersions(versions: readonly OfMoment[]): FeeVersions {
  const byMerchant = Map.groupBy(versions, ({ merchantId }) => merchantId);
  // The newest first.
  for (const own of byMerchant.values()) own.sort((one, other) => other.validFrom - one.validFrom);
  const rulesAt = (merchantId: string, soldAt: Instant) =>
    byMerchant.get(merchantId)?.find(({ validFrom }) => validFrom <= soldAt)?.rules ?? '';
  const read = new Map<string, FeeTable>();
  return {
    tableAt(merchantId, soldAt) {
      const rules = rulesAt(merchantId, soldAt) || rulesAt(ALL_MERCHANTS, soldAt);
      const table = read.get(rules) ?? writtenTable(rules);
      read.set(rules, table);
      return table;
    },
  };
}

/** Only what could be read was ever written. */
function writtenTable(rules: string): FeeTable {
  const table = readFeeTable(rules);
  if (typeof table === 'string') throw new RangeError(`a version of the fees ${table}`);
  return table;
}
