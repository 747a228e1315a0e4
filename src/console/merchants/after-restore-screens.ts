import type { HeldByRestore } from '../../recurrence/billings/billings.sql.ts';
import { type Day, instant, saoPauloDay } from '../../values/instant.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import { type Html, html } from '../parts/html.ts';
import { actionForm, emptyState, facts, link } from '../parts/page-parts.ts';
import { AFTER_RESTORE, MERCHANTS, PLANS, pathOf, SUBSCRIPTIONS, withQuery } from '../parts/paths.ts';
import {
  type Action,
  ALL_ROLES,
  type Asked,
  type Form,
  type Moved,
  OPERATION_DONE,
  operationRefused,
  type Screen,
  screen,
  type Visit,
} from '../parts/screen.ts';

import { MAY_CHANGE } from './merchant-actions.ts';

type Of = keyof typeof AFTER_RESTORE;
type Found = HeldByRestore & { readonly until: Day };

const ofPage = ({ merchantId }: Visit) => (merchantId === '' ? null : merchantId);
const today = ({ now }: Visit) => saoPauloDay(instant(now));

function afterRestoreScreen(of: Of): Screen<ConsoleTools> {
  return screen<ConsoleTools, Found>({
    path: AFTER_RESTORE[of],
    roles: ALL_ROLES,
    of,
    title: 'After a restore',
    isOffered: (merchantId, { isHeldByRestore }) => isHeldByRestore(of === 'operator' ? null : merchantId),
    async read(visit, { sumHeldByRestore }) {
      const until = today(visit);
      return { ...(await sumHeldByRestore(ofPage(visit), until)), until };
    },
    view: (found, visit) => afterRestorePage(of, found, visit),
  });
}

export const AFTER_RESTORE_SCREENS: readonly Screen<ConsoleTools>[] = [
  afterRestoreScreen('operator'),
  afterRestoreScreen('merchant'),
];

const UNDONE =
  'The database was restored. What was canceled or changed in the hours that it lost is as it was before: canceled subscriptions, plans and billings are alive again, and a card that was replaced is charged again.';
const LOOK = 'Look through them, and cancel or change again what was canceled or changed. Then release.';

function afterRestorePage(of: Of, { merchants, count, amount, until }: Found, visit: Visit): Html {
  const { say, money, count: number, day } = visit.wording;
  if (merchants === 0)
    return emptyState(say('The restore holds no billings.'), say('What is due is charged on its day.'));
  const { merchantId } = visit;
  const links =
    of === 'operator'
      ? link(withQuery(pathOf(MERCHANTS), { standing: 'billingsHeld' }), say('Merchants with billings held'))
      : html`${link(pathOf(SUBSCRIPTIONS, { merchantId }), say('Subscriptions'))} ${link(pathOf(PLANS, { merchantId }), say('Plans'))}`;
  return html`<p>${say(UNDONE)}</p>
<p>${say(LOOK)}</p>
<p class="links">${links}</p>
${facts([
  ...(of === 'operator' ? [[say('Merchants held'), number(merchants)] as const] : []),
  [say('Billings due until {day}', { day: day(until) }), number(count)],
  [say('Amount'), money(amount)],
])}
${actionForm(visit, RELEASES[of], { about: say('What is due is charged, the oldest first.'), isGrave: true })}`;
}

/**
 * What a release moves. A merchant's administrator knows what was canceled, and may release the merchant's
 * billings alone. If there is a limit for one person, a user of the operator always needs a second one.
 */
async function released(
  visit: Visit,
  _form: Form,
  { sumHeldByRestore }: ConsoleTools,
): Promise<Asked<Moved>> {
  // A request made before midnight and approved after it counts as changed, because the sum is up to today.
  const day = today(visit);
  const { merchants, count, amount } = await sumHeldByRestore(ofPage(visit), day);
  if (merchants === 0) return operationRefused(409, visit.wording.say(NOT_HELD));
  const counted = visit.user.merchantId === null ? Number.POSITIVE_INFINITY : 0;
  const standing = `${merchants} ${count} ${day}`;
  return { ok: true, status: 200, body: { amount, counted, standing, fields: {} } };
}

const NOT_HELD = 'The restore holds no billings.';

function release(of: Of): Action<ConsoleTools> {
  return {
    roles: MAY_CHANGE.roles,
    of,
    path: `${AFTER_RESTORE[of]}/release`,
    title: 'Release billings',
    operation: 'billing.release',
    moves: released,
    async perform(visit, { reason = '' }, { releaseRestored }) {
      const merchantId = ofPage(visit);
      const done = await releaseRestored(visit, merchantId === null ? null : [merchantId], reason);
      return 'unheld' in done || done.released === 0
        ? operationRefused(409, visit.wording.say(NOT_HELD))
        : OPERATION_DONE;
    },
    done: 'Its billings are held no longer.',
    next: (visit) => pathOf(AFTER_RESTORE[of], { merchantId: visit.merchantId }),
  };
}

const RELEASES = { operator: release('operator'), merchant: release('merchant') } as const;

export const AFTER_RESTORE_ACTIONS: readonly Action<ConsoleTools>[] = Object.values(RELEASES);
