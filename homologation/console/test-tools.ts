import type { TestTools } from '../../src/console/parts/homologation-pages.ts';
import { type Html, html, type Shown } from '../../src/console/parts/html.ts';
import { type Field, field, link } from '../../src/console/parts/page-parts.ts';
import {
  FIRST_STEPS,
  pathOf,
  TEST_ACQUIRER,
  TEST_CLOCK,
  TRIAL_CARDS,
} from '../../src/console/parts/paths.ts';
import {
  type Asked,
  type Given,
  mayUse,
  onceKeyOf,
  operationRefused,
  type Visit,
} from '../../src/console/parts/screen.ts';

import type { Role } from '../../src/console/parts/user.ts';

/** No real money moves here. */
export const MAY_TRY: { readonly roles: readonly Role[]; readonly of: 'merchant' } = {
  roles: ['support', 'finance', 'operator', 'admin'],
  of: 'merchant',
};

/** Only homologation loads these contracts. */
export async function askHomologation(
  { ask, wording }: Visit,
  { contractOf }: Pick<TestTools, 'contractOf'>,
  id: string,
  given: Given,
): Promise<Asked<unknown>> {
  const contract = contractOf(id);
  if (contract === null) return operationRefused(409, wording.say('There is nothing to try with here.'));
  return ask(contract, given);
}

export function toolLinks({ merchantId, wording: { say } }: Visit): Html {
  const to = (pattern: string, text: string) => html`${link(pathOf(pattern, { merchantId }), text)}\n`;
  return html`<p class="links">${to(TEST_CLOCK, say('Test clock'))}${to(TRIAL_CARDS, say('Trial cards'))}${to(TEST_ACQUIRER, say('Answers of the acquirer'))}${to(FIRST_STEPS, say('First steps'))}</p>`;
}

export type TryForm = {
  readonly action: string;
  readonly title: string;
  readonly fields?: readonly Field[];
  readonly hidden?: Readonly<Record<string, string>>;
  /** Tells several forms of a page with one path apart. */
  readonly number?: number;
  readonly isMain?: boolean;
};

/** Asks for no reason, because it changes only simulated data. */
export function tryForm(visit: Visit, wanted: TryForm): Shown {
  if (!mayUse(MAY_TRY, visit.user)) return '';
  const { action, title, fields = [], hidden = {}, number = 0, isMain = false } = wanted;
  const { wording, formMark } = visit;
  const sent = { mark: formMark, once: onceKeyOf(visit, number), reason: wording.say('Trial'), ...hidden };
  const idOf = (name: string) => `${action.split('/').slice(-2).join('-')}-${number}-${name}`;
  return html`<form class="try" method="post" action="${action}">${Object.entries(sent).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${fields.map((one) => field(one, idOf(one.name)))}<button type="submit"${isMain && html` class="main"`}>${title}</button></form>`;
}

export function happenBox({ user, wording: { say } }: Visit, body: Shown): Shown {
  if (!mayUse(MAY_TRY, user)) return '';
  return html`<details class="action"><summary>${say('Make something happen')}</summary>
${body}
</details>`;
}
