import { Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import { named, orNull } from '../../platform/http/named.ts';
import { CARD_OF_PAGE_REQUEST } from '../../transactions/payers/card-contract.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';

// Buyers have no token, and only the operations API needs none.
const PAGE = { api: 'operations', scope: null, group: 'Cards' } as const;
const OF_KEY = {
  parameters: Type.Object({ pageKey: Type.String({ maxLength: 35, description: '`key` of the fields.' }) }),
};
const NONE = { description: 'A page that says that there are no such fields.', contentType: 'text/html' };

export const SHOW_FIELDS_SCRIPT = contract({
  ...PAGE,
  id: 'showCardFieldsScript',
  method: 'GET',
  path: '/fields.js',
  summary: 'Load the module that mounts card fields',
  description: 'Your page loads it from here, not from a copy.',
  answers: { 200: { description: 'The module.', contentType: 'text/javascript' } },
});

export const SHOW_FIELDS_PAGE = contract({
  ...PAGE,
  ...OF_KEY,
  id: 'showCardFields',
  method: 'GET',
  path: '/fields/{pageKey}',
  summary: 'Show card fields in a frame',
  description: 'Only on pages of the origins that the merchant has put.',
  answers: { 200: { description: 'The fields.', contentType: 'text/html' }, 404: NONE },
});

export const TAKE_CARD_OF_FIELDS = contract({
  ...PAGE,
  ...OF_KEY,
  id: 'takeCardOfFields',
  method: 'POST',
  path: '/fields/{pageKey}/card',
  summary: 'Make a token of the card in the fields',
  description: 'Called by the frame. Nothing is charged.',
  body: CARD_OF_PAGE_REQUEST,
  isExact: true,
  bodyExample: { encryptedCard: 'q83v'.repeat(128) },
  answers: {
    200: {
      description: 'What the frame hands to its page.',
      schema: named('CardOfFields', {
        status: Type.Enum(['made', 'declined']),
        message: orNull(Type.String()),
        numberToken: Type.Optional(Type.String()),
        brand: Type.Optional(Type.Enum([...CARD_BRANDS])),
        lastFour: Type.Optional(Type.String()),
        codeAntiFraud: Type.Optional(Type.String()),
      }),
      example: {
        status: 'made',
        message: null,
        numberToken: 'f0b1c7de-2f0e-4d35-9a57-6d1f2c3b4a59',
        brand: 'mastercard',
        lastFour: '0001',
        codeAntiFraud: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
      },
    },
    404: NONE,
  },
});
