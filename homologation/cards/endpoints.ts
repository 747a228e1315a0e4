import { Type } from 'typebox';
import amounts from '../../simulators/kit/cards/trigger-amounts.json' with { type: 'json' };
import triggerCards from '../../simulators/kit/cards/trigger-cards.json' with { type: 'json' };
import { contract, type Endpoint, endpoint } from '../../src/platform/http/endpoint.ts';
import { named } from '../../src/platform/http/named.ts';
import type { Language, Sentence } from '../../src/platform/http/sentence.ts';
import { TRIAL_CARDS } from '../../src/transactions/methods/card/network-limits.ts';
import { CARD_BRANDS, type CardBrand } from '../../src/values/card-number.ts';
import { behaviourOf, FAULT_TEXTS, textOf, trialNumbers } from '../trials.ts';

export type TrialCard = {
  readonly name: string;
  readonly number: string;
  readonly brand: CardBrand;
  readonly about: Sentence;
};

/** One of each brand without trigger or limit. */
const APPROVED_NUMBERS: Readonly<Record<CardBrand, string>> = {
  visa: '4111111111111111',
  mastercard: '5155901222280001',
  amex: '378282246310005',
  elo: '6362970000457013',
  hipercard: '6062825624254001',
};

const APPROVED: Sentence = {
  pt: 'aprovado, a não ser que o valor decida',
  en: 'approved, unless the amount decides',
};

const AT_ITS_LIMIT: Sentence = {
  pt: 'vale o limite da bandeira: recusado vezes demais, o próximo pedido recebe 402 sem ir ao emissor',
  en: "the network's limit holds: declined too often, the next request gets 402 without going to the issuer",
};

const brandOf = (name: string): CardBrand => {
  const brand = CARD_BRANDS.find((known) => known === name);
  if (brand === undefined) throw new Error(`no brand is called ${name}`);
  return brand;
};

const TRIAL_CARD_LIST: readonly TrialCard[] = [
  ...CARD_BRANDS.map((brand) => ({
    name: `${brand}-approved`,
    number: APPROVED_NUMBERS[brand],
    brand,
    about: APPROVED,
  })),
  ...triggerCards.map((card) => ({
    name: card.name,
    number: card.number,
    brand: brandOf(card.brand),
    about: behaviourOf(card),
  })),
  ...Object.entries(TRIAL_CARDS).flatMap(([brand, digits]) =>
    trialNumbers(digits).map((number, index) => ({
      name: `${brand}-limit-${index + 1}`,
      number,
      brand: brandOf(brand),
      about: AT_ITS_LIMIT,
    })),
  ),
];

export type TrialAmount = { readonly endsIn: string; readonly about: Sentence };

const DECLINES: readonly TrialAmount[] = [
  { endsIn: '1051', about: { pt: 'recusado: saldo insuficiente', en: 'declined: insufficient funds' } },
  { endsIn: '1054', about: { pt: 'recusado: cartão vencido', en: 'declined: the card has expired' } },
  { endsIn: '1041', about: { pt: 'recusado: cartão perdido', en: 'declined: the card is lost' } },
  { endsIn: '1005', about: { pt: 'recusado sem razão dada', en: 'declined without a reason' } },
];

/** Endings of an amount in cents that decide before the card. */
const TRIAL_AMOUNTS: readonly TrialAmount[] = [
  ...DECLINES,
  ...Object.entries(amounts.faults).map(([endsIn, fault]) => ({
    endsIn,
    about: textOf(FAULT_TEXTS, fault),
  })),
];

const LIST_TRIAL_CARDS = contract({
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
      schema: named('TrialCardList', {
        items: Type.Array(
          named('TrialCard', {
            name: Type.String({ description: 'What the card is called here.' }),
            number: Type.String({ description: 'Digits of the card.' }),
            brand: Type.Enum([...CARD_BRANDS]),
            behaviour: Type.String({ description: 'What becomes of a charge.' }),
          }),
        ),
        amounts: Type.Array(
          named('TrialAmount', {
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

function writeTrialCards(language: Language, most = Number.POSITIVE_INFINITY): object {
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

export const TRIAL_CARD_ENDPOINTS: readonly Endpoint<object>[] = [
  endpoint(LIST_TRIAL_CARDS, async (_tools: object, call) => ({
    status: 200,
    body: writeTrialCards(call.language),
  })),
];
