import {
  FIRST_FILTER,
  listAllFilters,
  type OwnedFilter,
  removeFilter,
} from '../../console/filters/saved-filters.sql.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { namesPerson } from './person.ts';

const PAGE = 500;

type Wanted = {
  /** Null: of all merchants. */
  readonly merchantId: string | null;
  readonly document: string;
  /** Names in full and addresses, as they stood in what was found by the document. */
  readonly names: readonly string[];
};

/** The filters that users of the console keep, and that name the person. */
export async function findFiltersOf(database: Database, wanted: Wanted): Promise<OwnedFilter[]> {
  const found: OwnedFilter[] = [];
  for (let behind: OwnedFilter | typeof FIRST_FILTER | undefined = FIRST_FILTER; behind !== undefined; ) {
    const page: OwnedFilter[] = await listAllFilters(database, wanted.merchantId, behind, PAGE);
    found.push(...page.filter((one) => isOf(one, wanted)));
    behind = page.length < PAGE ? undefined : page.at(-1);
  }
  return found;
}

export async function eraseFiltersOf(database: Database, wanted: Wanted): Promise<number> {
  const found = await findFiltersOf(database, wanted);
  for (const one of found) await removeFilter(database, one.merchantId, one.userId, one);
  return found.length;
}

/** A name of one word is of many. */
function isOf({ name, query }: OwnedFilter, { document, names }: Wanted): boolean {
  const telling = names.filter((one) => /[\s@]/.test(one.trim()));
  const values = [...new URLSearchParams(query)].flat();
  return [name, ...values].some((text) => namesPerson(text, document, telling));
}
