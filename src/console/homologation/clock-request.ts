import { instant, saoPauloText } from '../../values/instant.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { pathOf, TEST_CLOCK } from '../parts/paths.ts';
import { type ShownRequest, shownRequests, type Visit } from '../parts/screen.ts';

import { tryForm } from './test-tools.ts';

export const ADVANCE = 'advanceTestClock';
const CLOCK_PATH = '/homologation/clock';
/** Everything of the day has happened by then. */
const EVENING = 'T23:59:00';
const MARGIN_MILLISECONDS = 1_000;

export function goalOf(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}${EVENING}` : text;
}

/** Returns a moment just after one that the API shows with its offset. */
export function justAfter(moment: string): string {
  return saoPauloText(instant(Date.parse(moment) + MARGIN_MILLISECONDS));
}

export const moveRequest = (
  body: { readonly advanceDays: number } | { readonly to: string },
): ShownRequest => ({
  contract: { method: 'POST', path: CLOCK_PATH },
  body,
});

export function moveForm(
  visit: Visit,
  wanted: { readonly to: string; readonly title: string; readonly number?: number },
): Shown {
  const { title, number = 0 } = wanted;
  const action = `${pathOf(TEST_CLOCK, { merchantId: visit.merchantId })}/clock`;
  return tryForm(visit, { action, title, hidden: { to: goalOf(wanted.to) }, number });
}

export function moveFormShown(visit: Visit, wanted: { readonly to: string; readonly title: string }): Html {
  return html`${moveForm(visit, wanted)}${shownRequests([moveRequest({ to: goalOf(wanted.to) })])}`;
}
