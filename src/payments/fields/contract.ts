import { Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { named } from '../../platform/http/named.ts';
import { conflict, type RefusalShape, refusal, refusedAnswer } from '../../platform/http/refusal.ts';
import { NO_WEB_ORIGIN } from '../../platform/requests/formats.ts';
import { inCell } from '../../values/cell.ts';
import { type CardFields, LONGEST_ORIGIN, MOST_ORIGINS, type OriginFault } from './card-fields.ts';

const OF_FIELDS = { api: 'gateway', scope: 'gateway', group: 'Cards', path: '/v1/cards/fields' } as const;

const ORIGINS = Type.Array(Type.String({ minLength: 1, maxLength: LONGEST_ORIGIN, format: 'webOrigin' }), {
  maxItems: MOST_ORIGINS,
  description: 'Of your pages, such as `https://loja.com.br`: they alone may hold the fields. None: nobody.',
});

const FIELDS_ANSWER = named('CardFields', {
  key: Type.String({ description: 'For `mountFields`. It is public.' }),
  script: Type.String({ description: 'The module that your page loads.' }),
  origins: ORIGINS,
});

const EXAMPLE = {
  key: '3f1c0a5e7d9b4c2a8e6f0d1b2c3a4958',
  script: 'https://gateway.example/fields.js',
  origins: ['https://loja.com.br'],
};

const ANSWER = { description: 'As they are.', schema: FIELDS_ANSWER, example: EXAMPLE };

export const ORIGIN_FAULTS = {
  notOrigin: refusal(400, 'origins', NO_WEB_ORIGIN),
  notSecure: refusal(400, 'origins', {
    pt: 'Em produção as páginas com campos de cartão usam https.',
    en: 'In production pages with card fields use https.',
  }),
  ours: refusal(400, 'origins', {
    pt: 'Esta é a origem da Parcela: uma página dela leria o cartão.',
    en: "This is Parcela's own origin: a page of it could read the card.",
  }),
  oursUnknown: conflict({
    pt: 'O operador ainda não informou a origem das páginas da Parcela (PARCELA_PAGES_ORIGIN). Sem ela, os campos de cartão não podem ser usados.',
    en: "The operator has not named the origin of Parcela's pages (PARCELA_PAGES_ORIGIN): without it card fields cannot be used.",
  }),
} as const satisfies Record<OriginFault, RefusalShape>;

export const PUT_FIELDS = contract({
  ...OF_FIELDS,
  id: 'putCardFields',
  method: 'PUT',
  summary: 'Say where card fields may stand',
  description:
    'Fields of ours on your own page, in a frame that it cannot read. `key` stays; `origins` are replaced.',
  body: named('CardFieldsRequest', { origins: ORIGINS }),
  bodyExample: { origins: EXAMPLE.origins },
  answers: {
    200: ANSWER,
    409: refusedAnswer('The operator has not named the origin of our pages.', ORIGIN_FAULTS.oursUnknown),
  },
});

export const GET_FIELDS = contract({
  ...OF_FIELDS,
  id: 'getCardFields',
  method: 'GET',
  summary: 'Read where card fields may stand',
  description: 'As they are.',
  answers: { 200: ANSWER, 404: refusedAnswer('You have put none.', FAILURES.unknownPath) },
});

/** `origin` null: unknown, so only the path is given. */
export function writeFields(
  { pageKey, origins }: CardFields,
  origin: string | null,
  cell: string | null,
): object {
  return { key: inCell(cell, pageKey), script: `${origin ?? ''}/fields.js`, origins };
}
