import { type Html, html } from '../parts/html.ts';
import { table } from '../parts/page-parts.ts';
import type { Wording } from '../parts/wording.ts';

const WIDTH = 720;
const HEIGHT = 170;
const TOP = 30;
const BOTTOM = 30;
const SLOT = WIDTH / 24;
const LABELLED_HOURS = 6;

/** Columns of today in front of those of yesterday, followed by their table for screen readers. */
export function hourChart(today: readonly number[], yesterday: readonly number[], wording: Wording): Html {
  const { say, money } = wording;
  const title = say('Sales by card, hour by hour');
  const most = Math.max(1, ...today, ...yesterday);
  const column = (amount: number, hour: number, kind: string, [left, width]: readonly [number, number]) => {
    const height = Math.round(((HEIGHT - TOP - BOTTOM) * amount) / most);
    return (
      height > 0 &&
      html`<rect class="${kind}" x="${hour * SLOT + left}" y="${HEIGHT - BOTTOM - height}" width="${width}" height="${height}" rx="1.5"/>`
    );
  };
  const hours = today.map((_, hour) => hour);
  const name = (hour: number) => `${String(hour).padStart(2, '0')}h`;
  const columns = hours.map((hour) => [
    column(yesterday[hour] ?? 0, hour, 'before', [3, SLOT - 6]),
    column(today[hour] ?? 0, hour, 'now', [8, SLOT - 16]),
  ]);
  const labels = hours
    .filter((hour) => hour % LABELLED_HOURS === 0)
    .map((hour) => html`<text x="${hour * SLOT + 2}" y="${HEIGHT - 8}">${name(hour)}</text>`);
  const rows = hours.filter((hour) => (today[hour] ?? 0) + (yesterday[hour] ?? 0) > 0);
  return html`<figure class="chart wide">
<figcaption><span class="key now"></span> ${say('Today')} <span class="key before"></span> ${say('Yesterday')}</figcaption>
<svg role="img" aria-label="${title}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
<text x="2" y="22">${money(most)}</text><line x1="0" y1="${TOP - 0.5}" x2="${WIDTH}" y2="${TOP - 0.5}"/><line x1="0" y1="${HEIGHT - BOTTOM}" x2="${WIDTH}" y2="${HEIGHT - BOTTOM}"/>
${columns}${labels}</svg>
<details><summary>${say('As a table')}</summary>
${table(title, rows, [
  { title: say('Hour'), cell: name },
  { title: say('Today'), isNumber: true, cell: (hour) => money(today[hour] ?? 0) },
  { title: say('Yesterday'), isNumber: true, cell: (hour) => money(yesterday[hour] ?? 0) },
])}
</details>
</figure>`;
}
