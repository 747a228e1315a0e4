import { hasAccount } from '../merchants/accounts.sql.ts';
import type { Page } from '../platform/pages.ts';
import type { LookUp, Search } from '../platform/postgres/searches.ts';
import { isUuid } from '../values/ids.ts';
import { type Boleto, NOT_SENT } from './boleto.ts';
import { MOST_IN_ARRAY, type WantedBoletos } from './boleto-search.ts';
import { listFoundBoletos } from './boleto-searches.sql.ts';
import { findBoleto } from './boletos.sql.ts';

export type ReadTools = { readonly lookUp: LookUp; readonly search: Search };

/** Boletos of an account of this merchant. */
export async function listBoletos(
  { lookUp, search }: ReadTools,
  merchantId: string,
  wanted: WantedBoletos,
): Promise<Page<Boleto> | 'unknownAccount' | 'tooMany'> {
  const { accountNumber } = wanted;
  const isOwn = await lookUp(merchantId, (database) => hasAccount(database, merchantId, accountNumber));
  if (!isOwn) return 'unknownAccount';
  const found = await search(merchantId, (database) => listFoundBoletos(database, merchantId, wanted));
  return wanted.isArray && found.total > MOST_IN_ARRAY ? 'tooMany' : found;
}

/** Null: this merchant has no such boleto, or it was taken back before the bank was asked. */
export async function readBoleto(
  { lookUp }: Pick<ReadTools, 'lookUp'>,
  merchantId: string,
  boletoId: string,
): Promise<Boleto | null> {
  if (!isUuid(boletoId)) return null;
  const found = await lookUp(merchantId, (database) => findBoleto(database, { merchantId, boletoId }));
  return found === null || found.refusalReason === NOT_SENT ? null : found;
}
