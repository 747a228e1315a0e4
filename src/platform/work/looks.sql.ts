import type { Reader, Statement } from '../postgres/database.ts';

/**
 * A statement of one row and column: milliseconds until the next row is due (null: none), or a version that
 * other processes change. Part of one statement for all works, run many times a minute: it must be one step
 * along an index.
 */
export type Look = {
  readonly piece: Statement;
  values?(): readonly unknown[];
  /** Called with the result, which was true at some moment between the two monotonic times. */
  observe?(found: unknown, askedAt: number, answeredAt: number): void;
};

export type AskLooks = (looks: readonly Look[]) => Promise<readonly unknown[]>;

/** The statements made, by the names of their pieces: a process looks for the works of its roles. */
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
