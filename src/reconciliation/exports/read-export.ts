import { setTimeout as pause } from 'node:timers/promises';
import { hasAccount } from '../../merchants/accounts.sql.ts';
import { DatabaseUnavailable } from '../../platform/postgres/database.ts';
import type { LookUp, Search } from '../../platform/postgres/searches.ts';
import type { FairLine } from '../../platform/work/fair-line.ts';
import { Overloaded } from '../../platform/work/overloaded.ts';
import type { Follower } from '../receivables/open-follower.ts';
import {
  type ListedReceivable,
  listReceivables,
  type ReceivablePlace,
  type WantedReceivables,
} from '../receivables/receivables.sql.ts';
import type { Export } from './export.ts';

const ROWS_OF_PAGE = 1_000;
/** A page that finds no turn, or no database, is asked for again for so long. */
const PAGE_PATIENCE_MILLISECONDS = 30_000;
const PAGE_PAUSE_MILLISECONDS = 500;

export type ReadExportTools = Pick<Follower, 'isUpToDate'> & {
  readonly lookUp: LookUp;
  readonly search: Search;
  /** Exports at the same time; of a merchant its share. */
  readonly exportLine: Pick<FairLine, 'take' | 'wait' | 'giveBack'>;
};

export type ExportRefusal = 'receivablesBehind';

/**
 * What the acquirer owes in a period. Between two pages it has no connection, whatever time its
 * reader takes. Null: the merchant has no such account. Throws `Overloaded` when there is no place.
 */
export async function readExport(
  tools: ReadExportTools,
  merchantId: string,
  wanted: WantedReceivables,
): Promise<Export | ExportRefusal | null> {
  const { lookUp, isUpToDate, exportLine } = tools;
  const isOwn = await lookUp(merchantId, (database) =>
    hasAccount(database, merchantId, wanted.accountNumber),
  );
  if (!isOwn) return null;
  if (!(await isUpToDate(merchantId))) return 'receivablesBehind';
  const place = { merchantId };
  if (!exportLine.take(place)) await exportLine.wait(place);
  let isOpen = true;
  return {
    pages: pagesOf(tools, merchantId, wanted),
    close() {
      if (isOpen) exportLine.giveBack(place);
      isOpen = false;
    },
  };
}

async function* pagesOf(
  { search }: ReadExportTools,
  merchantId: string,
  wanted: WantedReceivables,
): AsyncGenerator<readonly ListedReceivable[]> {
  let after: ReceivablePlace | null = null;
  for (;;) {
    const from: ReceivablePlace | null = after;
    const page: readonly ListedReceivable[] = await patiently(() =>
      search(merchantId, (database) => listReceivables(database, merchantId, wanted, from, ROWS_OF_PAGE)),
    );
    if (page.length > 0) yield page;
    if (page.length < ROWS_OF_PAGE) return;
    after = page.at(-1)?.place ?? null;
  }
}

/** A long export goes on over a moment without the database, or with too many searches. */
async function patiently<T>(read: () => Promise<T>): Promise<T> {
  const endsAt = performance.now() + PAGE_PATIENCE_MILLISECONDS;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      const isPassing = error instanceof Overloaded || error instanceof DatabaseUnavailable;
      if (!isPassing || performance.now() > endsAt) throw error;
      await pause(PAGE_PAUSE_MILLISECONDS);
    }
  }
}
