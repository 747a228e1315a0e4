import { type Audit, type MerchantActor, merchantEvent } from '../../audit/audit-event.ts';
import { KeyRetired } from '../../keys/data-keys.sql.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { Overloaded } from '../../platform/work/fair-line.ts';
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
  readonly networkTransactionId: string | null;
};

export type ImportedCardResult = 'taken' | 'known' | readonly { tag: string; text: string }[];

/** Cards come with their history: one that has expired since is kept as such. */
const NEVER_EXPIRED = instant(0);
const MOST_SEALINGS = 3;
const ANOTHER_CARD = { tag: 'vaultId', text: 'There is another card under this id already.' };

/** For each card what became of it, in their order. `isTrial`: nothing is written. */
export async function importCards(
  tools: ImportCardsTools,
  actor: MerchantActor,
  cards: readonly CardToImport[],
  isTrial: boolean,
): Promise<readonly ImportedCardResult[]> {
  const { merchantId } = actor;
  const ids = cards.map(({ vaultId }) => vaultId);
  const known = await findKnownCards(tools.database, merchantId, ids);
  const opened = await Promise.all(cards.map((card) => open(tools, merchantId, card)));
  const first = new Map<string, string>();
  const results = opened.map((one, index): ImportedCardResult => {
    if ('refusals' in one) return one.refusals;
    const vaultId = ids[index] as string;
    const prints = one.fingerprints.map(({ print }) => print.toString('hex'));
    const print = known.get(vaultId)?.toString('hex') ?? first.get(vaultId);
    if (print !== undefined) return prints.includes(print) ? 'known' : [ANOTHER_CARD];
    first.set(vaultId, prints[0] as string);
    return 'taken';
  });
  const taken = opened.flatMap((one, index) =>
    'refusals' in one || results[index] !== 'taken' ? [] : [{ ...one, wanted: cards[index] as CardToImport }],
  );
  if (!isTrial && taken.length > 0) await keep(tools, actor, taken);
  return results;
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

/** Seals again where a key was retired between. */
async function keep(
  { audit, keyring }: ImportCardsTools,
  actor: MerchantActor,
  taken: readonly ToKeep[],
): Promise<void> {
  const { merchantId, userName: createdBy } = actor;
  const event = merchantEvent('card.import', actor, 'cards', { cards: String(taken.length) });
  for (let sealing = 1; sealing <= MOST_SEALINGS; sealing += 1) {
    const rows = taken.map(({ card, trace, wanted }) => {
      const { vaultId, networkTransactionId } = wanted;
      const { number: plain, securityCode: _, ...kept } = card;
      const number = keyring.seal('card', vaultCardRecord(merchantId, vaultId), Buffer.from(plain, 'latin1'));
      const { firstSix, lastFour } = trace;
      const isUsed = networkTransactionId !== null;
      const ids = { merchantId, vaultId, networkTransactionId, isUsed };
      return {
        card: { ...kept, ...ids, number, firstSix, lastFour },
        fingerprint: keyring.fingerprint(plain),
        createdBy,
      };
    });
    try {
      return await insertImportedCards(audit, rows, event);
    } catch (error) {
      if (!(error instanceof KeyRetired)) throw error;
      await keyring.reload();
    }
  }
  throw new Overloaded('the data key was retired again and again');
}
