import { Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import { named, orNull } from '../../platform/http/named.ts';
import { CARD_OF_PAGE_REQUEST } from '../../transactions/payers/card-contract.ts';

const PAGE = {
  // In the operations API, because subscribers have no API access.
  api: 'operations',
  scope: null,
  group: 'Subscriptions',
  parameters: Type.Object({
    pageKey: Type.String({
      maxLength: 35,
      description: 'The last part of `url` of the page: nobody can guess it.',
    }),
  }),
} as const;

const NO_PAGE = { description: 'A page that says that there is no such page.', contentType: 'text/html' };

export const SHOW_SUBSCRIBER_PAGE = contract({
  ...PAGE,
  id: 'showSubscriberPage',
  method: 'GET',
  path: '/subscription/{pageKey}',
  summary: 'Show a subscription to its subscriber',
  description:
    'In Portuguese; needs no login. What is charged and when, the newest charges, and a form for another card, which the page encrypts in the browser.',
  answers: { 200: { description: 'The page.', contentType: 'text/html' }, 404: NO_PAGE },
});

const ANSWERS = {
  200: {
    description: 'What became of it.',
    schema: named('SubscriberPageChange', {
      status: Type.Enum(['changed', 'declined', 'unknown', 'notOpen'], {
        description:
          'changed: done; declined: the card was not taken; unknown: the acquirer gave no clear answer; notOpen: not possible there now. The card of before stays unless it is changed.',
      }),
      message: orNull(Type.String(), 'For the subscriber.'),
    }),
    example: { status: 'changed', message: null },
  },
  404: NO_PAGE,
} as const;

export const CHANGE_CARD_AT_PAGE = contract({
  ...PAGE,
  id: 'changeCardAtSubscriberPage',
  method: 'POST',
  path: '/subscription/{pageKey}/card',
  summary: 'Pay a subscription with another card, as its subscriber',
  description:
    'Called by the page. The card is verified without a charge where the acquirer does that, stored in the vault, and pays from the next charge on.',
  body: CARD_OF_PAGE_REQUEST,
  isExact: true,
  bodyExample: { encryptedCard: 'q83v'.repeat(128) },
  answers: ANSWERS,
});

export const CANCEL_AT_PAGE = contract({
  ...PAGE,
  id: 'cancelAtSubscriberPage',
  method: 'POST',
  path: '/subscription/{pageKey}/cancel',
  summary: 'Cancel a subscription, as its subscriber',
  description: 'Called by the page, where its merchant allows it.',
  answers: ANSWERS,
});
