import { answerOnce, type FindRequestTools, identifyRequest } from '../../idempotency/answer-once.ts';
import { isRequestLost, type KeyedRequest, type SentRequest } from '../../idempotency/idempotency-key.ts';
import { newId } from '../../platform/chance.ts';
import type { Once } from '../../platform/http/failures.ts';
import type { ModuleContext } from '../../platform/module.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { CommitUnknown } from '../../platform/postgres/database-errors.ts';
import { Overloaded } from '../../platform/work/fair-line.ts';
import type { VerificationAnswer } from '../../providers/acquirers/acquirer.ts';
import { type Decline, readDecline } from '../../providers/acquirers/issuer-code.ts';
import { NO_NETWORK_REFERENCE, referenceToKeep } from '../../providers/acquirers/network-reference.ts';
import { type Acquirers, takesSale } from '../../providers/open-acquirers.ts';
import type { Instant } from '../../values/instant.ts';
import { type NamedCard, sourceUsedRefusal } from '../card.ts';
import {
  type CardTools,
  identifyCarriedCard,
  type OpenedCardSource,
  openCardSource,
  openCarriedCard,
} from '../open-card-source.ts';

import type { CardRefusal } from '../refusals.ts';
import type { VerificationRefusal } from './refusals.ts';
import { copiesOf, findFirstCopy, isAnotherCopyRefused } from './stored-copies.sql.ts';
import { type Keeper, type VaultCard, vaultCardEvent, vaultCardRecord } from './vault-card.ts';
import {
  type CardSourceLock,
  lockCardSource,
  type StoreResult,
  unlockCardSource,
  type VaultCardRow,
} from './vault-cards.sql.ts';

export type StoreVaultCardTools = CardTools &
  FindRequestTools &
  Pick<ModuleContext, 'database' | 'clock'> & {
    readonly acquirers: Acquirers;
    readonly acquirerTimeoutMilliseconds: number;
    readonly writeVaultCard: BatchedWrite<VaultCardRow, StoreResult>;
    /** How often one card may be stored at a merchant. */
    readonly mostCopies: number;
    readonly guardVerification: GuardVerification;
    /** Called for a brand that our list of first digits does not confirm. */
    readonly warnOfDoubtfulBrand: (merchantId: string, firstSix: string, brand: string) => void;
  };

export type VerificationWanted = {
  readonly merchantId: string;
  readonly verificationId: string;
  readonly opened: Pick<OpenedCardSource, 'card' | 'trace' | 'fingerprints'>;
  /** The address of the person who typed the card; null: not known. */
  readonly ipAddress: string | null;
};

export type AskedAnswer = (VerificationAnswer | { readonly kind: 'notSent' }) & {
  readonly acquirer?: string;
};

/** The acquirer was not asked to verify. `mayRetryAt`: business time, for a limit that ends. */
export type VerificationRefused = {
  readonly kind: 'refused';
  readonly refusal: VerificationRefusal;
  readonly mayRetryAt: Instant | null;
};

/**
 * Refuses a verification, or asks the acquirer and records the answer. Given by higher modules, which count
 * attempts.
 */
export type GuardVerification = (
  wanted: VerificationWanted,
  ask: () => Promise<AskedAnswer>,
) => Promise<AskedAnswer | VerificationRefused>;

export type StoreVaultCardResult =
  | { readonly kind: 'stored'; readonly vaultId: string }
  | {
      readonly kind: 'declined';
      readonly brand: string;
      readonly responseCode: string;
      readonly adviceCode: string | null;
      readonly read: Decline;
      /** Business time. */
      readonly soldAt: Instant;
    }
  /** The acquirer gave no clear answer, or the request was lost before. Nothing is or will be stored. */
  | { readonly kind: 'unknown' }
  /** The acquirer was not asked; card source and key are free again. */
  | { readonly kind: 'notSent' | 'notConnected' }
  /** Stored as often as allowed; carrier and key are free again. */
  | { readonly kind: 'tooManyCopies'; readonly firstVaultId: string | null }
  /** The acquirer verifies no cards; nothing was used up. */
  | { readonly kind: 'verificationNotOffered' }
  | { readonly kind: 'refused'; readonly refusals: readonly CardRefusal[] }
  /** A limit forbids to verify now: the card may be good, but it is not stored. */
  | (Omit<VerificationRefused, 'kind'> & { readonly kind: 'limited' });

/** How much of the request's time is kept for commit and answer. */
const COMMIT_MARGIN_MILLISECONDS = 2_000;
/** With less time the acquirer is not asked: its answer would come too late to be known. */
const SHORTEST_USEFUL_TIMEOUT_MILLISECONDS = 250;
/** Short enough that a card is stored before its request counts as lost (`MAKING_MILLISECONDS`). */
const LONGEST_VERIFICATION_MILLISECONDS = 30_000;
/**
 * A sealing is repeated if one of its two keys was just retired. Operators do that rarely: more often within
 * one request is a fault.
 */
const MOST_SEALINGS = 5;

export type CardToStore = {
  readonly named: NamedCard;
  readonly isToBeVerified: boolean;
  /** The address of the person who typed the card; null: a merchant's program sends it. */
  readonly ipAddress: string | null;
};

/**
 * Stores a card and uses up its card source. With `isToBeVerified` the acquirer verifies the card first, as
 * its first use. The security code goes only to the acquirer. A repetition with its key returns the stored
 * card without asking again. `deadlineAt`: end of the request, monotonic milliseconds.
 */
export function storeVaultCard(
  tools: StoreVaultCardTools,
  keeper: Keeper,
  card: CardToStore,
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<StoreVaultCardResult>> {
  const request = identifyRequest(tools.keyring, keeper.merchantId, {
    ...sent,
    openCarrier: () => openCarriedCard(tools, keeper.merchantId, card.named),
  });
  return answerOnce(tools, keeper.merchantId, request, {
    make: async (isFirst) =>
      (await isFirst) ? openAndKeep(tools, keeper, { ...card, request }, deadlineAt) : 'keyUsed',
    isRefused: ({ kind }) => REFUSED.includes(kind),
    async repeatAnswer(vaultId, progress) {
      if (progress.isDone) return { kind: 'stored', vaultId };
      return isRequestLost(progress) ? { kind: 'unknown' } : null;
    },
  });
}

/** Results after which nothing was stored, and card source and key are free. */
const REFUSED: readonly StoreVaultCardResult['kind'][] = [
  'refused',
  'limited',
  'tooManyCopies',
  'verificationNotOffered',
];

async function openAndKeep(
  tools: StoreVaultCardTools,
  keeper: Keeper,
  { named, isToBeVerified, ipAddress, request }: CardToStore & { readonly request: KeyedRequest | null },
  deadlineAt: number,
): Promise<StoreVaultCardResult | 'keyUsed'> {
  const { merchantId } = keeper;
  const opened = await openCardSource(tools, merchantId, named, tools.clock.now(merchantId));
  if (!('card' in opened)) return { kind: 'refused', refusals: opened };
  if (opened.cardSource === null) throw new Error('a stored card is not stored again');
  const { trace, cardSource } = opened;
  if (opened.isBrandDoubtful) tools.warnOfDoubtfulBrand(merchantId, trace.firstSix, trace.brand);
  const claim = {
    merchantId,
    vaultId: newId(),
    cardSource,
    request: identifyCarriedCard(tools.keyring, request, opened),
  };
  if (isToBeVerified && verifierOf(tools, claim, opened) === null) return { kind: 'verificationNotOffered' };
  if (!isToBeVerified) {
    return keepCard(tools, keeper, { claim, opened, named, verified: null }, deadlineAt);
  }
  const copies = copiesOf({ merchantId, ...trace }, opened.fingerprints);
  if (await isAnotherCopyRefused(tools.database, copies, claim.vaultId, tools.mostCopies))
    return { kind: 'tooManyCopies', firstVaultId: await findFirstCopy(tools.database, copies) };
  try {
    return await verifyAndKeep(tools, keeper, { claim, opened, named, ipAddress }, deadlineAt);
  } catch (error) {
    // If the fate of the commit is unknown, the card may be stored: its source stays used up, and its key
    // answers with it.
    if (!(error instanceof CommitUnknown)) await giveBack(tools, claim);
    throw error;
  }
}

/** Once it has the locks, a repetition with its key is told to wait. */
async function verifyAndKeep(
  tools: StoreVaultCardTools,
  keeper: Keeper,
  wanted: Omit<CardToKeep, 'verified'> & { readonly ipAddress: string | null },
  deadlineAt: number,
): Promise<StoreVaultCardResult | 'keyUsed'> {
  const { claim, opened, named, ipAddress } = wanted;
  const claimed = await lockCardSource(tools.database, claim);
  if (claimed === 'keyUsed') return claimed;
  if (claimed === 'sourceUsed')
    return { kind: 'refused', refusals: [sourceUsedRefusal(named, tools.cardKeys)] };
  const { card } = opened;
  const verified = await verifyCard(tools, { ...claim, opened, ipAddress }, deadlineAt);
  if (verified.kind === 'approved') {
    const kept = await keepCard(tools, keeper, { ...wanted, verified }, deadlineAt);
    if (kept !== 'keyUsed' && kept.kind === 'tooManyCopies') await giveBack(tools, claim);
    return kept;
  }
  const isFree = await giveBack(tools, claim);
  if (verified.kind === 'refused') return { ...verified, kind: 'limited' };
  if (verified.kind === 'unknown') return verified;
  // "Come again" is true only if card source and key are free again.
  if (verified.kind === 'notSent' || verified.kind === 'notConnected')
    return isFree ? { kind: verified.kind } : { kind: 'unknown' };
  const { responseCode, adviceCode } = verified;
  const read = readDecline(card.brand, responseCode, adviceCode);
  return { ...verified, brand: card.brand, read, soldAt: tools.clock.now(claim.merchantId) };
}

/**
 * Frees card source and key after nothing was stored. What cannot be freed stays taken, the key as lost.
 * Returns whether both are free.
 */
function giveBack({ database }: StoreVaultCardTools, claim: CardSourceLock): Promise<boolean> {
  return unlockCardSource(database, claim).then(
    () => true,
    () => false,
  );
}

/** Verifies under the id that the card will have, so that the acquirer never takes it for a charge. */
function verifyCard(
  tools: StoreVaultCardTools,
  {
    merchantId,
    vaultId,
    opened,
    ipAddress,
  }: CardSourceLock & Pick<VerificationWanted, 'opened' | 'ipAddress'>,
  deadlineAt: number,
): Promise<AskedAnswer | VerificationRefused> {
  const { card } = opened;
  return tools.guardVerification({ merchantId, verificationId: vaultId, opened, ipAddress }, async () => {
    const left = deadlineAt - COMMIT_MARGIN_MILLISECONDS - performance.now();
    const timeout = Math.min(tools.acquirerTimeoutMilliseconds, left, LONGEST_VERIFICATION_MILLISECONDS);
    if (timeout < SHORTEST_USEFUL_TIMEOUT_MILLISECONDS) return { kind: 'notSent' };
    const verifier = verifierOf(tools, { merchantId, vaultId }, opened);
    if (verifier === null) return { kind: 'notSent' };
    const asked = { merchantId, reference: vaultId, card };
    return { ...(await tools.acquirers.of(verifier).verify(asked, timeout)), acquirer: verifier };
  });
}

/** The acquirer that a sale of nothing would go to; null: none verifies cards. */
function verifierOf(
  { acquirers }: Pick<StoreVaultCardTools, 'acquirers'>,
  { merchantId, vaultId: transactionId }: Pick<CardSourceLock, 'merchantId' | 'vaultId'>,
  { trace: { brand } }: Pick<CardToKeep['opened'], 'trace'>,
): string | null {
  const sale = { merchantId, transactionId, brand, installmentCount: 1, amount: 0 };
  const takes = takesSale(sale);
  return acquirers.choose(sale, (one) => takes(one) && one.capabilities().zeroVerification);
}

type CardToKeep = {
  readonly claim: CardSourceLock;
  readonly opened: Pick<OpenedCardSource, 'card' | 'trace' | 'fingerprints'>;
  readonly named: NamedCard;
  readonly verified: Extract<VerificationAnswer, { kind: 'approved' }> | null;
};

function cardToBe({ claim, opened, verified }: CardToKeep): Omit<VaultCard, 'number'> {
  const { brand, holderName, expirationMonth, expirationYear } = opened.card;
  const { firstSix, lastFour } = opened.trace;
  return {
    merchantId: claim.merchantId,
    vaultId: claim.vaultId,
    brand,
    firstSix,
    lastFour,
    expirationMonth,
    expirationYear,
    holderName,
    isUsed: verified !== null,
    networkReference: referenceToKeep(verified?.networkReference ?? NO_NETWORK_REFERENCE, brand),
  };
}

/** Seals and writes the card. Seals again if a key was retired before the commit. */
async function keepCard(
  tools: StoreVaultCardTools,
  keeper: Keeper,
  card: CardToKeep,
  deadlineAt: number,
): Promise<StoreVaultCardResult | 'keyUsed'> {
  const stored = cardToBe(card);
  const { merchantId, vaultId, cardSource, request } = card.claim;
  const record = vaultCardRecord(merchantId, vaultId);
  const event = vaultCardEvent('card.store', keeper, vaultId);
  for (let sealing = 1; sealing <= MOST_SEALINGS; sealing += 1) {
    const { number } = card.opened.card;
    const sealed = tools.keyring.seal('card', record, Buffer.from(number, 'latin1'));
    const row = {
      card: { ...stored, number: sealed },
      fingerprints: tools.keyring.fingerprints(number),
      cardSource,
      createdBy: keeper.userName,
      event,
      request,
    };
    const result = await tools.writeVaultCard(row, deadlineAt);
    switch (result) {
      case 'stored':
        return { kind: 'stored', vaultId };
      case 'keyUsed':
        return 'keyUsed';
      case 'tooManyCopies': {
        const copies = copiesOf(stored, row.fingerprints);
        return { kind: 'tooManyCopies', firstVaultId: await findFirstCopy(tools.database, copies) };
      }
      case 'sourceUsed':
        return { kind: 'refused', refusals: [sourceUsedRefusal(card.named, tools.cardKeys)] };
      case 'keyRetired':
        await tools.keyring.reload();
    }
  }
  throw new Overloaded('the data key was retired again and again');
}
