import { type Static, Type } from 'typebox';
import { contract, type Fault, type Sound } from '../../platform/http/endpoint.ts';
import { type RefusalShape, refusal, refusedAnswer } from '../../platform/http/refusal.ts';
import { REQUIRED } from '../../platform/http/schema-faults.ts';
import type { Language, Sentence } from '../../platform/http/sentence.ts';
import { pageAnswer, pageQuery, readPage } from '../../platform/pages.ts';
import { DECLINE_ANSWER } from '../../providers/acquirers/endpoints.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import type { NamedCard } from '../card.ts';
import { VAULT_REFUSALS } from './refusals.ts';
import type { ShownCard, VaultCardStatus, WantedCards } from './vault-card.ts';

export { writeDecline, writeRetryLimit } from '../../providers/acquirers/endpoints.ts';

import { both, has, lacks, when } from '../../platform/http/checked.ts';
import { named } from '../../platform/http/named.ts';

const OF_CARD = ['cardholderName', 'expirationMonth', 'expirationYear'];

const STORE_REQUEST = named(
  'VaultCardRequest',
  {
    numberToken: Type.Optional(
      Type.String({
        maxLength: 128,
        mayHoldCard: true,
        reads: 'smallLetters',
        description: 'This or encryptedCard, exactly one; needs name and expiry beside it.',
      }),
    ),
    encryptedCard: Type.Optional(
      Type.String({
        maxLength: 2_048,
        mayHoldCard: true,
        description: 'Base64 in one line; see the public key.',
      }),
    ),
    brand: Type.Optional(Type.Enum([...CARD_BRANDS])),
    cardholderName: Type.Optional(
      Type.String({
        maxLength: 30,
        format: 'visibleText',
        description: 'Required, unless the encrypted card holds it.',
      }),
    ),
    expirationMonth: Type.Optional(Type.String({ maxLength: 2, format: 'month' })),
    expirationYear: Type.Optional(Type.String({ maxLength: 2, format: 'twoDigits' })),
    verifyCard: Type.Optional(
      Type.Boolean({ description: 'Ask the issuer first whether the card is good; nothing is charged.' }),
    ),
    securityCode: Type.Optional(
      Type.String({ maxLength: 4, format: 'securityCode', description: 'For the check only; never kept.' }),
    ),
  },
  {
    checked: when(has('numberToken'), both(lacks('encryptedCard'), has(...OF_CARD)), has('encryptedCard')),
  },
);
type StoreRequest = Static<typeof STORE_REQUEST>;

export const VAULT_FAULTS = {
  oneCardSource: refusal(400, 'numberToken', {
    pt: 'Informe exatamente um entre numberToken e encryptedCard.',
    en: 'Give exactly one of numberToken and encryptedCard.',
  }),
} as const satisfies Record<string, RefusalShape>;

/** Fields that a card lacks. The body may be malformed: the schema reports wrong types. */
function checkCard(body: unknown): Fault[] {
  if (typeof body !== 'object' || body === null) return [];
  const fields = body as Record<string, unknown>;
  const { numberToken, encryptedCard } = fields;
  const isOne = (numberToken === undefined) !== (encryptedCard === undefined);
  // An encrypted card may hold these fields. A body without any card gets the faults of one with a token.
  const needsAll = numberToken !== undefined || encryptedCard === undefined;
  const needed = needsAll ? OF_CARD : [];
  const missing = needed
    .filter((field) => fields[field] === undefined)
    .map((field) => ({ tag: field, sentence: REQUIRED }));
  return isOne ? missing : [{ ...VAULT_FAULTS.oneCardSource, concerns: ['encryptedCard'] }, ...missing];
}

const EXAMPLE_ID = '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44';
const ID_ANSWER = {
  schema: named('VaultCardId', { vaultId: Type.String() }),
  example: { vaultId: EXAMPLE_ID },
};

/** A sentence behind the refusal of another copy. */
const firstCopy = (vaultId: string): Sentence => ({
  pt: `O primeiro tem o vaultId ${vaultId}.`,
  en: `The first one has the vaultId ${vaultId}.`,
});

export function writeTooManyCopies(
  { tag, sentence }: RefusalShape,
  firstVaultId: string | null,
  language: Language,
): object[] {
  if (firstVaultId === null) return [{ tag, description: sentence[language] }];
  const description = `${sentence[language]} ${firstCopy(firstVaultId)[language]}`;
  return [{ tag, description, vaultId: firstVaultId }];
}

export const STORE_VAULT_CARD = contract({
  id: 'storeVaultCard',
  method: 'POST',
  path: '/v1/vaults/cards',
  api: 'gateway',
  scope: 'gateway',
  group: 'Card vault',
  summary: 'Store a card',
  description:
    'Keeps a card to be charged again, and uses its token or encrypted card up. With verifyCard nothing is kept unless ' +
    'the issuer says that the card is good; while it is asked, the same Idempotency-Key answers 409, and a decline or no ' +
    'answer of the issuer leaves the key free. An error answer means that nothing was stored, save 409 and 422 about the ' +
    'key; after no answer (a lost connection) ask with a new token and the same key. One card can be stored only so many times ' +
    '(20, unless the operator says otherwise), and the refusal names the vaultId that was stored first: store it once and charge it by that.',
  isRepeatable: true,
  body: STORE_REQUEST,
  bodyExample: {
    numberToken: 'f0b1c7de-2f0e-4d35-9a57-6d1f2c3b4a59',
    brand: 'mastercard',
    cardholderName: 'ANA SOUZA',
    expirationMonth: '12',
    expirationYear: '30',
    verifyCard: true,
    securityCode: '123',
  },
  check: checkCard,
  answers: {
    200: {
      links: { getVaultCard: { vaultId: '/vaultId' }, deleteVaultCard: { vaultId: '/vaultId' } },
      description: 'Stored.',
      ...ID_ANSWER,
    },
    402: {
      ...DECLINE_ANSWER,
      description:
        'The issuer does not find the card good; nothing was stored. The tag is its code, or, when nobody was asked, `antifraud` ' +
        '(too many tries of this card or merchant) or `retryLimit` (the card was declined before, and its network would fine ' +
        'or forbid another try).',
    },
    409: {
      description: 'The card is stored as often as it may be; card token and key are free.',
      schema: Type.Array(
        named('VaultCardProblem', {
          tag: Type.String(),
          description: Type.String(),
          vaultId: Type.Optional(Type.String({ description: 'Of the copy that was stored first.' })),
        }),
      ),
      example: [
        {
          tag: '__general__',
          description:
            'Este cartão já está guardado no cofre tantas vezes quantas são permitidas. Nada foi guardado. Use um vaultId que ' +
            `já existe, ou remova um deles com DELETE /v1/vaults/cards/{vaultId}. ${firstCopy(EXAMPLE_ID).pt}`,
          vaultId: EXAMPLE_ID,
        },
      ],
    },
  },
});

const CARD_ANSWER = {
  schema: named('VaultCard', {
    vaultId: Type.String(),
    brand: Type.String(),
    firstSixDigits: Type.String(),
    lastFourDigits: Type.String(),
    expirationMonth: Type.String(),
    expirationYear: Type.String(),
    cardholderName: Type.String(),
    status: Type.String(),
  }),
  example: {
    vaultId: EXAMPLE_ID,
    brand: 'mastercard',
    firstSixDigits: '515590',
    lastFourDigits: '0001',
    expirationMonth: '12',
    expirationYear: '30',
    cardholderName: 'ANA SOUZA',
    status: 'Active',
  },
};

const VAULT_ID = Type.Object({ vaultId: Type.String({ maxLength: 36 }) });

export const GET_VAULT_CARD = contract({
  id: 'getVaultCard',
  method: 'GET',
  path: '/v1/vaults/cards/{vaultId}',
  api: 'gateway',
  scope: 'gateway',
  group: 'Card vault',
  summary: 'Read a stored card',
  description: 'status: Active or Expired; others may come. The number itself is never given back.',
  parameters: VAULT_ID,
  answers: {
    200: { description: 'The card as it may be shown.', ...CARD_ANSWER },
  },
});

export const DELETE_VAULT_CARD = contract({
  id: 'deleteVaultCard',
  method: 'DELETE',
  path: '/v1/vaults/cards/{vaultId}',
  api: 'gateway',
  scope: 'gateway',
  group: 'Card vault',
  summary: 'Remove a stored card for good',
  description: 'A payment that is under way ends as it would. Takes no body.',
  parameters: VAULT_ID,
  answers: {
    200: { description: 'Removed.', ...ID_ANSWER },
    409: refusedAnswer('The card is in use.', VAULT_REFUSALS.cardInUse),
  },
});

export function readCardToStore(body: StoreRequest) {
  return { named: readNamedCard(body), isToBeVerified: body.verifyCard ?? false, ipAddress: null };
}

export function readNamedCard(body: Sound<StoreRequest>): NamedCard {
  return {
    numberToken: body.numberToken ?? null,
    encryptedCard: body.encryptedCard ?? null,
    vaultId: null,
    holderName: body.cardholderName ?? null,
    securityCode: body.securityCode ?? null,
    brand: body.brand ?? null,
    expirationMonth: body.expirationMonth ?? null,
    expirationYear: body.expirationYear ?? null,
  };
}

const STATUS_WORDS: Record<VaultCardStatus, string> = { active: 'Active', expired: 'Expired' };

export function writeVaultCard({ card, status }: { card: ShownCard; status: VaultCardStatus }): object {
  return {
    vaultId: card.vaultId,
    brand: card.brand,
    firstSixDigits: card.firstSix,
    lastFourDigits: card.lastFour,
    expirationMonth: card.expirationMonth,
    expirationYear: card.expirationYear,
    cardholderName: card.holderName,
    status: STATUS_WORDS[status],
  };
}

const FIELDS = ['vaultId'] as const;

const LIST_QUERY = Type.Object({
  lastFour: Type.Optional(
    Type.String({
      format: 'digits',
      minLength: 4,
      maxLength: 4,
      description: 'Only those that end in these four digits.',
    }),
  ),
  ...pageQuery(FIELDS),
});

export const LIST_VAULT_CARDS = contract({
  id: 'listVaultCards',
  method: 'GET',
  path: '/v1/vaults/cards',
  api: 'gateway',
  scope: 'gateway',
  group: 'Card vault',
  summary: 'List the stored cards',
  description:
    'Newest first. Those that were removed are not there any more. The numbers themselves are never given back. ' +
    'Your searches take turns.',
  query: LIST_QUERY,
  answers: {
    200: {
      links: { getVaultCard: { vaultId: '/items/0/vaultId' } },
      ...pageAnswer('VaultCardPage', CARD_ANSWER.schema, CARD_ANSWER.example),
    },
  },
});

export function readListQuery(query: Static<typeof LIST_QUERY>): WantedCards {
  const usual = { field: 'vaultId', isDescending: true } as const;
  return { lastFour: query.lastFour ?? null, ...readPage(query, FIELDS, usual) };
}
