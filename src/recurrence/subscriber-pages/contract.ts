import { Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import { named } from '../../platform/http/named.ts';
import { day } from '../../transactions/bill-contract.ts';
import { LIFE_TEXT } from '../../transactions/payers/page-life.ts';
import { inCell } from '../../values/cell.ts';
import { instant, saoPauloDay } from '../../values/instant.ts';
import type { SubscriberPage } from './subscriber-page.ts';

const OF_PAGES = {
  api: 'gateway',
  scope: 'recurrence',
  group: 'Subscriptions',
  path: '/v1/recurrences/subscriptions/{subscriptionId}/page',
  parameters: Type.Object({ subscriptionId: Type.String({ maxLength: 36 }) }),
} as const;

const MAY_CANCEL = 'Whether the subscriber may cancel there; default: not.';
const LAST_DAY = 'The last day on which it is shown.';

const PAGE_ANSWER = named('SubscriberPage', {
  url: Type.String({ description: 'The page: send it to the subscriber alone.' }),
  allowCancel: Type.Boolean({ description: MAY_CANCEL }),
  expirationDate: Type.String({ description: LAST_DAY }),
});

const PAGE_EXAMPLE = {
  url: 'https://gateway.example/subscription/3f1c0a5e7d9b4c2a8e6f0d1b2c3a4958',
  allowCancel: true,
  expirationDate: '2026-12-21',
};

export const PUT_PAGE = contract({
  ...OF_PAGES,
  id: 'putSubscriberPage',
  method: 'PUT',
  summary: 'Give a subscriber a page',
  description:
    'A page of ours where the subscriber sees what is charged and when, and gives another card: its number never reaches you. ' +
    'A subscription that its card blocked goes on with the new one. There is one page: while it lives its `url` stays, and ' +
    'this changes the rest. It shows no name, document or e-mail address of the subscriber.',
  body: named('SubscriberPageRequest', {
    allowCancel: Type.Optional(Type.Boolean({ description: MAY_CANCEL })),
    expirationDate: Type.Optional(day(`The last day on which it is shown, ${LIFE_TEXT}`)),
  }),
  bodyExample: { allowCancel: true },
  answers: { 200: { description: 'The page.', schema: PAGE_ANSWER, example: PAGE_EXAMPLE } },
});

export const GET_PAGE = contract({
  ...OF_PAGES,
  id: 'getSubscriberPage',
  method: 'GET',
  summary: 'Read the page of a subscriber',
  description: 'One whose last day is over is 404.',
  answers: { 200: { description: 'The page.', schema: PAGE_ANSWER, example: PAGE_EXAMPLE } },
});

export const REMOVE_PAGE = contract({
  ...OF_PAGES,
  id: 'removeSubscriberPage',
  method: 'DELETE',
  summary: 'End the page of a subscriber',
  description: 'Its address shows nothing any more. The subscription stays as it is.',
  answers: {
    200: {
      description: 'It is over.',
      schema: named('RemovedSubscriberPage', { id: Type.String({ description: 'Of the subscription.' }) }),
      example: { id: '0199c1f3-0b1c-7d22-8b4f-6e2a1d8c3b55' },
    },
  },
});

/** `origin` null: unknown, so only the path is given. */
export function writePage(page: SubscriberPage, origin: string | null, cell: string | null): object {
  return {
    url: `${origin ?? ''}/subscription/${inCell(cell, page.pageKey)}`,
    allowCancel: page.mayCancel,
    expirationDate: saoPauloDay(instant(page.expiresAt - 1)),
  };
}
