import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { type GET_PAGE, PUT_PAGE, REMOVE_PAGE } from '../../recurrence/subscriber-pages/contract.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { actionForm, facts, pageAddress } from '../parts/page-parts.ts';
import { SUBSCRIPTION, subscriptionPath } from '../parts/paths.ts';
import type { Action, Form, Visit } from '../parts/screen.ts';

type SubscriberPage = AnswerOf<typeof GET_PAGE>;

/**
 * The part of a subscription's page about the page for its subscriber. That page's address is as good as a
 * key: only users who may change the subscription see it.
 */
export function pagePart(page: SubscriberPage | null, visit: Visit): Html {
  const { say, day } = visit.wording;
  const { subscriptionId = '' } = visit.parameters;
  const values = { subscriptionId };
  const form = openForm(visit, page);
  if (page === null) return html`<p>${say('There is none.')}</p>${form}`;
  const shown = facts([
    [say('Address of the page'), pageAddress(page.url, visit)],
    [say('Shown until'), day(page.expirationDate)],
  ]);
  return html`${shown}${form}${actionForm(visit, CLOSE_PAGE, { values, about: say('Its address shows nothing any more.'), isGrave: true })}`;
}

function openForm(visit: Visit, page: SubscriberPage | null, typed?: Form): Shown {
  const { say } = visit.wording;
  return actionForm(visit, OPEN_PAGE, {
    typed,
    values: { subscriptionId: visit.parameters.subscriptionId ?? '' },
    about: say(
      'There the subscriber sees what is charged and when, and gives another card. Send him its address.',
    ),
    fields: [
      {
        name: 'allowCancel',
        label: say('The subscriber may cancel there'),
        choices: [
          ['no', say('No')],
          ['yes', say('Yes')],
        ],
        value: page?.allowCancel === true ? 'yes' : 'no',
      },
      {
        name: 'expirationDate',
        label: say('Shown until'),
        type: 'date',
        ...(page && { value: page.expirationDate }),
      },
    ],
  });
}

const next: Action['next'] = ({ merchantId, parameters: { subscriptionId = '' } }) =>
  subscriptionPath(merchantId, subscriptionId);

export const OPEN_PAGE: Action = {
  roles: ['support', 'finance', 'admin'],
  of: 'merchant',
  contract: PUT_PAGE,
  path: `${SUBSCRIPTION}/page`,
  title: 'Open the page',
  asks: ({ parameters: { subscriptionId = '' } }, { allowCancel, expirationDate }) => ({
    parameters: { subscriptionId },
    body: { allowCancel: allowCancel === 'yes', ...(expirationDate && { expirationDate }) },
  }),
  again: (visit, typed) => openForm(visit, null, typed),
  done: 'The page can be shown.',
  next,
};

export const CLOSE_PAGE: Action = {
  roles: ['support', 'finance', 'admin'],
  of: 'merchant',
  contract: REMOVE_PAGE,
  path: `${SUBSCRIPTION}/page/end`,
  title: 'End the page',
  asks: ({ parameters: { subscriptionId = '' } }) => ({ parameters: { subscriptionId } }),
  done: 'The page shows nothing any more.',
  next,
};
