import {
  listMerchantEntries,
  listNewerEntries,
  listThingEntries,
  type MerchantEntry,
} from '../../audit/merchant-entries.sql.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import { actsOf } from '../history/history.ts';
import type { HistoryPage, ShownAct } from '../history/history-screens.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import { matchPath } from '../parts/paths.ts';
import type { Action, Screen, Visit } from '../parts/screen.ts';
import { listOwnNames } from '../users/users.sql.ts';

type FindActsTools = {
  readonly reader: Reader;
  readonly actions: readonly Action<ConsoleTools>[];
  readonly screens: readonly Screen<ConsoleTools>[];
};

const ENTRIES_OF_PAGE = 100;
/**
 * How many newer entries are searched for the ends of acts: an act and its end stand close together. An act
 * whose end is not found is shown as asked for.
 */
const MOST_ENDS = 40;
const MOST_OF_THING = 50;
const LAST_ENTRY = Number.MAX_SAFE_INTEGER;

/** The merchant's id as it stands in paths of pages, which the audit log keeps. */
const nameIn = ({ merchantId }: Visit) => encodeURIComponent(merchantId);

export async function findActs(
  tools: FindActsTools,
  visit: Visit,
  before: number | null,
): Promise<HistoryPage> {
  const name = nameIn(visit);
  const ends =
    before === null ? [] : await listNewerEntries(tools.reader, name, { from: before, limit: MOST_ENDS });
  const wanted = { before: before ?? LAST_ENTRY, limit: ENTRIES_OF_PAGE };
  const entries = await listMerchantEntries(tools.reader, name, wanted);
  const acts = await shownActs(tools, visit, [...ends, ...entries]);
  const oldest = entries.at(-1)?.entryNumber ?? null;
  return {
    acts: acts.filter(({ entryNumber }) => before === null || entryNumber < before),
    next: entries.length < ENTRIES_OF_PAGE ? null : oldest,
  };
}

export async function findThingActs(
  tools: FindActsTools,
  visit: Visit,
  id: string,
): Promise<readonly ShownAct[]> {
  const wanted = { thing: id.toLowerCase(), limit: MOST_OF_THING };
  return shownActs(tools, visit, await listThingEntries(tools.reader, nameIn(visit), wanted));
}

async function shownActs(
  { reader, actions, screens }: FindActsTools,
  visit: Visit,
  entries: readonly MerchantEntry[],
): Promise<readonly ShownAct[]> {
  const acts = actsOf(entries);
  const isTold = visit.user.merchantId === null;
  const names = [...new Set(acts.map(({ who }) => who))];
  const own = new Set(isTold ? names : await listOwnNames(reader, visit.merchantId, names));
  return acts.flatMap((act): readonly ShownAct[] => {
    const path = `/${act.path}`;
    const isThere = (one: { readonly path: string }) => matchPath(one.path, path) !== null;
    const action = act.outcome === 'saved' ? screens.find(isThere) : actions.find(isThere);
    const isOwn = own.has(act.who);
    // The operator's acts on a merchant, and their reasons, are not shown to the merchant.
    if (!isTold && (action === undefined ? !isOwn : action.of === 'operator')) return [];
    return [
      {
        ...act,
        title: action?.title ?? null,
        place: action === undefined ? null : placeOf(path, screens),
        name: isOwn ? act.who : null,
        reason: isOwn ? act.reason : null,
      },
    ];
  });
}

/** The page on which the act was done: the nearest one above the path of its form. */
function placeOf(path: string, screens: FindActsTools['screens']): string | null {
  const above = path.slice(0, path.lastIndexOf('/'));
  if (above === '') return null;
  const isPage = screens.some((one) => matchPath(one.path, above) !== null && one.isFile !== true);
  return isPage ? `/console${above}` : placeOf(above, screens);
}
