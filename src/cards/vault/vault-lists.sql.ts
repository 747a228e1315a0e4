import type { Page } from '../../platform/pages.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import { pageOf, readPageOf } from '../../platform/postgres/page-of.ts';
import type { ShownCard, WantedCards } from './vault-card.ts';
import { SHOWN_CARD } from './vault-cards.sql.ts';

const SHOWN = `${SHOWN_CARD.columns}
   from page g cross join lateral (
     select * from vault_cards where merchant_id = $1 and vault_id = g.vault_id limit 1
   ) v`;

const ALL = pageOf({
  name: 'vault.list_all',
  before: `counted as materialized (
     select count(*) as total from (select from vault_cards where merchant_id = $1 {counted}) c
   )`,
  keys: 'select vault_id from vault_cards where merchant_id = $1',
  key: 'vault_id',
  order: ['vault_id'],
  shown: SHOWN,
});

/** Along the index of last digits, which has their ids in order. */
const OF_LAST_FOUR = pageOf({
  name: 'vault.list_of_last_four',
  before: `counted as materialized (
     select count(*) as total from (select from vault_cards where merchant_id = $1 and last_four = $4 {counted}) c
   )`,
  keys: 'select vault_id from vault_cards where merchant_id = $1 and last_four = $4',
  key: 'vault_id',
  order: ['vault_id'],
  shown: SHOWN,
});

/** A page of this merchant's stored cards and how many there are in all, of one moment. */
export async function listCards(
  database: Reader,
  merchantId: string,
  wanted: WantedCards,
): Promise<Page<ShownCard>> {
  const { lastFour } = wanted;
  const { rows, total } =
    lastFour === null
      ? await readPageOf(database, ALL, merchantId, wanted, [])
      : await readPageOf(database, OF_LAST_FOUR, merchantId, wanted, [lastFour]);
  return { items: rows.map(SHOWN_CARD.parse), total };
}
