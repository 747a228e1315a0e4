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

const WIDTH = 400;
const THICKNESS = 16;
/** Behind a bar stands its sum. */
const SUM = 50;
/** Short names stand before their bars, longer ones above. */
const BESIDE = { label: 112, row: 26, top: 4, longest: 12 } as const;
/** What is longer still the table has whole. */
const ABOVE = { label: 0, row: 42, top: 20, longest: 52 } as const;

/** Lying bars for those who look, with their table behind for those who read. */
export function barChart(
  title: string,
  names: BarNames,
  bars: readonly Bar[],
  { say, count }: Wording,
): Html {
  const most = Math.max(1, ...bars.map(({ good, bad }) => good + bad));
  const place = bars.every(({ name }) => name.length <= BESIDE.longest) ? BESIDE : ABOVE;
  const { label, row, top } = place;
  const widthOf = (part: number) => Math.round(((WIDTH - label - SUM) * part) / most);
  const rows = bars.map(({ name, good, bad }, index) => {
    const y = index * row + top;
    const end = label + widthOf(good) + widthOf(bad);
    const text =
      place === BESIDE
        ? html`<text x="${label - 8}" y="${y + 12}" text-anchor="end">${name}</text>`
        : html`<text x="0" y="${y - 5}">${shortened(name, place.longest)}</text>`;
    return html`${text}<rect class="good" x="${label}" y="${y}" width="${widthOf(good)}" height="${THICKNESS}"/><rect class="bad" x="${label + widthOf(good)}" y="${y}" width="${widthOf(bad)}" height="${THICKNESS}"/><text x="${end + 6}" y="${y + 12}">${count(good + bad)}</text>\n`;
  });
  const { of, good: goodName, bad: badName, beside = [] } = names;
  return html`<figure class="chart">
<figcaption><span class="key good"></span> ${goodName} <span class="key bad"></span> ${badName}</figcaption>
<svg role="img" aria-label="${title}" viewBox="0 0 ${WIDTH} ${bars.length * row + 4}">
${rows}</svg>
<details><summary>${say('As a table')}</summary>
${table(
  title,
  [
    { title: of },
    { title: goodName, isNumber: true },
    { title: badName, isNumber: true },
    ...beside.map((one) => ({ title: one, isNumber: true })),
  ],
  bars.map((one) => [one.name, count(one.good), count(one.bad), ...(one.beside ?? [])]),
)}
</details>
</figure>`;
}

function shortened(name: string, longest: number): string {
  const signs = [...name];
  return signs.length <= longest ? name : `${signs.slice(0, longest - 1).join('')}…`;
}
