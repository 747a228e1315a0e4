import { type Static, Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import { pageQuery, readPage } from '../../platform/pages.ts';
import { CARD_ANSWER } from './contract.ts';
import type { WantedCards } from './vault-card.ts';

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
      description: 'One page of them; total counts all.',
      schema: Type.Object({
        items: Type.Array(CARD_ANSWER.schema),
        page: Type.Integer(),
        limit: Type.Integer(),
        total: Type.Integer(),
      }),
      example: { items: [CARD_ANSWER.example], page: 1, limit: 20, total: 1 },
    },
  },
});

export function readListQuery(query: Static<typeof LIST_QUERY>): WantedCards {
  const usual = { field: 'vaultId', isDescending: true } as const;
  return { lastFour: query.lastFour ?? null, ...readPage(query, FIELDS, usual) };
}
