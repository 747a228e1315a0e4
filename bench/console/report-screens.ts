import { type Cell, printTable } from '../table.ts';
import type { VisitedScreen } from './visit-screens.ts';

/** Milliseconds that a page may take. */
const AIM = 100;
/** A statement is listed from so many milliseconds, or pages of eight kilobytes, on. */
const DEAR = { milliseconds: 10, pages: 1_000 } as const;

const ownerOf = ({ of }: VisitedScreen): string => of.owner ?? 'operator';

export function printScreens(visited: readonly VisitedScreen[]): void {
  const rows = visited.map((one): Cell[] => [
    one.of.title,
    ownerOf(one),
    one.p50.toFixed(1),
    one.p99.toFixed(1),
    one.p99 > AIM ? `over ${AIM}` : '',
    one.statements.toFixed(1),
    one.inStatements.toFixed(1),
    one.kilobytes.toFixed(0),
  ]);
  printTable(['screen', 'of', 'p50 ms', 'p99 ms', '', 'statements', 'ms in them', 'kB'], rows);
  for (const { of, whole } of visited.filter((one) => one.whole !== null))
    console.log(`${of.title} (${of.owner}) was whole after ${whole?.toFixed(0)} ms at the slowest`);
  const over = visited.filter(({ p99 }) => p99 > AIM);
  console.log(`\n${over.length} of ${visited.length} over ${AIM} ms`);
}

/** Statements that read much for one page. */
export function printCosts(visited: readonly VisitedScreen[]): void {
  const rows = visited.flatMap((one) =>
    one.costs
      .filter(({ mean, pages }) => mean > DEAR.milliseconds || pages > DEAR.pages)
      .map((cost): Cell[] => [
        cost.name,
        one.of.title,
        ownerOf(one),
        cost.mean.toFixed(1),
        cost.slowest.toFixed(1),
        cost.rows.toFixed(0),
        cost.pages.toFixed(0),
      ]),
  );
  if (rows.length === 0) console.log('\nno statement is dear');
  else printTable(['statement', 'screen', 'of', 'mean ms', 'slowest ms', 'rows', '8-kB pages'], rows);
}
