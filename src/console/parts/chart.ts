import { type Html, html, type Shown } from './html.ts';
import { type Column, table } from './page-parts.ts';
import type { Wording } from './wording.ts';

/** One place on the time axis, with its value in each period. Null: there is no value. */
export type Slot = { readonly name: string; readonly now: number | null; readonly before: number | null };

/** `title`: the name of the axis. `most`: where it ends; absent: at a round number above all values. */
export type Scale = {
  readonly title: string;
  readonly most?: number;
  readonly tick: (value: number) => string;
  readonly show: (value: number) => string;
};

export type PeriodChart<One extends Slot> = {
  readonly title: string;
  readonly of: string;
  readonly names: { readonly now: string; readonly before: string };
  readonly scale: Scale;
  /** Amounts are columns; rates, which have no sum, are lines. */
  readonly shape: 'columns' | 'line';
  readonly slots: readonly One[];
  readonly beside?: readonly Column<One>[];
};

export const hourText = (hour: number) => `${String(hour).padStart(2, '0')}h`;

/** The axis of amounts in cents, written in reais. */
export function moneyScale({ money, briefly }: Wording): Scale {
  return { title: 'R$', tick: (value) => briefly(value / 100), show: money };
}

/** The axis of rates from 0 to 1, written in percent. */
export function shareScale({ percent }: Wording, title: string): Scale {
  return { title, most: 1, tick: percent, show: percent };
}

const WIDTH = 720;
const HEIGHT = 220;
const LEFT = 92;
const TOP = 34;
const BOTTOM = 36;
const FLOOR = HEIGHT - BOTTOM;
const PARTS = 4;
const MOST_LABELS = 8;
const ROUND = [1, 2, 2.5, 5, 10];

function roundAbove(value: number): number {
  const part = Math.max(1, value / PARTS);
  const power = 10 ** Math.floor(Math.log10(part));
  const step = ROUND.find((one) => one * power >= part && Number.isInteger(one * power)) ?? 10;
  return step * power * PARTS;
}

/** Two periods over one time axis. The table below the chart leaves out places without a value. */
export function periodChart<One extends Slot>(chart: PeriodChart<One>, { say }: Wording): Html {
  const { title, of, names, scale, shape, slots, beside = [] } = chart;
  const values = slots.flatMap(({ now, before }) => [now ?? 0, before ?? 0]);
  const most = scale.most ?? roundAbove(Math.max(0, ...values));
  const width = (WIDTH - LEFT) / Math.max(1, slots.length);
  const place: Place = {
    leftOf: (index) => round(LEFT + index * width),
    width,
    heightOf: (value) => round(((FLOOR - TOP) * value) / most),
  };
  const drawn = shape === 'columns' ? columnsOf(chart, place) : linesOf(chart, place);
  const step = Math.ceil(slots.length / MOST_LABELS);
  const labels = slots.map(
    ({ name }, index) =>
      index % step === 0 &&
      html`<text x="${round(place.leftOf(index) + width / 2)}" y="${HEIGHT - 10}" text-anchor="middle">${name}</text>`,
  );
  const cell = (value: number | null) => (value === null ? '–' : scale.show(value));
  // A rate of 0 is a value; an amount of 0 is none.
  const isThere = (value: number | null) => (shape === 'line' ? value !== null : value !== 0);
  const rows = slots.filter(({ now, before }) => isThere(now) || isThere(before));
  return html`<figure class="chart wide">
<figcaption><span class="key now"></span> ${names.now} <span class="key before"></span> ${names.before}</figcaption>
<svg role="img" aria-label="${title}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
<text x="${LEFT}" y="18">${scale.title}</text>${gridOf(scale, most)}
${drawn}${labels}</svg>
<details><summary>${say('As a table')}</summary>
${table<One>(title, rows, [
  { title: of, cell: ({ name }) => name },
  { title: names.now, isNumber: true, cell: ({ now }) => cell(now) },
  { title: names.before, isNumber: true, cell: ({ before }) => cell(before) },
  ...beside,
])}
</details>
</figure>`;
}

type Place = {
  readonly leftOf: (index: number) => number;
  readonly width: number;
  readonly heightOf: (value: number) => number;
};

const round = (value: number) => Math.round(value * 10) / 10;

function gridOf({ tick }: Scale, most: number): Shown {
  return Array.from({ length: PARTS + 1 }, (_, part) => {
    const y = round(FLOOR - ((FLOOR - TOP) * part) / PARTS);
    return html`<line x1="${LEFT}" y1="${y}" x2="${WIDTH}" y2="${y}"/><text x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${tick((most * part) / PARTS)}</text>`;
  });
}

function columnsOf<One extends Slot>({ slots, names, scale }: PeriodChart<One>, place: Place): Shown {
  const column = (value: number | null, index: number, kind: keyof typeof names, portion: number) => {
    const height = place.heightOf(value ?? 0);
    if (value === null || height <= 0) return '';
    const width = round(place.width * portion);
    const left = round(place.leftOf(index) + (place.width - width) / 2);
    return html`<rect class="${kind}" x="${left}" y="${round(FLOOR - height)}" width="${width}" height="${height}"><title>${`${slots[index]?.name} · ${names[kind]}: ${scale.show(value)}`}</title></rect>`;
  };
  return slots.map(({ now, before }, index) => [
    column(before, index, 'before', 0.8),
    column(now, index, 'now', 0.4),
  ]);
}

function linesOf<One extends Slot>({ slots, names, scale }: PeriodChart<One>, place: Place): Shown {
  const line = (kind: keyof typeof names) => {
    const runs: { readonly x: number; readonly y: number; readonly said: string }[][] = [[]];
    for (const [index, slot] of slots.entries()) {
      const value = slot[kind];
      if (value === null) runs.push([]);
      else
        runs.at(-1)?.push({
          x: round(place.leftOf(index) + place.width / 2),
          y: round(FLOOR - place.heightOf(value)),
          said: `${slot.name} · ${names[kind]}: ${scale.show(value)}`,
        });
    }
    const isLine = (run: readonly unknown[]) => run.length > 1;
    const paths = runs.filter(isLine).map((run) => run.map(({ x, y }) => `${x},${y}`).join(' '));
    return html`${paths.map((path) => html`<polyline class="${kind}" points="${path}"/>`)}${runs
      .flat()
      .map(
        ({ x, y, said }) =>
          html`<circle class="${kind}" cx="${x}" cy="${y}" r="4"><title>${said}</title></circle>`,
      )}`;
  };
  return [line('before'), line('now')];
}

export type Bar = {
  readonly name: string;
  readonly good: number;
  readonly bad: number;
  readonly rate?: string;
  readonly beside?: readonly Shown[];
};

export type BarNames = {
  readonly of: string;
  /** What is counted: the title of the axis. */
  readonly counted: string;
  readonly good: string;
  readonly bad: string;
  readonly rate?: string;
  readonly beside?: readonly string[];
};

const BAR_WIDTH = 400;
const THICKNESS = 16;
const SUM = 100;
const AXIS = 40;
const BESIDE = { label: 112, row: 26, top: 4, longest: 12 } as const;
/** The names stand above their bars. Longer ones are cut; the table has the whole name. */
const ABOVE = { label: 4, row: 42, top: 20, longest: 52 } as const;
const BAR_PARTS = 2;

export function barChart(
  title: string,
  names: BarNames,
  bars: readonly Bar[],
  { say, count }: Wording,
): Html {
  const most = roundAbove(Math.max(0, ...bars.map(({ good, bad }) => good + bad)));
  const place = bars.every(({ name }) => name.length <= BESIDE.longest) ? BESIDE : ABOVE;
  const { label, row, top } = place;
  const widthOf = (part: number) => Math.round(((BAR_WIDTH - label - SUM) * part) / most);
  const floor = bars.length * row + 6;
  const grid = Array.from({ length: BAR_PARTS + 1 }, (_, part) => {
    const x = label + widthOf((most * part) / BAR_PARTS);
    return html`<line x1="${x}" y1="0" x2="${x}" y2="${floor}"/><text x="${x}" y="${floor + 15}" text-anchor="middle">${count((most * part) / BAR_PARTS)}</text>`;
  });
  const rows = bars.map(({ name, good, bad, rate }, index) => {
    const y = index * row + top;
    const end = label + widthOf(good) + widthOf(bad);
    const text =
      place === BESIDE
        ? html`<text x="${label - 8}" y="${y + 12}" text-anchor="end">${name}</text>`
        : html`<text x="${label}" y="${y - 5}">${shortened(name, place.longest)}</text>`;
    const sum = [count(good + bad), ...(rate === undefined ? [] : [rate])].join(' · ');
    return html`${text}<rect class="good" x="${label}" y="${y}" width="${widthOf(good)}" height="${THICKNESS}"/><rect class="bad" x="${label + widthOf(good)}" y="${y}" width="${widthOf(bad)}" height="${THICKNESS}"/><text x="${end + 6}" y="${y + 12}">${sum}</text>\n`;
  });
  const { of, counted, good: goodName, bad: badName, rate, beside = [] } = names;
  return html`<figure class="chart">
<figcaption><span class="key good"></span> ${goodName} <span class="key bad"></span> ${badName}</figcaption>
<svg role="img" aria-label="${title}" viewBox="0 0 ${BAR_WIDTH} ${floor + AXIS}">
${grid}${rows}<text x="${label}" y="${floor + 34}">${counted}</text></svg>
<details><summary>${say('As a table')}</summary>
${table<Bar>(title, bars, [
  { title: of, cell: ({ name }) => name },
  { title: goodName, isNumber: true, cell: (one) => count(one.good) },
  { title: badName, isNumber: true, cell: (one) => count(one.bad) },
  ...(rate === undefined ? [] : [{ title: rate, isNumber: true, cell: (bar: Bar) => bar.rate }]),
  ...beside.map((one, index) => ({ title: one, isNumber: true, cell: (bar: Bar) => bar.beside?.[index] })),
])}
</details>
</figure>`;
}

function shortened(name: string, longest: number): string {
  const signs = [...name];
  return signs.length <= longest ? name : `${signs.slice(0, longest - 1).join('')}…`;
}
