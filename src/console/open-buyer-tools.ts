import { vaultCardsRead } from '../cards/vault/vault-cards.sql.ts';
import { findPaymentsOfAmount, type WantedAmount } from '../payments/list/payments-of-amount.sql.ts';
import { patiently } from '../platform/exports.ts';
import type { ModuleContext } from '../platform/module.ts';
import type { Reader } from '../platform/postgres/database.ts';
import { findBuyersOfBillings } from '../recurrence/subscriptions/customers.sql.ts';
import type { Buyer } from '../transactions/customers/buyer.ts';
import { findBuyers, findNewestCustomerPayments } from '../transactions/customers/customers.sql.ts';
import { type BoletoNames, findNamedBoletos } from '../transactions/methods/boleto/boletos.sql.ts';
import { findPixOfPayer } from '../transactions/methods/pix/pix-charges.sql.ts';
import { MOST_NOTES } from './buyers/buyer-note.ts';
import { addNote, listNotes, type NewNote, removeNote } from './buyers/buyer-notes.sql.ts';
import { findBuyersByWords } from './buyers/buyer-words.sql.ts';
import { searchedWords } from './buyers/buyer-words.ts';
import { MOST_FOUND } from './payments/payment-story.ts';
import { MOST_BUYERS } from './payments/sought.ts';

type NamedPayments = readonly { readonly paymentId: string; readonly billingId: string | null }[];

export function openBuyerTools({
  database,
  search,
  lookUp,
}: Pick<ModuleContext, 'database' | 'search' | 'lookUp'>) {
  return {
    /** The customer's payments by card and by Pix, newest first. */
    findCustomerPayments: (merchantId: string, documents: readonly string[]) =>
      search(merchantId, async (reader) => {
        const cards = await findNewestCustomerPayments(reader, { merchantId, documents }, MOST_FOUND);
        const pix = await findPixOfPayer(reader, { merchantId, documents }, MOST_FOUND);
        return [...cards, ...pix.map((one) => ({ ...one, vaultId: null }))]
          .toSorted((one, other) => other.soldAt - one.soldAt)
          .slice(0, MOST_FOUND);
      }),
    findNamedBuyers: (merchantId: string, text: string) => {
      const words = searchedWords(text);
      return words === null
        ? Promise.resolve({ buyers: [], isCut: false })
        : search(merchantId, (reader) => findBuyersByWords(reader, merchantId, words, MOST_BUYERS));
    },
    findOfAmount: (merchantId: string, wanted: WantedAmount) =>
      search(merchantId, (reader) => findPaymentsOfAmount(reader, merchantId, wanted, MOST_FOUND)),
    listNotes: (merchantId: string, document: string) =>
      lookUp(merchantId, (reader) => listNotes(reader, { merchantId, document }, MOST_NOTES)),
    /** False: no record names the buyer any more, and no note was added. */
    addNote: (note: NewNote) => addNote(database, note),
    removeNote: (note: Parameters<typeof removeNote>[1]) => removeNote(database, note),
    findBoletos: (merchantId: string, names: BoletoNames) =>
      lookUp(merchantId, (reader) => findNamedBoletos(reader, merchantId, names, MOST_FOUND)),
    /** The buyer of each card payment; for a billing's charge, the subscriber. */
    findBuyers: (merchantId: string, payments: NamedPayments) =>
      lookUp(merchantId, (reader) => readBuyers(reader, merchantId, payments)),
    /**
     * Buyers for a file of any length. Waits in the line of searches, so that payments keep their
     * connections.
     */
    findBuyersOfFile: (merchantId: string, payments: NamedPayments) =>
      patiently(() => search(merchantId, (reader) => readBuyers(reader, merchantId, payments))),
    findCards: (merchantId: string, vaultIds: readonly string[]) =>
      lookUp(merchantId, async (reader) => {
        const stored = await vaultCardsRead(reader).read(
          vaultIds.map((vaultId) => ({ merchantId, vaultId })),
        );
        return [...stored.values()];
      }),
  };
}

async function readBuyers(
  reader: Reader,
  merchantId: string,
  payments: NamedPayments,
): Promise<ReadonlyMap<string, Buyer>> {
  const ownIds = payments.flatMap((one) => (one.billingId === null ? [one.paymentId] : []));
  const billingIds = payments.flatMap(({ billingId }) => billingId ?? []);
  const own = await findBuyers(reader, merchantId, ownIds);
  const billed = await findBuyersOfBillings(reader, merchantId, billingIds);
  const pairs = payments.map(
    ({ paymentId, billingId }) =>
      [paymentId, billingId === null ? own.get(paymentId) : billed.get(billingId)] as const,
  );
  return new Map(pairs.flatMap(([id, buyer]) => (buyer === undefined ? [] : [[id, buyer] as const])));
}
