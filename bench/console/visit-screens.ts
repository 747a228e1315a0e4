import { setTimeout as pause } from 'node:timers/promises';
import type { Day } from '../../src/values/instant.ts';
import { hiddenFields, type Shown, type Visitor } from '../../test/console/visitor.ts';
import { percentile } from '../table.ts';
import type { Visitors } from './enter-console.ts';
import { addressOf, type ScreenCase } from './screen-cases.ts';
import type { StatementCost, StatementCosts } from './statement-costs.ts';

const ASKED = 20;
/** The statements are prepared, and what is asked for is in the memory of the machine. */
const WARM_UP = 2;
const SLOW_DOWN_MILLISECONDS = 1_000;

export type VisitedScreen = {
  readonly of: ScreenCase;
  readonly p50: number;
  readonly p99: number;
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
  for (let asked = 0; asked < WARM_UP; asked += 1) await lookAt(visitors, of, today);
  await costs.forget();
  const times: number[] = [];
  let kilobytes = 0;
  for (let asked = 0; asked < ASKED; asked += 1) {
    const { shown, milliseconds } = await lookAt(visitors, of, today);
    times.push(milliseconds);
    kilobytes = Buffer.byteLength(shown.text) / 1_024;
  }
  times.sort((one, other) => one - other);
  // What works in the background is asked less often.
  const counted = (await costs.read()).filter(({ calls }) => calls >= ASKED);
  return {
    of,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
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

/** Throws where a page says what is wrong with what was asked, or that something is not there. */
export async function lookAt(
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
      throw new Error(`${address} was answered with ${shown.status}:\n${shown.text.slice(0, 20_000)}`);
    if (of.look.mustFind === true && shown.text.includes('class="empty"'))
      throw new Error(`${of.title}: nothing was found at ${address}`);
    return { shown, milliseconds };
  }
}
