import { type Html, html } from '../parts/html.ts';
import { table } from '../parts/page-parts.ts';
import type { Wording } from '../parts/wording.ts';

/** One bar: what went well, and what did not. */
export type Bar = { readonly name: string; readonly good: number; readonly bad: number };

const WIDTH = 640;
const LABEL = 170;
const ROW = 26;
const THICKNESS = 16;

/** Lying bars for those who look, with their table behind for those who read. */
export function barChart(
  title: string,
  names: { readonly of: string; readonly good: string; readonly bad: string },
  bars: readonly Bar[],
  wording: Wording,
): Html {
  const most = Math.max(1, ...bars.map(({ good, bad }) => good + bad));
  const widthOf = (count: number) => Math.round(((WIDTH - LABEL - 50) * count) / most);
  const { say, count } = wording;
  const rows = bars.map(({ name, good, bad }, index) => {
    const y = index * ROW + 4;
    const end = LABEL + widthOf(good) + widthOf(bad);
    return html`<text x="${LABEL - 8}" y="${y + 12}" text-anchor="end">${name}</text><rect class="good" x="${LABEL}" y="${y}" width="${widthOf(good)}" height="${THICKNESS}"/><rect class="bad" x="${LABEL + widthOf(good)}" y="${y}" width="${widthOf(bad)}" height="${THICKNESS}"/><text x="${end + 6}" y="${y + 12}">${count(good + bad)}</text>\n`;
  });
  return html`<figure class="chart">
<svg role="img" aria-label="${title}" viewBox="0 0 ${WIDTH} ${bars.length * ROW + 4}">
${rows}</svg>
<details><summary>${say('As a table')}</summary>
${table(
  title,
  [{ title: names.of }, { title: names.good, isNumber: true }, { title: names.bad, isNumber: true }],
  bars.map(({ name, good, bad }) => [name, count(good), count(bad)]),
)}
</details>
</figure>`;
}
