import type { BookInvariant } from './finding.ts';

export const VAULT_INVARIANTS: readonly BookInvariant[] = [
  {
    name: 'a card is stored once, and only where that was not denied',
    check(books, complain) {
      const cardsOf = Map.groupBy(books.cards, (card) => card.holder);
      for (const { holder, merchantId, status, body } of books.storeEntries) {
        const cards = cardsOf.get(holder) ?? [];
        if (cards.length > 1) complain(holder, `stored ${cards.length} times`);
        if (cards.some((card) => card.merchantId !== merchantId))
          complain(holder, "stored as another merchant's");
        if (status === 200 && cards[0]?.vaultId !== (body as { vaultId: string }).vaultId)
          complain(holder, `answered ${JSON.stringify(body)}, stored is ${JSON.stringify(cards)}`);
        if (status !== null && status !== 200 && cards.length > 0)
          complain(holder, `answered ${status}, and a card is stored`);
      }
    },
  },
];
