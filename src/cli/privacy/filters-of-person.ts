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

/** Erases those filters: by the names of a page before the page itself, which no second run would find. */
export class FilterEraser {
  readonly #database: Database;
  readonly #person: Omit<Wanted, 'names'>;
  /** Null: not even the document. */
  #sought: ReadonlySet<string> | null = null;
  #erased = 0;

  constructor(database: Database, person: Omit<Wanted, 'names'>) {
    this.#database = database;
    this.#person = person;
  }

  get erased(): number {
    return this.#erased;
  }

  async erase(names: readonly string[]): Promise<void> {
    const fresh = [...new Set(names)].filter((name) => !this.#sought?.has(name));
    if (this.#sought !== null && fresh.length === 0) return;
    for (const one of await findFiltersOf(this.#database, { ...this.#person, names: fresh })) {
      await removeFilter(this.#database, one.merchantId, one.userId, one);
      this.#erased += 1;
    }
    this.#sought = new Set([...(this.#sought ?? []), ...fresh]);
  }
}

/** A name of one word is of many. */
function isOf({ name, query }: OwnedFilter, { document, names }: Wanted): boolean {
  const telling = names.filter((one) => /[\s@]/.test(one.trim()));
  const values = [...new URLSearchParams(query)].flat();
  return [name, ...values].some((text) => namesPerson(text, document, telling));
}
