import { type Audit, type MerchantActor, merchantEvent } from '../../audit/audit-event.ts';
import { KeyRetired } from '../../keys/data-keys.sql.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { Overloaded } from '../../platform/work/fair-line.ts';
import type { NetworkReference } from '../../providers/acquirers/network-reference.ts';
import { instant } from '../../values/instant.ts';
import type { NamedCard } from '../card.ts';
import { openCardSource } from '../open-card-source.ts';
import type { CardKeys } from '../pairs/open-card-keys.ts';
import { CARD_REFUSALS } from '../refusals.ts';
import { findKnownCards, insertImportedCards } from './moving-cards.sql.ts';
import { vaultCardRecord } from './vault-card.ts';

export type ImportCardsTools = {
  readonly database: Database;
  readonly audit: Audit;
  readonly keyring: Keyring;
  readonly cardKeys: CardKeys;
};

export type CardToImport = Pick<
  NamedCard,
  'encryptedCard' | 'brand' | 'holderName' | 'expirationMonth' | 'expirationYear'
> & {
  /** A UUID in lower case. */
  readonly vaultId: string;
  readonly networkReference: NetworkReference;
};

/** `madeBy`: whom the merchant sees as who stored them. */
export type Importer = MerchantActor & { readonly madeBy: string };

export type ImportedCardResult = 'taken' | 'known' | readonly { tag: string; text: string }[];

/** Cards come with their history: one that has expired since is kept as such. */
const NEVER_EXPIRED = instant(0);
const MOST_SEALINGS = 3;
const ANOTHER_CARD = { tag: 'vaultId', text: 'There is another card under this id already.' };

/** For each card what became of it, in their order. `isTrial`: nothing is written. */
export async function importCards(
  tools: ImportCardsTools,
  actor: Importer,
  cards: readonly CardToImport[],
  isTrial: boolean,
): Promise<readonly ImportedCardResult[]> {
  const { merchantId } = actor;
  const opened = await Promise.all(cards.map((card) => open(tools, merchantId, card)));
  const known = await openKnown(tools, merchantId, cards);
  const taken = new Map<string, ToKeep>();
  const results = opened.map((one, index): ImportedCardResult => {
    if ('refusals' in one) return one.refusals;
    const wanted = cards[index] as CardToImport;
    const there = known.get(wanted.vaultId) ?? taken.get(wanted.vaultId)?.card.number;
    if (there !== undefined) return there === one.card.number ? 'known' : [ANOTHER_CARD];
    taken.set(wanted.vaultId, { ...one, wanted });
    return 'taken';
  });
  if (isTrial || taken.size === 0) return results;
  const kept = await keep(tools, actor, [...taken.values()]);
  const overtaken = [...taken.values()].filter(({ wanted }) => !kept.has(wanted.vaultId));
  if (overtaken.length === 0) return results;
  const others = await openKnown(
    tools,
    merchantId,
    overtaken.map(({ wanted }) => wanted),
  );
  return results.map((result, index) => {
    const { vaultId } = cards[index] as CardToImport;
    if (result !== 'taken' || kept.has(vaultId)) return result;
    return others.get(vaultId) === taken.get(vaultId)?.card.number ? 'known' : [ANOTHER_CARD];
  });
}

/** The numbers of those that there are; empty for one that does not open. */
async function openKnown(
  { database, keyring }: ImportCardsTools,
  merchantId: string,
  cards: readonly Pick<CardToImport, 'vaultId'>[],
): Promise<ReadonlyMap<string, string>> {
  const ids = cards.map(({ vaultId }) => vaultId);
  const found = await findKnownCards(database, merchantId, ids);
  const numbers = await Promise.all(
    found.map(async ({ vaultId, number }) => {
      const plain = await keyring.open('card', vaultCardRecord(merchantId, vaultId), number);
      return [vaultId, plain?.toString('latin1') ?? ''] as const;
    }),
  );
  return new Map(numbers);
}

type Opened = Exclude<Awaited<ReturnType<typeof openCardSource>>, readonly unknown[]>;

async function open(
  { keyring, cardKeys }: ImportCardsTools,
  merchantId: string,
  card: CardToImport,
): Promise<Opened | { readonly refusals: readonly { tag: string; text: string }[] }> {
  const nothing = async () => ({ value: null, askedAt: 0 });
  const tools = {
    keyring,
    cardKeys,
    findCardToken: nothing,
    findVaultCard: nothing,
    takesBrand: () => true,
  };
  const named = { ...card, numberToken: null, vaultId: null, securityCode: null };
  const opened = await openCardSource(tools, merchantId, named, NEVER_EXPIRED);
  if ('card' in opened) return opened;
  return {
    refusals: opened.map((refusal) => {
      const { tag, sentence } = CARD_REFUSALS[refusal];
      return { tag, text: sentence.en };
    }),
  };
}

type ToKeep = Opened & { readonly wanted: CardToImport };

/** The ids of those that were not there. Seals again where a key was retired between. */
async function keep(
  { audit, keyring }: ImportCardsTools,
  actor: Importer,
  taken: readonly ToKeep[],
): Promise<ReadonlySet<string>> {
  const { merchantId, madeBy: createdBy } = actor;
  const eventOf = (count: number) => merchantEvent('card.import', actor, 'cards', { cards: String(count) });
  for (let sealing = 1; sealing <= MOST_SEALINGS; sealing += 1) {
    const rows = taken.map(({ card, trace, wanted }) => {
      const { vaultId, networkReference } = wanted;
      const { number: plain, securityCode: _, ...kept } = card;
      const number = keyring.seal('card', vaultCardRecord(merchantId, vaultId), Buffer.from(plain, 'latin1'));
      const { firstSix, lastFour } = trace;
      const isUsed = networkReference.transactionId !== null || networkReference.linkId !== null;
      const ids = { merchantId, vaultId, networkReference, isUsed };
      return {
        card: { ...kept, ...ids, number, firstSix, lastFour },
        fingerprint: keyring.fingerprint(plain),
        createdBy,
      };
    });
    try {
      return await insertImportedCards(audit, rows, eventOf);
    } catch (error) {
      if (!(error instanceof KeyRetired)) throw error;
      await keyring.reload();
    }
  }
  throw new Overloaded('the data key was retired again and again');
}
