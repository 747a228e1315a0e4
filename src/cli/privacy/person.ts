import {
  FIRST_FILTER,
  listAllFilters,
  type OwnedFilter,
  removeFilter,
} from '../../console/filters/saved-filters.sql.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { bareDocument, documentKind } from '../../values/document-number.ts';

/** A CPF or CNPJ without mask, in upper case. Null if it is neither. */
export function readDocument(text: string): string | null {
  const bare = bareDocument(text);
  return documentKind(bare) === null ? null : bare;
}

/** The name in the audit log: a keyed fingerprint, which can be compared and not read back. */
export function personName(keyring: Pick<Keyring, 'fingerprint'>, document: string): string {
  const { keyId, print } = keyring.fingerprint(`privacy|document|${document}`);
  return `persons/${keyId}-${print.toString('hex').slice(0, 32)}`;
}

/** Whether a text has the document, or one of the names or e-mail addresses. */
export function namesPerson(text: string, document: string, names: readonly string[]): boolean {
  const lower = decoded(text).toLowerCase();
  return bareDocument(lower).includes(document) || names.some((name) => lower.includes(name.toLowerCase()));
}

/** The e-mail address, and the name if it is complete. */
export function namesOf({ customer }: { readonly customer: object | null }): string[] {
  const { email, firstName, lastName, name } = (customer ?? {}) as Readonly<Record<string, unknown>>;
  const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
  const whole = isText(firstName) && isText(lastName) ? `${firstName.trim()} ${lastName.trim()}` : name;
  return [email, whole].filter(isText);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const FILTERS_OF_A_PAGE = 500;

type Wanted = {
  readonly merchantId: string | null;
  readonly document: string;
  readonly names: readonly string[];
};

export async function findFiltersOf(database: Database, wanted: Wanted): Promise<OwnedFilter[]> {
  const found: OwnedFilter[] = [];
  for (let behind: OwnedFilter | typeof FIRST_FILTER | undefined = FIRST_FILTER; behind !== undefined; ) {
    const page: OwnedFilter[] = await listAllFilters(database, wanted.merchantId, behind, FILTERS_OF_A_PAGE);
    found.push(...page.filter((one) => isOf(one, wanted)));
    behind = page.length < FILTERS_OF_A_PAGE ? undefined : page.at(-1);
  }
  return found;
}

/**
 * Erases saved filters by the names of a page of results before that page is erased: nothing would find them
 * afterwards.
 */
export class FilterEraser {
  readonly #database: Database;
  readonly #person: Omit<Wanted, 'names'>;
  /** Null: nothing is sought yet, not even the document. */
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

/** Whether a saved filter names the person. A name of one word is not looked for: many persons share it. */
function isOf({ name, query }: OwnedFilter, { document, names }: Wanted): boolean {
  const telling = names.filter((one) => /[\s@]/.test(one.trim()));
  const values = [...new URLSearchParams(query)].flat();
  return [name, ...values].some((text) => namesPerson(text, document, telling));
}
