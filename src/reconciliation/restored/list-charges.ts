import type { Database } from '../../platform/postgres/database.ts';
import { type ChargesPage, MOST_LISTED_CHARGES } from '../../providers/acquirers/listed-charge.ts';
import type { Acquirers } from '../../providers/open-acquirers.ts';
import { DEFAULT_PROVIDER } from '../../providers/provider.ts';
import type { Instant } from '../../values/instant.ts';
import { nextMerchant } from './restore-runs.sql.ts';
import type { Place } from './restored-charge.ts';

export type ListTools = {
  readonly database: Database;
  readonly acquirers: Pick<Acquirers, 'all' | 'of'>;
  readonly acquirerTimeoutMilliseconds: number;
};

export type AskedList = {
  readonly since: Instant;
  /** null: all charges. In a cell: those of its own merchants and of those that its books lost. */
  readonly ofCell: { readonly alsoMerchants: readonly string[] } | null;
};

/** `behind`: the position after the page. */
export type ListedPage = Pick<ChargesPage, 'charges'> & { readonly behind: Place; readonly isLast: boolean };

/** The same call continues the walk. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

export type Listing = {
  readonly acquirers: ListTools['acquirers'];
  /** Names of acquirers without a list. */
  readonly unlisted: readonly string[];
};

/** An acquirer that does not tell its capabilities stops the walk: it may have a list. */
export async function findListing({
  acquirers,
  acquirerTimeoutMilliseconds,
}: Omit<ListTools, 'database'>): Promise<Listing> {
  const unlisted: string[] = [];
  for (const name of acquirers.all()) {
    const acquirer = acquirers.of(name);
    if (acquirer.capabilities().listCharges) continue;
    const answer = await acquirer.readCapabilities(acquirerTimeoutMilliseconds);
    if (answer.kind === 'unknown')
      throw new Stopped(`the acquirer ${name} does not say whether it lists charges: ${answer.reason}`);
    if (!answer.capabilities.listCharges) unlisted.push(name);
  }
  const listing = acquirers.all().filter((name) => !unlisted.includes(name));
  return { acquirers: { all: () => listing, of: (name) => acquirers.of(name) }, unlisted };
}

const TRIES_OF_A_PAGE = 3;
const MOST_PAGES = 100_000;
const FROM_BEGINNING: Place = { merchantId: null, cursor: null };

export async function* listCharges(
  tools: ListTools,
  asked: AskedList,
  from: Place = FROM_BEGINNING,
): AsyncGenerator<ListedPage> {
  // A position from a walk under other settings is void.
  const isPlace = from.merchantId === null || asked.ofCell !== null;
  let place: Place | null = isPlace ? from : FROM_BEGINNING;
  if (tools.acquirers.all().length === 0) place = null;
  else if (asked.ofCell !== null && from.merchantId === null) place = await firstOf(tools, asked, null);
  if (place === null) yield { charges: [], behind: FROM_BEGINNING, isLast: true };
  for (let pages = 0; place !== null; ) {
    if (pages >= MOST_PAGES) throw new Stopped(`the acquirer's list has more than ${MOST_PAGES} pages`);
    const page = await pageBehind(tools, asked.since, place);
    const { merchantId }: Place = place;
    const next: Place | null = page.hasMore
      ? { merchantId, cursor: page.cursor }
      : await firstOf(tools, asked, merchantId);
    pages = next?.merchantId === merchantId ? pages + 1 : 0;
    yield {
      charges: page.charges,
      behind: next ?? { merchantId, cursor: page.cursor },
      isLast: next === null,
    };
    place = next;
  }
}

async function firstOf(
  { database }: ListTools,
  { ofCell }: AskedList,
  after: string | null,
): Promise<Place | null> {
  if (ofCell === null) return null;
  const merchantId = await nextMerchant(database, after, ofCell.alsoMerchants);
  return merchantId === null ? null : { merchantId, cursor: null };
}

async function pageBehind(
  { acquirers, acquirerTimeoutMilliseconds }: ListTools,
  since: Instant,
  { merchantId, cursor }: Place,
): Promise<ChargesPage> {
  const names = acquirers.all();
  const [name, own] = placeAt(cursor, names);
  const acquirer = acquirers.of(name);
  const request = { merchantId, since, cursor: own, limit: MOST_LISTED_CHARGES };
  let reason = `the acquirer ${name} does not list charges`;
  for (let tries = 0; tries < TRIES_OF_A_PAGE; tries += 1) {
    const answer = await acquirer.listCharges(request, acquirerTimeoutMilliseconds);
    if (answer.kind === 'charges') return pageOfAll(answer, name, names);
    if (answer.kind === 'notOffered') break;
    reason = answer.reason;
  }
  throw new Stopped(reason);
}

/** A cursor over all lists: the acquirer's name, a slash, and its own cursor. */
function placeAt(
  cursor: string | null,
  names: readonly string[],
): readonly [name: string, own: string | null] {
  if (cursor === null) return [names[0] ?? DEFAULT_PROVIDER, null];
  const end = cursor.indexOf('/');
  const own = cursor.slice(end + 1);
  return [cursor.slice(0, end), own === '' ? null : own];
}

function pageOfAll(page: ChargesPage, name: string, names: readonly string[]): ChargesPage {
  const charges = page.charges.map((charge) => ({ ...charge, acquirer: name }));
  if (page.hasMore) return { ...page, charges, cursor: `${name}/${page.cursor}` };
  const next = names[names.indexOf(name) + 1];
  if (next === undefined) return { ...page, charges, cursor: `${name}/${page.cursor}` };
  return { ...page, charges, cursor: `${next}/`, hasMore: true };
}
