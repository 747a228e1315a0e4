import type { Acquirer } from '../../acquirers/acquirer.ts';
import { type ChargesPage, MOST_LISTED_CHARGES } from '../../acquirers/listed-charge.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Instant } from '../../values/instant.ts';
import { nextMerchant } from './restore-runs.sql.ts';
import type { Place } from './restored-charge.ts';

export type ListTools = {
  readonly database: Database;
  readonly acquirer: Pick<Acquirer, 'listCharges'>;
  readonly acquirerTimeoutMilliseconds: number;
};

export type AskedList = {
  readonly since: Instant;
  /** Null: all charges. In a cell, its own merchants and those that its books lost. */
  readonly ofCell: { readonly alsoMerchants: readonly string[] } | null;
};

/** `behind`: the place after the page. */
export type ListedPage = Pick<ChargesPage, 'charges'> & { readonly behind: Place; readonly isLast: boolean };

/** The same call continues the walk. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

const TRIES_OF_A_PAGE = 3;
/** Guards against a list without an end. */
const MOST_PAGES = 100_000;
const FROM_BEGINNING: Place = { merchantId: null, cursor: null };

/** Yields at least one page. */
export async function* listCharges(
  tools: ListTools,
  asked: AskedList,
  from: Place = FROM_BEGINNING,
): AsyncGenerator<ListedPage> {
  // A place of a walk under another setting is void.
  const isPlace = from.merchantId === null || asked.ofCell !== null;
  let place: Place | null = isPlace ? from : FROM_BEGINNING;
  if (asked.ofCell !== null && from.merchantId === null) place = await firstOf(tools, asked, null);
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
  { acquirer, acquirerTimeoutMilliseconds }: ListTools,
  since: Instant,
  { merchantId, cursor }: Place,
): Promise<ChargesPage> {
  const request = { merchantId, since, cursor, limit: MOST_LISTED_CHARGES };
  let reason = 'the acquirer does not list charges';
  for (let tries = 0; tries < TRIES_OF_A_PAGE; tries += 1) {
    const answer = await acquirer.listCharges(request, acquirerTimeoutMilliseconds);
    if (answer.kind === 'charges') return answer;
    if (answer.kind === 'notOffered') break;
    reason = answer.reason;
  }
  throw new Stopped(reason);
}
