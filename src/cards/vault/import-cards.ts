import { type Audit, type MerchantActor, merchantEvent } from '../../audit/audit-event.ts';
import { KeyRetired } from '../../keys/data-keys.sql.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { Overloaded } from '../../platform/work/fair-line.ts';
import {
  type NamedReference,
  type NetworkReference,
  referenceToKeep,
} from '../../providers/acquirers/network-reference.ts';
import { instant } from '../../values/instant.ts';
import type { NamedCard } from '../card.ts';
import { openCardSource } from '../open-card-source.ts';
import type { CardKeys } from '../pairs/open-card-keys.ts';
import { CARD_REFUSALS } from '../refusals.ts';
import { completeKnownCards, findKnownCards, insertImportedCards } from './moving-cards.sql.ts';
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
  readonly networkReference: NamedReference;
};

/** Who imports. `madeBy`: whom the merchant sees as having stored the cards. */
export type Importer = MerchantActor & { readonly madeBy: string };

export type CardNote = { readonly tag: string; readonly text: string };

/**
 * `completed`: the card was there and now has what it lacked of its first use. Notes of a refused card are
 * its faults.
 */
export type ImportedCardResult = {
  readonly outcome: 'taken' | 'known' | 'completed' | 'refused';
  readonly notes: readonly CardNote[];
};

/**
 * Stands for now where expiry is checked: an imported card is kept for its history even if it has expired.
 */
const NEVER_EXPIRED = instant(0);
const MOST_SEALINGS = 3;
const REFUSED_AS_ANOTHER: ImportedCardResult = {
  outcome: 'refused',
  notes: [{ tag: 'vaultId', text: 'There is another card under this id already.' }],
};
const NO_LINK = 'The card is no Mastercard: it keeps none.';
const ANOTHER_LINK = 'The card has another one here, which stays.';

/** A result for each card, in their order. `isTrial`: nothing is written. */
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
    if ('refusals' in one) return { outcome: 'refused', notes: one.refusals };
    const row = rowOf(one, cards[index] as CardToImport);
    const there = known.get(row.vaultId);
    if (there !== undefined) return compareKnown(there, row);
    known.set(row.vaultId, { number: one.card.number, reference: row.reference });
    taken.set(row.vaultId, row);
    return { outcome: 'taken', notes: row.notes };
  });
  if (isTrial) return results;
  if (taken.size > 0) {
    const kept = await keep(tools, actor, [...taken.values()]);
    const overtaken = [...taken.values()].filter(({ vaultId }) => !kept.has(vaultId));
    const others = await openKnown(tools, merchantId, overtaken);
    for (const [index, result] of results.entries()) {
      const { vaultId } = cards[index] as CardToImport;
      const there = others.get(vaultId);
      if (result.outcome !== 'taken' || kept.has(vaultId)) continue;
      const row = taken.get(vaultId) as ToKeep;
      results[index] = there === undefined ? REFUSED_AS_ANOTHER : compareKnown(there, row);
    }
  }
  const completing = cards.filter((_, index) => results[index]?.outcome === 'completed');
  const references = completing.map(({ vaultId }) => ({
    merchantId,
    vaultId,
    ...(known.get(vaultId) as Known),
  }));
  if (references.length > 0) await completeKnownCards(tools.audit, references, eventOf(actor, 'completed'));
  return results;
}

const eventOf = (actor: Importer, what: 'cards' | 'completed') => (count: number) =>
  merchantEvent('card.import', actor, 'cards', { [what]: String(count) });

/** A stored card, with what earlier rows of the import add to it. */
type Known = { readonly number: string; reference: NetworkReference };

/**
 * What a row does to a card that is there. A stored reference stays, because the card was charged with it.
 */
function compareKnown(there: Known, { card, reference, notes }: ToKeep): ImportedCardResult {
  if (there.number !== card.number) return REFUSED_AS_ANOTHER;
  const { transactionId, linkId } = there.reference;
  there.reference = {
    transactionId: transactionId ?? reference.transactionId,
    linkId: linkId ?? reference.linkId,
  };
  if (transactionId !== there.reference.transactionId || linkId !== there.reference.linkId)
    return { outcome: 'completed', notes };
  const isOther = reference.linkId !== null && reference.linkId !== linkId;
  const other = isOther ? [{ tag: 'transactionLinkId', text: ANOTHER_LINK }] : [];
  return { outcome: 'known', notes: [...notes, ...other] };
}

function rowOf(opened: Opened, { vaultId, networkReference }: CardToImport): ToKeep {
  const { brand } = opened.card;
  const reference = referenceToKeep(networkReference, brand);
  const { unfitLinkLength } = networkReference;
  const words =
    unfitLinkLength !== undefined
      ? `It has ${unfitLinkLength} characters and not 22 of A-Z a-z 0-9 - _: it is left out.`
      : networkReference.linkId === reference.linkId
        ? null
        : NO_LINK;
  const notes = words === null ? [] : [{ tag: 'transactionLinkId', text: words }];
  return { ...opened, vaultId, reference, notes };
}

/** Opens the cards that are there. `number` is empty for one that does not open. */
async function openKnown(
  { database, keyring }: ImportCardsTools,
  merchantId: string,
  cards: readonly Pick<CardToImport, 'vaultId'>[],
): Promise<Map<string, Known>> {
  const ids = cards.map(({ vaultId }) => vaultId);
  const found = ids.length === 0 ? [] : await findKnownCards(database, merchantId, ids);
  const known = await Promise.all(
    found.map(async ({ vaultId, number, networkReference: reference }) => {
      const plain = await keyring.open('card', vaultCardRecord(merchantId, vaultId), number);
      return [vaultId, { number: plain?.toString('latin1') ?? '', reference }] as const;
    }),
  );
  return new Map(known);
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

type ToKeep = Opened & {
  readonly vaultId: string;
  readonly reference: NetworkReference;
  readonly notes: readonly CardNote[];
};

/** Writes the cards and returns the ids of the new ones. Seals again if a key was retired meanwhile. */
async function keep(
  { audit, keyring }: ImportCardsTools,
  actor: Importer,
  taken: readonly ToKeep[],
): Promise<ReadonlySet<string>> {
  const { merchantId, madeBy: createdBy } = actor;
  for (let sealing = 1; sealing <= MOST_SEALINGS; sealing += 1) {
    const rows = taken.map(({ card, trace, vaultId, reference: networkReference }) => {
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
      return await insertImportedCards(audit, rows, eventOf(actor, 'cards'));
    } catch (error) {
      if (!(error instanceof KeyRetired)) throw error;
      await keyring.reload();
    }
  }
  throw new Overloaded('the data key was retired again and again');
}
