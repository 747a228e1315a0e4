import { setTimeout as pause } from 'node:timers/promises';
import type { Day } from '../../src/values/instant.ts';
import { hiddenFields, type Shown, UNDER_WAY, type Visitor, wordsOf } from '../../test/console/visitor.ts';
import { percentile } from '../table.ts';
import type { Visitors } from './enter-console.ts';
import { addressOf, type ScreenCase } from './screen-cases.ts';
import type { StatementCost, StatementCosts } from './statement-costs.ts';

const ASKED = 20;
/** The statements are prepared, and what is asked for is in the memory of the machine. */
const WARM_UP = 2;
const SLOW_DOWN_MILLISECONDS = 1_000;
const LOOK_AGAIN_MILLISECONDS = 50;

export type VisitedScreen = {
  readonly of: ScreenCase;
  readonly p50: number;
  readonly p99: number;
  /** Until nothing of a page was under way any more, at the slowest; null: nothing was. */
  readonly whole: number | null;
  readonly kilobytes: number;
  /** Statements of one visit, and the milliseconds that the server spent on them. */
  readonly statements: number;
  readonly inStatements: number;
  readonly costs: readonly StatementCost[];
};

/** Asks for the page again and again, as somebody who waits for each answer. */
export async function visitScreen(
  visitors: Visitors,
  costs: StatementCosts,
  of: ScreenCase,
  today: Day,
): Promise<VisitedScreen> {
  const times: number[] = [];
  // The first one reads what later ones may be given as it was kept.
  const wholes: number[] = [];
  for (let asked = 0; asked < WARM_UP; asked += 1)
    wholes.push((await lookAt(visitors, of, today)).wholeMilliseconds ?? 0);
  await costs.forget();
  let kilobytes = 0;
  for (let asked = 0; asked < ASKED; asked += 1) {
    const { shown, milliseconds, wholeMilliseconds } = await lookAt(visitors, of, today);
    times.push(milliseconds);
    wholes.push(wholeMilliseconds ?? 0);
    kilobytes = Buffer.byteLength(shown.text) / 1_024;
  }
  times.sort((one, other) => one - other);
  // What works in the background is asked less often.
  const counted = (await costs.read()).filter(({ calls }) => calls >= ASKED);
  return {
    of,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    whole: Math.max(...wholes) || null,
    kilobytes,
    statements: counted.reduce((sum, { calls }) => sum + calls, 0) / ASKED,
    inStatements: counted.reduce((sum, { calls, mean }) => sum + calls * mean, 0) / ASKED,
    costs: counted,
  };
}

const marks = new WeakMap<Visitor, string>();

/** What the forms of somebody's pages carry, from the first time on. */
async function markOf(visitor: Visitor, address: string): Promise<string> {
  for (let mark = marks.get(visitor); ; mark = marks.get(visitor)) {
    if (mark !== undefined) return mark;
    const shown = await visitor.ask(address);
    if (shown.status === 200) marks.set(visitor, hiddenFields(shown.text, address).mark ?? '');
    else await pause(SLOW_DOWN_MILLISECONDS);
  }
}

type Looked = {
  /** Whole, and how long its first answer took. */
  readonly shown: Shown;
  readonly milliseconds: number;
  /** Until nothing of it was under way any more; null: nothing was. */
  readonly wholeMilliseconds: number | null;
};

/** Throws where a page says what is wrong with what was asked, or that something is not there. */
export async function lookAt(visitors: Visitors, of: ScreenCase, today: Day): Promise<Looked> {
  const startedAt = performance.now();
  const first = await lookOnce(visitors, of, today);
  let { shown } = first;
  const isUnderWay = () => shown.text.includes(UNDER_WAY);
  if (!isUnderWay()) return { ...first, wholeMilliseconds: null };
  while (isUnderWay()) {
    await pause(LOOK_AGAIN_MILLISECONDS);
    ({ shown } = await lookOnce(visitors, of, today));
  }
  return { ...first, shown, wholeMilliseconds: performance.now() - startedAt };
}

async function lookOnce(
  { operator, merchants, things }: Visitors,
  of: ScreenCase,
  today: Day,
): Promise<{ readonly shown: Shown; readonly milliseconds: number }> {
  const owner = of.owner ?? 'giant';
  const address = addressOf(of, things[owner], today);
  const visitor = of.by === 'operator' ? operator : merchants[owner];
  const form = of.look.form?.(things[owner]);
  const mark = form === undefined ? '' : await markOf(visitor, address);
  for (;;) {
    const startedAt = performance.now();
    const shown = await visitor.ask(address, form === undefined ? {} : { form: { mark, ...form } });
    const milliseconds = performance.now() - startedAt;
    if (shown.status === 429) {
      await pause(SLOW_DOWN_MILLISECONDS);
      continue;
    }
    const leads = shown.status === 303 && shown.headers.get('location')?.includes('sign-in') === false;
    if ((shown.status !== 200 && !leads) || shown.text.includes('role="alert"'))
      throw new Error(`${address} was answered with ${shown.status}: ${refusalIn(shown.text)}`);
    if (of.look.mustFind === true && shown.text.includes('class="empty"'))
      throw new Error(`${of.title}: nothing was found at ${address}`);
    return { shown, milliseconds };
  }
}

/** The words of a page's alert, or its first ones. */
function refusalIn(page: string): string {
  return wordsOf(page.split('role="alert"')[1] ?? page).slice(0, 300);
}
