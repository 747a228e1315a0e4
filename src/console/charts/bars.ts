import { type Html, html, type Shown } from '../parts/html.ts';
import { table } from '../parts/page-parts.ts';
import type { Wording } from '../parts/wording.ts';

/** One bar: what went well, and what did not. */
export type Bar = {
  readonly name: string;
  readonly good: number;
  readonly bad: number;
  /** What the table behind has of it beside. */
  readonly beside?: readonly Shown[];
};

export type BarNames = {
  readonly of: string;
  readonly good: string;
  readonly bad: string;
  readonly beside?: readonly string[];
};

const WIDTH = 420;
const LABEL = 150;
const ROW = 26;
const THICKNESS = 16;
/** What fits before a bar: the table has the whole name. */
const LONGEST_LABEL = 18;

/** Lying bars for those who look, with their table behind for those who read. */
export function barChart(
  title: string,
  names: BarNames,
  bars: readonly Bar[],
  { say, count }: Wording,
): Html {
  const most = Math.max(1, ...bars.map(({ good, bad }) => good + bad));
  const widthOf = (part: number) => Math.round(((WIDTH - LABEL - 50) * part) / most);
  const rows = bars.map(({ name, good, bad }, index) => {
    const y = index * ROW + 4;
    const end = LABEL + widthOf(good) + widthOf(bad);
    return html`<text x="${LABEL - 8}" y="${y + 12}" text-anchor="end">${shortened(name)}</text><rect class="good" x="${LABEL}" y="${y}" width="${widthOf(good)}" height="${THICKNESS}"/><rect class="bad" x="${LABEL + widthOf(good)}" y="${y}" width="${widthOf(bad)}" height="${THICKNESS}"/><text x="${end + 6}" y="${y + 12}">${count(good + bad)}</text>\n`;
  });
  const { of, good: goodName, bad: badName, beside = [] } = names;
  return html`<figure class="chart">
<figcaption><span class="key good"></span> ${goodName} <span class="key bad"></span> ${badName}</figcaption>
<svg role="img" aria-label="${title}" viewBox="0 0 ${WIDTH} ${bars.length * ROW + 4}">
${rows}</svg>
<details><summary>${say('As a table')}</summary>
${table(
  title,
  [
    { title: of },
    { title: goodName, isNumber: true },
    { title: badName, isNumber: true },
    ...beside.map((one) => ({ title: one })),
  ],
  bars.map((one) => [one.name, count(one.good), count(one.bad), ...(one.beside ?? [])]),
)}
</details>
</figure>`;
}

function shortened(name: string): string {
  const signs = [...name];
  return signs.length <= LONGEST_LABEL ? name : `${signs.slice(0, LONGEST_LABEL - 1).join('')}…`;
}
