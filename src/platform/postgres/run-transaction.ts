import type pg from 'pg';
import type { Row, Statement, Tx } from './database.ts';
import { DatabaseUnavailable, isConnectionLost } from './database-errors.ts';
import { type Deadline, serverTime, withServerTimes } from './deadline.ts';
import { tracedStatement } from './pools.ts';

const writing = new Map<string, boolean>();

export function isWrite({ name, text }: Statement): boolean {
  const known = writing.get(name) ?? canWrite(text);
  writing.set(name, known);
  return known;
}

/** `for update` only locks rows; `set transaction` only affects reads. */
export function canWrite(text: string): boolean {
  return (
    !/^\s*(select|with|set\s+transaction)\b/i.test(text) ||
    /\binsert\s+into\b|\bdelete\s+from\b|(?<!\bfor\s+(no\s+key\s+)?)\bupdate\b|\bsetval\b/i.test(text)
  );
}

/** `thrown`: by the work itself. Nothing was written; the error says nothing of the connection. */
type Worked<T> = { readonly value: T; readonly hasWritten: boolean } | { readonly thrown: unknown };

/** `willWrite` is called before a commit is sent. */
export async function runTransaction<T>(
  client: pg.PoolClient,
  work: (tx: Tx) => Promise<T>,
  deadline: Deadline | undefined,
  willWrite: () => void,
): Promise<Worked<T>> {
  const until = deadline === undefined ? null : await serverTime(client, deadline);
  try {
    await client.query(until === null ? 'begin' : beginUntil(until));
    const worked = await runWork(client, work);
    if ('thrown' in worked) {
      await client.query('rollback');
      return worked;
    }
    if (worked.hasWritten) willWrite();
    const end = await sendCommit(client, until !== null);
    // After an error PostgreSQL answers a commit with ROLLBACK, without an error.
    if (end?.command !== 'COMMIT') throw new Error(`the transaction ended with ${end?.command}`);
    return worked;
  } catch (error) {
    if (!isConnectionLost(error)) await client.query('rollback');
    throw error;
  }
}

/** Throws a statement's error if it ended the work. */
async function runWork<T>(client: pg.PoolClient, work: (tx: Tx) => Promise<T>): Promise<Worked<T>> {
  let isOpen = true;
  let hasWritten = false;
  let failure: { readonly error: unknown } | null = null;
  const query: Tx['query'] = async (wanted, values) => {
    if (!isOpen) throw new Error(`${wanted.name} was asked for after the end of its transaction`);
    hasWritten ||= isWrite(wanted);
    try {
      return await tracedStatement(wanted, async () =>
        run(client, wanted, await withServerTimes(client, values)),
      );
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  try {
    const value = await work({ query } as Tx);
    return { value, hasWritten };
  } catch (error) {
    const { error: failed } = failure ?? { error: null };
    if (failed !== null && (failed === error || isConnectionLost(failed))) throw failed;
    return { thrown: error };
  } finally {
    isOpen = false;
  }
}

const DIVISION_BY_ZERO = '22012';
/** Sent as one message. The deadline is a time made here, so it needs no escaping. */
function beginUntil(deadline: string): string {
  return `begin; set local parcela.deadline = '${deadline}'`;
}
/** Sent as one message. A late one divides by zero, so its commit is not executed. */
const COMMIT_IN_TIME =
  "select 1 / (clock_timestamp() < current_setting('parcela.deadline')::timestamptz)::integer; commit";

async function sendCommit(client: pg.PoolClient, hasDeadline: boolean): Promise<pg.QueryResult | undefined> {
  try {
    const ended: pg.QueryResult | pg.QueryResult[] = await client.query(
      hasDeadline ? COMMIT_IN_TIME : 'commit',
    );
    return Array.isArray(ended) ? ended.at(-1) : ended;
  } catch (error) {
    if ((error as { code?: unknown }).code !== DIVISION_BY_ZERO) throw error;
    throw new DatabaseUnavailable('the commit came after its deadline', { cause: error });
  }
}

export async function run(
  client: pg.PoolClient,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  return (await client.query({ name, text, values: values as unknown[] })).rows as Row[];
}
