import { Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import type { Language } from '../../platform/http/sentence.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import { TRIAL_AMOUNTS, TRIAL_CARD_LIST } from './trial-cards.ts';

export const LIST_TRIAL_CARDS = contract({
  id: 'listTrialCards',
  method: 'GET',
  path: '/homologation/trial-cards',
  api: 'either',
  scope: 'any',
  group: 'Homologation',
  summary: 'List numbers and amounts to try with',
  description:
    'Card numbers with a behaviour of their own, and endings of amounts that decide before the card does, as the tables of this reference have them: ' +
    'any security code and any month to come go with them.',
  homologationOnly: true,
  answers: {
    200: {
      description: 'Always the same.',
      schema: Type.Object({
        items: Type.Array(
          Type.Object({
            name: Type.String({ description: 'What the card is called here.' }),
            number: Type.String({ description: 'Digits of the card.' }),
            brand: Type.Enum([...CARD_BRANDS]),
            behaviour: Type.String({ description: 'What becomes of a charge.' }),
          }),
        ),
        amounts: Type.Array(
          Type.Object({
            endsIn: Type.String({ description: 'The last four digits of the amount in cents.' }),
            behaviour: Type.String({ description: 'What becomes of a charge.' }),
          }),
          { description: 'Endings that decide before the card does.' },
        ),
      }),
      example: writeTrialCards('pt', 1),
    },
  },
});

export function writeTrialCards(language: Language, most = Number.POSITIVE_INFINITY): object {
  return {
    items: TRIAL_CARD_LIST.slice(0, most).map(({ name, number, brand, about }) => ({
      name,
      number,
      brand,
      behaviour: about[language],
    })),
    amounts: TRIAL_AMOUNTS.slice(0, most).map(({ endsIn, about }) => ({
      endsIn,
      behaviour: about[language],
    })),
  };
}
