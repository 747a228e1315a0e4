import type { Actor, Audit } from '../../audit/audit-event.ts';
import { findMerchant } from '../../merchants/merchants.sql.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { alsoWhileHeld, following } from '../../platform/work/every-so-often.ts';
import {
  type Instant,
  instant,
  isDay,
  saoPauloDay,
  saoPauloText,
  startOfSaoPauloDay,
} from '../../values/instant.ts';
import {
  ALL_MERCHANTS,
  FEE_LEAD_MILLISECONDS,
  type FeeRefusal,
  type FeeVersion,
  type FeeVersions,
  feeVersions,
  readFeeTable,
} from './fee-table.ts';
import {
  findSaleAfter,
  insertFeeVersion,
  keepFeeSetting,
  listFeeVersions,
  VERSION_OF_FEES,
} from './fee-tables.sql.ts';

export type NewFees = {
  readonly rules: string;
  /** A day in São Paulo. Null or today: some seconds from now. */
  readonly from: string | null;
  /** Null: all merchants that have no version of their own. */
  readonly merchantId: string | null;
};

export type FeeChange =
  | { readonly kind: 'changed'; readonly version: Omit<FeeVersion, 'source'> }
  | { readonly kind: 'refused'; readonly refusal: FeeRefusal; readonly value: string };

type ChangeFeesTools = {
  readonly database: Database;
  readonly audit: Audit;
  readonly operator: Actor;
  /** The database's clock. */
  readonly now: Instant;
};

/** A version cannot begin before a sale that was made or is under way: a sale keeps its fee. */
export async function changeFees(tools: ChangeFeesTools, wanted: NewFees): Promise<FeeChange> {
  const { database, audit, operator, now } = tools;
  const { rules, from } = wanted;
  const merchantId = wanted.merchantId ?? ALL_MERCHANTS;
  const read = readFeeTable(rules);
  if (typeof read === 'string') return refused('rulesMalformed', read);
  if (from !== null && !isDay(from)) return refused('dayMalformed', from);
  // Whoever names a past day means the sales of that day too, but these keep their fee.
  if (from !== null && from < saoPauloDay(now)) return refused('dayOver', from);
  if (merchantId !== ALL_MERCHANTS && (await findMerchant(database, merchantId)) === null)
    return refused('merchantUnknown', merchantId);
  const earliest = instant(now + FEE_LEAD_MILLISECONDS);
  const day = from === null ? earliest : startOfSaoPauloDay(from);
  const wantedFrom = instant(Math.max(day, earliest));
  const sale = await findSaleAfter(database, merchantId, wantedFrom);
  if (sale !== null) return refused('saleAfter', saoPauloText(sale));
  const version = { merchantId, validFrom: wantedFrom, rules, createdBy: operator.actor };
  const resource = merchantId === ALL_MERCHANTS ? 'fees' : `merchants/${merchantId}/fees`;
  const validFrom = await audit.transaction(async (tx) => {
    const begins = await insertFeeVersion(tx, version);
    if (begins !== null)
      tx.record({
        ...operator,
        action: 'fees.change',
        outcome: 'success',
        resource,
        detail: { from: saoPauloText(begins), rules },
      });
    return begins;
  });
  return validFrom === null
    ? refused('sameMoment', saoPauloText(wantedFrom))
    : { kind: 'changed', version: { ...version, validFrom } };
}

function refused(refusal: FeeRefusal, value: string): FeeChange {
  return { kind: 'refused', refusal, value };
}

/** A version may become visible after a newer one, so versions this much older are read again. */
const LOOK_BACK_MILLISECONDS = 60_000;

export type Fees = FeeVersions & { readonly works: readonly Work[] };

/**
 * Keeps all versions in memory, for payments with a net split. The setting becomes a new version if it has
 * changed since the last start.
 */
export async function openFees(database: Database, setting: string): Promise<Fees> {
  const known = new Map<string, FeeVersion>();
  let newest: Instant | null = null;
  let current = feeVersions([]);

  async function follow(): Promise<void> {
    const since = newest === null ? null : instant(newest - LOOK_BACK_MILLISECONDS);
    const found = await listFeeVersions(database, since);
    const before = known.size;
    for (const version of found) {
      known.set(`${version.validFrom} ${version.merchantId}`, version);
      if (newest === null || version.createdAt > newest) newest = version.createdAt;
    }
    if (known.size > before) current = feeVersions([...known.values()]);
  }

  await keepFeeSetting(database, setting);
  await follow();
  return {
    tableAt: (merchantId, soldAt) => current.tableAt(merchantId, soldAt),
    works: [alsoWhileHeld(following('followFees', VERSION_OF_FEES, follow))],
  };
}
