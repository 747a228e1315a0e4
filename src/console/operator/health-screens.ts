import { instant, saoPauloDay } from '../../values/instant.ts';
import { type Html, html } from '../parts/html.ts';
import { emptyState, figure, moment, section, table } from '../parts/page-parts.ts';
import { ALL_ROLES, type Screen, screen } from '../parts/screen.ts';
import type { Wording } from '../parts/wording.ts';
import type { Health } from './health.ts';

export type HealthTools = { readonly findHealth: () => Promise<Health> };

/** A charge that is unknown for longer than this is looked at by a person. */
const LONG_UNRESOLVED_SECONDS = 15 * 60;
const REFRESH_SECONDS = 10;

const KINDS = {
  charge: 'Charges',
  cancel: 'Cancels',
  capture: 'Captures',
  boleto: 'Boletos',
} as const;

export const HEALTH_SCREENS: readonly Screen<HealthTools>[] = [
  screen<HealthTools, Health>({
    path: '/health',
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Health',
    place: 1,
    refreshSeconds: REFRESH_SECONDS,
    read: (_visit, { findHealth }) => findHealth(),
    view: (health, { wording }) => html`${held(health, wording)}
<dl class="figures">${figures(health, wording)}</dl>
${section(wording.say('Unresolved'), unresolvedTable(health, wording))}
${section(wording.say('Open exceptions of reconciliation'), exceptions(health, wording))}
<p class="note">${wording.say('Read at')} ${moment(wording, health.readAt)}</p>`,
  }),
];

function held({ heldBecause }: Health, { say }: Wording): Html {
  if (heldBecause === null) return html``;
  return html`<p class="message bad">${say('Nothing is charged, resolved or sent now: {reason}', { reason: heldBecause })}</p>`;
}

function figures(health: Health, { say, count, duration }: Wording): Html[] {
  const { deliveries, oldestDueOn, merchants } = health;
  const unresolved = health.unresolved.reduce((sum, one) => sum + one.count, 0);
  const oldest = Math.max(...health.unresolved.map((one) => one.oldestAge));
  const today = saoPauloDay(instant(health.readAt));
  const isLate = oldestDueOn !== null && oldestDueOn < today;
  const exceptions = health.exceptions.reduce((sum, one) => sum + one.count, 0);
  return [
    figure(
      say('Unresolved'),
      count(unresolved),
      unresolved === 0 ? 'good' : oldest > LONG_UNRESOLVED_SECONDS ? 'bad' : 'wait',
      unresolved === 0
        ? say('Every outcome is known')
        : say('the oldest for {time}', { time: duration(oldest) }),
    ),
    figure(
      say('Oldest billing to charge'),
      oldestDueOn ?? '–',
      isLate ? 'bad' : 'good',
      oldestDueOn === null ? say('none waits') : isLate ? say('behind its day') : say('on time'),
    ),
    figure(
      say('Notifications waiting'),
      count(deliveries.waiting),
      deliveries.endpoints.held > 0 ? 'bad' : deliveries.endpoints.open > 0 ? 'wait' : 'good',
      say('{working} endpoints work, {open} fail, {held} are held', {
        working: count(deliveries.endpoints.working),
        open: count(deliveries.endpoints.open),
        held: count(deliveries.endpoints.held),
      }),
    ),
    figure(
      say('Open exceptions'),
      count(exceptions),
      exceptions === 0 ? 'good' : 'wait',
      say('between files and what was expected'),
    ),
    figure(
      say('Merchants'),
      count(merchants.inAll),
      merchants.disabled + merchants.billingsHeld > 0 ? 'wait' : 'good',
      say('{disabled} locked out, {held} with billings held', {
        disabled: count(merchants.disabled),
        held: count(merchants.billingsHeld),
      }),
    ),
  ];
}

function unresolvedTable({ unresolved }: Health, { say, count, duration }: Wording): Html {
  if (unresolved.every((one) => one.count === 0))
    return emptyState(
      say('Every outcome is known.'),
      say('What the acquirer or the bank does not answer appears here, and is asked for until it is known.'),
    );
  return table(
    say('Unresolved'),
    [
      { title: say('Kind') },
      { title: say('How many'), isNumber: true },
      { title: say('Oldest') },
      { title: say('Most tries'), isNumber: true },
    ],
    unresolved.map((one) => [
      say(KINDS[one.kind]),
      count(one.count),
      one.count === 0 ? '–' : duration(one.oldestAge),
      count(one.mostTries),
    ]),
  );
}

function exceptions({ exceptions: open }: Health, { say, count, duration, money }: Wording): Html {
  if (open.length === 0)
    return emptyState(
      say('No exception is open.'),
      say('Where a file of the acquirer differs from what was expected, it stands here.'),
    );
  return table(
    say('Open exceptions of reconciliation'),
    [
      { title: say('Class') },
      { title: say('How many'), isNumber: true },
      { title: say('Money'), isNumber: true },
      { title: say('Oldest') },
    ],
    open.map((one) => [one.class, count(one.count), money(one.cents), duration(one.oldestAge)]),
  );
}
