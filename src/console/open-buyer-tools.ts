import type { VaultCard } from '../cards/vault/vault-card.ts';
import { findVaultCard } from '../cards/vault/vault-cards.sql.ts';
import { findPaymentsOfAmount } from '../payments/list/payments-of-amount.sql.ts';
import type { ModuleContext } from '../platform/module.ts';
import { findBuyersOfBillings } from '../recurrence/subscriptions/customers.sql.ts';
import { findBuyers, findNewestCustomerPayments } from '../transactions/customers/customers.sql.ts';
import { findNamedBoletos } from '../transactions/methods/boleto/boletos.sql.ts';
import { findPixOfPayer } from '../transactions/methods/pix/pix-charges.sql.ts';
import { MOST_NOTES } from './buyers/buyer-note.ts';
import { addNote, listNotes, removeNote } from './buyers/buyer-notes.sql.ts';
import type { BuyerPageTools } from './buyers/buyer-screens.ts';
import { findBuyersByWords } from './buyers/buyer-words.sql.ts';
import { searchedWords } from './buyers/buyer-words.ts';
import { MOST_FOUND } from './payments/payment-story.ts';
import type { SearchTools } from './payments/search-screens.ts';
import { MOST_BUYERS } from './payments/sought.ts';

export type BuyerSearchTools = SearchTools & BuyerPageTools;

/** What finds who bought, and what somebody bought. */
export function openBuyerTools({
  database,
  search,
  lookUp,
}: Pick<ModuleContext, 'database' | 'search' | 'lookUp'>): BuyerSearchTools {
  return {
    findCustomerPayments: (merchantId, documents) =>
      search(merchantId, async (reader) => {
        const cards = await findNewestCustomerPayments(reader, { merchantId, documents }, MOST_FOUND);
        const pix = await findPixOfPayer(reader, { merchantId, documents }, MOST_FOUND);
        return [...cards, ...pix.map((one) => ({ ...one, vaultId: null }))]
          .toSorted((one, other) => other.soldAt - one.soldAt)
          .slice(0, MOST_FOUND);
      }),
    findNamedBuyers: (merchantId, text) => {
      const words = searchedWords(text);
      return words === null
        ? Promise.resolve([])
        : search(merchantId, (reader) => findBuyersByWords(reader, merchantId, words, MOST_BUYERS));
    },
    findOfAmount: (merchantId, wanted) =>
      search(merchantId, (reader) => findPaymentsOfAmount(reader, merchantId, wanted, MOST_FOUND)),
    listNotes: (merchantId, document) =>
      lookUp(merchantId, (reader) => listNotes(reader, { merchantId, document }, MOST_NOTES)),
    addNote: (note) => addNote(database, note),
    removeNote: (note) => removeNote(database, note),
    findBoletos: (merchantId, name) =>
      lookUp(merchantId, (reader) => findNamedBoletos(reader, merchantId, name, MOST_FOUND)),
    findBuyers: async (merchantId, payments) => {
      const ownIds = payments.flatMap((one) => (one.billingId === null ? [one.paymentId] : []));
      const billingIds = payments.flatMap(({ billingId }) => billingId ?? []);
      const own = await lookUp(merchantId, (reader) => findBuyers(reader, merchantId, ownIds));
      const billed = await lookUp(merchantId, (reader) =>
        findBuyersOfBillings(reader, merchantId, billingIds),
      );
      const pairs = payments.map(
        ({ paymentId, billingId }) =>
          [paymentId, billingId === null ? own.get(paymentId) : billed.get(billingId)] as const,
      );
      return new Map(pairs.flatMap(([id, buyer]) => (buyer === undefined ? [] : [[id, buyer] as const])));
    },
    findCards: (merchantId, vaultIds) =>
      lookUp(merchantId, async (reader) => {
        const cards: VaultCard[] = [];
        for (const vaultId of vaultIds) {
          const card = await findVaultCard(reader, { merchantId, vaultId });
          if (card !== null) cards.push(card);
        }
        return cards;
      }),
  };
}
