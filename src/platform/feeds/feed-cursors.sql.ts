import { createHash } from 'node:crypto';
import { type Database, type Row, type Statement, statement } from '../postgres/database.ts';
import { inputRows } from '../postgres/input-rows.ts';
import { column, rowCodec } from '../postgres/row-codec.ts';
import type { FeedCursor, FeedPace, FeedPage, UnreadableItem, WaitingChange } from './feed.ts';

/** The merchant's part of the key, for a cursor of all merchants. */
const ALL_MERCHANTS = '';

/** Moves a cursor `c` when its page is stored. All feeds have the same columns. */
export const MOVED_ON = `fence = c.fence + 1,
       quiet_pulls = case when $4 then 0 else least(c.quiet_pulls + 1, 1000) end,
       due_at = now() + case when $5 then interval '0'
         else least(power(2, case when $4 then 0 else least(c.quiet_pulls, 10) end), $7) * $6 * interval '1 second' end`;

/** The unreadable items of a page `u`, behind the nine values of every page. */
export const UNREADABLE = inputRows<UnreadableItem>(
  {
    item_hash: ['bytea', ({ item }) => createHash('sha256').update(item).digest()],
    item: ['text', ({ item }) => item],
    reason: ['text', ({ reason }) => reason],
  },
  { as: 'u', after: 9 },
);

/** The most unreadable items that are kept, of all merchants. Further ones are only counted and logged. */
const MOST_UNREADABLE = 10_000;

export type CursorTable = {
  /** The prefix of its statements' names. */
  readonly name: string;
  readonly table: string;
  readonly column: string;
  readonly cursor: string;
  /** The condition under which a merchant `m` without a cursor needs one. */
  readonly since: string;
};

export function cursorTexts({ table, column, cursor, since }: CursorTable) {
  const columns = `c.merchant_id, c.${column} as provider, ${cursor} as cursor, c.fence`;
  const ofNew = `from merchants m cross join unnest($1::text[]) p (${column})
       left join ${table} c on c.merchant_id = m.merchant_id and c.${column} = p.${column}
     where c.merchant_id is null and ${since}`;
  return {
    open_cursor: `insert into ${table} (merchant_id, ${column}) values ($1, $2) on conflict do nothing`,
    find_cursor: `select ${columns} from ${table} c where c.merchant_id = $1 and c.${column} = $2`,
    open_cursors_of_new: `insert into ${table} (merchant_id, ${column})
   select m.merchant_id, p.${column} ${ofNew} order by m.merchant_id, p.${column}
   on conflict do nothing`,
    claim_cursors: `with due as (
     select merchant_id, ${column} from ${table}
     where due_at <= now() and (merchant_id <> '') = $3 and ${column} = any($4::text[])
     order by due_at limit $1 for no key update skip locked
   )
   update ${table} c set due_at = now() + $2 * interval '1 millisecond'
   from due where c.merchant_id = due.merchant_id and c.${column} = due.${column}
   returning ${columns}`,
    postpone_pull: `update ${table} set due_at = now() + $3 * interval '1 second' where merchant_id = $1 and ${column} = $4 and fence = $2`,
    earliest_pull: `select case when $3 and exists (select ${ofNew}) then 0 else (
     select (extract(epoch from min(due_at) - now()) * 1000)::float8 from ${table}
     where (merchant_id <> '') = $2 and ${column} = any($1::text[])
   ) end as milliseconds`,
  } as const;
}

type Statements = Readonly<Record<keyof ReturnType<typeof cursorTexts> | 'keep', Statement>>;

/**
 * Parameters of `keep`: merchant, cursor, fence, has news, has more, pause, factor, most unreadable items,
 * provider, unreadable items, then what the page has.
 */
export function feedCursors<Page extends FeedPage>(
  described: CursorTable,
  keep: Statement,
  valuesOf: (page: Page) => readonly unknown[],
): FeedCursors<Page> {
  const texts = Object.entries(cursorTexts(described));
  const made = texts.map(([end, text]) => [end, statement(`${described.name}.${end}`, text)]);
  return new FeedCursors({ ...(Object.fromEntries(made) as Statements), keep }, valuesOf);
}

export class FeedCursors<Page extends FeedPage> {
  readonly #statements: Statements;
  readonly #valuesOf: (page: Page) => readonly unknown[];

  constructor(statements: Statements, valuesOf: (page: Page) => readonly unknown[]) {
    this.#statements = statements;
    this.#valuesOf = valuesOf;
  }

  async open(database: Database, provider: string, merchantId: string | null): Promise<FeedCursor> {
    const { find_cursor: find, open_cursor: open } = this.#statements;
    const key = [merchantId ?? ALL_MERCHANTS, provider];
    const [found] = await database.query(find, key);
    if (found !== undefined) return parseCursor(found);
    await database.query(open, key);
    const [made] = await database.query(find, key);
    if (made === undefined) throw new Error('the cursor of changes is gone');
    return parseCursor(made);
  }

  async openOfNew(database: Database, providers: readonly string[]): Promise<void> {
    await database.query(this.#statements.open_cursors_of_new, [providers]);
  }

  /**
   * Claims due cursors at these providers, for all merchants or for single ones. Postpones them for as long
   * as a request may take.
   */
  async claim(
    database: Database,
    providers: readonly string[],
    isForAllMerchants: boolean,
    limit: number,
    leaseMilliseconds: number,
  ): Promise<FeedCursor[]> {
    const values = [limit, leaseMilliseconds, !isForAllMerchants, providers];
    return (await database.query(this.#statements.claim_cursors, values)).map(parseCursor);
  }

  /**
   * Stores a page and moves its cursor in one statement, skipping changes already stored. False: the cursor
   * was moved meanwhile, and nothing was written.
   */
  async keep(
    database: Database,
    { provider, merchantId, fence }: FeedCursor,
    page: Page,
    { pauseSeconds, longestQuietFactor }: FeedPace,
  ): Promise<boolean> {
    const { cursor, hasNews, hasMore, unreadable } = page;
    const moved = await database.query(this.#statements.keep, [
      ...[merchantId ?? ALL_MERCHANTS, cursor, fence, hasNews, hasMore],
      ...[pauseSeconds, longestQuietFactor, MOST_UNREADABLE, provider],
      ...UNREADABLE.values(unreadable),
      ...this.#valuesOf(page),
    ]);
    return moved.length === 1;
  }

  async postpone(database: Database, cursor: FeedCursor, seconds: number): Promise<void> {
    const { provider, merchantId, fence } = cursor;
    const values = [merchantId ?? ALL_MERCHANTS, fence, seconds, provider];
    await database.query(this.#statements.postpone_pull, values);
  }

  /**
   * When the next pull is due. `$1`: the providers; `$2`: whether for single merchants; `$3`: whether to look
   * for merchants that have come to need a cursor.
   */
  get earliest(): Statement {
    return this.#statements.earliest_pull;
  }
}

const CURSOR = rowCodec({
  provider: column.text(),
  merchantId: column.text(),
  cursor: column.nullable(column.text()),
  fence: column.whole(),
});

function parseCursor(row: Row): FeedCursor {
  const { merchantId, ...cursor } = CURSOR.parse(row);
  return { ...cursor, merchantId: merchantId === ALL_MERCHANTS ? null : merchantId };
}

export type WaitingTable = {
  /** The prefix of its statements' names. */
  readonly name: string;
  readonly table: string;
  /** The alias of a row in `columns`. */
  readonly alias: string;
  readonly key: string;
  readonly number: string;
  readonly columns: string;
};

export function waitingTexts({ table, alias, key, number, columns }: WaitingTable) {
  const isDue = key.split(', ').map((part) => `${alias}.${part} = due.${part}`);
  return {
    claim_waiting: `with due as (
     select ${key} from ${table} where state = 'waiting' and due_at <= now()
     order by due_at limit $1 for no key update skip locked
   )
   update ${table} ${alias} set tries = least(${alias}.tries + 1, 32000), due_at = now() + $2 * interval '1 millisecond'
   from due where ${isDue.join(' and ')}
   returning ${columns}`,
    list_waiting: `select ${columns} from ${table} ${alias}
   where ${alias}.merchant_id = $1 and ${alias}.state = 'waiting' and ${alias}.${number} > $2
   order by ${alias}.${number} limit $3`,
    earliest_due: `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds
   from ${table} where state = 'waiting'`,
  } as const;
}

/** Changes that are neither applied nor refused. Called at load only. */
export function waitingChanges<Change extends WaitingChange>(
  table: WaitingTable,
  parse: (row: Row) => Change,
): WaitingChanges<Change> {
  const texts = waitingTexts(table);
  const declared = (end: keyof typeof texts) => statement(`${table.name}.${end}`, texts[end]);
  const [claim, list] = [declared('claim_waiting'), declared('list_waiting')];
  return {
    async claim(database, limit, leaseMilliseconds) {
      const rows = await database.query(claim, [limit, leaseMilliseconds]);
      return rows.map(parse).toSorted((one, other) => one.changeNumber - other.changeNumber);
    },
    list: async (database, merchantId, afterNumber, limit) =>
      (await database.query(list, [merchantId, afterNumber, limit])).map(parse),
    earliest: declared('earliest_due'),
  };
}

export type WaitingChanges<Change> = {
  /** Claims due changes of all merchants in order of arrival, for the lease. */
  claim(database: Database, limit: number, leaseMilliseconds: number): Promise<Change[]>;
  /** This merchant's waiting changes after a number, in order of arrival, including claimed ones. */
  list(database: Database, merchantId: string, afterNumber: number, limit: number): Promise<Change[]>;
  readonly earliest: Statement;
};
