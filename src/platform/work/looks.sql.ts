import type { Reader, Statement } from '../postgres/database.ts';

/**
 * What a work waits for, as a statement of one row and one column: the milliseconds until its next row falls
 * due (null: none will), or what changes when another process has changed what it follows. It stands in the
 * statement that asks for all works of the process, many times a minute: each is one step along an index.
 */
export type Look = {
  readonly piece: Statement;
  /** Its `$1` and so on, as they are when it is asked. */
  values?(): readonly unknown[];
  /** Called with what it found, which was so at a moment between the two (monotonic). */
  observe?(found: unknown, askedAt: number, answeredAt: number): void;
};

/** Gives what each of them finds, in one statement. */
export type AskLooks = (looks: readonly Look[]) => Promise<readonly unknown[]>;

/** By the pieces that stand in it: processes have the works of their roles. */
const made = new Map<string, Statement>();

export function askLooks(database: Reader): AskLooks {
  return async (looks) => {
    const names = looks.map(({ piece }) => piece.name).join();
    const statement = made.get(names) ?? inOne(looks);
    made.set(names, statement);
    const [row = {}] = await database.query(
      statement,
      looks.flatMap(({ values }) => values?.() ?? []),
    );
    return looks.map((_look, place) => row[`found_${place}`]);
  };
}

function inOne(looks: readonly Look[]): Statement {
  let before = 0;
  const columns = looks.map(({ piece }, place) => {
    const own = [...piece.text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
    const text = piece.text.replace(/\$(\d+)/g, (_found, number) => `$${before + Number(number)}`);
    before += Math.max(0, ...own);
    return `(${text}) as found_${place}`;
  });
  return { name: `work.look_${made.size + 1}`, text: `select ${columns.join(',\n')}` };
}
