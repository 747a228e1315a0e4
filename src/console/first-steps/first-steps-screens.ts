import { MAY_TRY, type TestTools, tryForm } from '../homologation/test-tools.ts';
import { type Html, html } from '../parts/html.ts';
import { FIRST_STEPS, pathOf } from '../parts/paths.ts';
import { type Action, ALL_ROLES, type Screen, screen, type Visit } from '../parts/screen.ts';
import { shownRequests } from '../parts/shown-request.ts';
import { type Made, RESULTS, readMade } from './made-screens.ts';
import { STEPS, type Step } from './step-screens.ts';

export const FIRST_STEPS_SCREENS: readonly Screen<TestTools>[] = [
  screen<TestTools, Made>({
    path: FIRST_STEPS,
    roles: ALL_ROLES,
    of: 'merchant',
    title: 'First steps',
    place: 5,
    homologationOnly: true,
    refreshSeconds: 3,
    read: readMade,
    view: (
      made,
      visit,
    ) => html`<p>${visit.wording.say('Six steps, by the requests of the API that stand below each. Nothing here reaches a real card; what happened appears below each step by itself.')}</p>
<ol class="steps">${STEPS.map((step, index) => html`<li id="step-${step.name}">${stepShown(step, index, made, visit)}</li>\n`)}</ol>`,
  }),
];

function stepShown(step: Step, number: number, made: Made, visit: Visit): Html {
  const { say } = visit.wording;
  const action = `${pathOf(FIRST_STEPS, { merchantId: visit.merchantId })}/${step.name}`;
  const fields = step.fields?.(visit) ?? [];
  return html`<h2>${say(step.title)}</h2><p>${say(step.about)}</p>${tryForm(visit, { action, title: say(step.title), fields, number, isMain: true })}
<div class="result">${RESULTS[step.name]?.(made, visit)}</div>
<details class="request"><summary>${say('The request')}</summary>${shownRequests(step.requests)}</details>`;
}

export const FIRST_STEPS_ACTIONS: readonly Action<TestTools>[] = STEPS.map((step) => ({
  ...MAY_TRY,
  path: `${FIRST_STEPS}/${step.name}`,
  title: step.title,
  homologationOnly: true,
  operation: `firstSteps.${step.name}`,
  perform: (visit, form, tools) => step.take(visit, tools, form),
  done: step.done,
  next: ({ merchantId }) => pathOf(FIRST_STEPS, { merchantId }),
}));
