import type { Actor, Audit } from '../../audit/audit-event.ts';
import { findMerchant } from '../../merchants/merchants.sql.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type Instant, instant, isDay, saoPauloText, startOfSaoPauloDay } from '../../values/instant.ts';
import { readFeeTable } from './fee-table.ts';
import { feeVersionStep, findSaleAfter } from './fee-tables.sql.ts';
import { ALL_MERCHANTS, type FeeRefusal, type FeeVersion } from './fee-version.ts';

/** Every process has read it by then. */
const AHEAD_MILLISECONDS = 10_000;

export type NewFees = {
  readonly rules: string;
  /** A day in São Paulo; null: in some seconds. */
  readonly from: string | null;
  /** Null: of all merchants that have no version of their own. */
  readonly merchantId: string | null;
};

export type FeeChange =
  | { readonly kind: 'changed'; readonly version: Omit<FeeVersion, 'source'> }
  | { readonly kind: 'refused'; readonly refusal: FeeRefusal; readonly value: string };

type ChangeFeesTools = {
  readonly database: Database;
  readonly audit: Audit;
  readonly operator: Actor;
  /** Of the database. */
  readonly now: Instant;
};

/**
 * Puts a version of the fees beside the others. None comes before a sale: what was sold keeps the fee
 * that it was sold at.
 */
export async function changeFees(tools: ChangeFeesTools, wanted: NewFees): Promise<FeeChange> {
  const { database, audit, operator, now } = tools;
  const { rules, from } = wanted;
  const merchantId = wanted.merchantId ?? ALL_MERCHANTS;
  const read = readFeeTable(rules);
  if (typeof read === 'string') return refused('rulesMalformed', read);
  if (from !== null && !isDay(from)) return refused('dayMalformed', from);
  if (merchantId !== ALL_MERCHANTS && (await findMerchant(database, merchantId)) === null)
    return refused('merchantUnknown', merchantId);
  const validFrom = from === null ? instant(now + AHEAD_MILLISECONDS) : startOfSaoPauloDay(from);
  const sale = await findSaleAfter(database, merchantId, validFrom);
  if (sale !== null) return refused('saleAfter', saoPauloText(sale));
  const version = { merchantId, validFrom, rules, createdBy: operator.actor };
  const resource = merchantId === ALL_MERCHANTS ? 'fees' : `merchants/${merchantId}/fees`;
  const detail = { from: saoPauloText(validFrom), rules };
  const row = await audit.change(feeVersionStep(version), {
    ...operator,
    action: 'fees.change',
    outcome: 'success',
    resource,
    detail,
  });
  return row === undefined ? refused('sameMoment', saoPauloText(validFrom)) : { kind: 'changed', version };
}

function refused(refusal: FeeRefusal, value: string): FeeChange {
  return { kind: 'refused', refusal, value };
}
