import type { Acquirer, VerificationAnswer } from '../../acquirers/acquirer.ts';
import { type Decline, readDecline } from '../../acquirers/issuer-code.ts';
import { answerOnce } from '../../idempotency/answer-once.ts';
import type { FindRequestTools } from '../../idempotency/find-earlier-request.ts';
import type { KeyedRequest, SentRequest } from '../../idempotency/idempotency-key.ts';
import { identifyRequest } from '../../idempotency/identify-request.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { newId } from '../../platform/chance.ts';
import type { Once } from '../../platform/http/refusal.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { FateUnknown, type GatheredWrite, Overloaded } from '../../platform/postgres/gathered-writes.ts';
import { type Carrier, carrierUsedRefusal, type NamedCard } from '../card.ts';
import { type CardTools, type OpenedCarrier, openCarrier } from '../open-carrier.ts';
import type { CardRefusal } from '../refusals.ts';
import { type Keeper, type VaultCard, vaultCardEvent, vaultCardRecord } from './vault-card.ts';
import { claimCarrier, releaseCarrier, type StoreResult, type VaultCardRow } from './vault-cards.sql.ts';

export type StoreVaultCardTools = CardTools &
  FindRequestTools & {
    readonly database: Database;
    readonly acquirer: Acquirer;
    readonly clock: BusinessClock;
    readonly acquirerTimeoutMilliseconds: number;
    readonly writeVaultCard: GatheredWrite<VaultCardRow, StoreResult>;
    /** Hears of a brand that our list of first digits does not confirm. */
    readonly warnOfDoubtfulBrand: (merchantId: string, firstSix: string, brand: string) => void;
  };

export type StoreVaultCardResult =
  | { readonly kind: 'stored'; readonly vaultId: string }
  | {
      readonly kind: 'declined';
      readonly brand: string;
      readonly responseCode: string;
      readonly adviceCode: string | null;
      readonly read: Decline;
    }
  /** No clear answer of the acquirer; nothing was stored. */
  | { readonly kind: 'unknown' }
  /** The card may be stored or not: nothing true can be said before the deadline. */
  | { readonly kind: 'unrecorded' }
  | { readonly kind: 'refused'; readonly refusals: readonly CardRefusal[] };

/** Time kept back from the deadline of a request for the commit and the answer. */
const COMMIT_MARGIN_MILLISECONDS = 2_000;
/** Less than this and asking the acquirer would only make an unknown. */
const SHORTEST_USEFUL_TIMEOUT_MILLISECONDS = 250;
/** A key is retired by hand and seldom: thrice in one request is no rotation but a mistake. */
const MOST_SEALINGS = 3;

/** The card as its request names it. */
export type CardToStore = { readonly named: NamedCard; readonly isToBeVerified: boolean };

/**
 * Keeps a card to be charged again, and uses its carrier up. With `isToBeVerified` the acquirer is asked first whether the
 * card is good; that counts as its first use. The security code goes no further than to the acquirer. Asked for again with
 * its key, tells the card that was stored. `deadlineAt` is the end of the request, in monotonic milliseconds.
 */
export function storeVaultCard(
  tools: StoreVaultCardTools,
  keeper: Keeper,
  card: CardToStore,
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<StoreVaultCardResult>> {
  const request = identifyRequest(tools.keyring, keeper.merchantId, sent);
  return answerOnce(tools, keeper.merchantId, request, {
    make: async (isFirst) =>
      (await isFirst) ? verifyAndKeep(tools, keeper, { ...card, request }, deadlineAt) : 'keyUsed',
    isRefused: ({ kind }) => kind === 'refused',
    tellAgain: async (vaultId) => ({ kind: 'stored', vaultId }),
  });
}

async function verifyAndKeep(
  tools: StoreVaultCardTools,
  keeper: Keeper,
  { named, isToBeVerified, request }: CardToStore & { readonly request: KeyedRequest | null },
  deadlineAt: number,
): Promise<StoreVaultCardResult | 'keyUsed'> {
  const { merchantId } = keeper;
  const opened = await openCarrier(tools, merchantId, named, tools.clock.now(merchantId));
  if (!('card' in opened)) return { kind: 'refused', refusals: opened };
  if (opened.carrier === null) throw new Error('a stored card is not stored again');
  const { card, trace, carrier } = opened;
  if (opened.isBrandDoubtful) tools.warnOfDoubtfulBrand(merchantId, trace.firstSix, trace.brand);
  const vaultId = newId();
  let verified: VerificationAnswer | null = null;
  if (isToBeVerified) {
    if (!(await claimCarrier(tools.database, merchantId, vaultId, carrier))) {
      return { kind: 'refused', refusals: [carrierUsedRefusal(named)] };
    }
    verified = await verifyCard(tools, merchantId, vaultId, card, deadlineAt);
    if (verified.kind !== 'approved') await giveBack(tools, merchantId, vaultId, carrier);
  }
  if (verified?.kind === 'declined') {
    const { responseCode, adviceCode } = verified;
    return { ...verified, brand: card.brand, read: readDecline(card.brand, responseCode, adviceCode) };
  }
  if (verified?.kind === 'unknown') return { kind: 'unknown' };
  const { brand, holderName, expirationMonth, expirationYear } = card;
  const stored = {
    merchantId,
    vaultId,
    brand,
    firstSix: trace.firstSix,
    lastFour: trace.lastFour,
    expirationMonth,
    expirationYear,
    holderName,
    isUsed: verified !== null,
    networkTransactionId: verified?.networkTransactionId ?? null,
  };
  try {
    const kept = { stored, number: card.number, carrier, request };
    const result = await keepCard(tools, keeper, kept, named, deadlineAt);
    if (result === 'keyUsed' && isToBeVerified) await giveBack(tools, merchantId, vaultId, carrier);
    return result;
  } catch (error) {
    if (isToBeVerified) await giveBack(tools, merchantId, vaultId, carrier);
    throw error;
  }
}

/** Nothing was stored. What cannot be given back now stays taken until it would have died. */
function giveBack(
  { database }: StoreVaultCardTools,
  merchantId: string,
  vaultId: string,
  carrier: Carrier,
): Promise<void> {
  return releaseCarrier(database, merchantId, vaultId, carrier).catch(() => {});
}

/** The reference is the id of the card to be: a series of its own at the acquirer, beside the charges'. */
async function verifyCard(
  tools: StoreVaultCardTools,
  merchantId: string,
  vaultId: string,
  card: OpenedCarrier['card'],
  deadlineAt: number,
): Promise<VerificationAnswer> {
  const left = deadlineAt - COMMIT_MARGIN_MILLISECONDS - performance.now();
  const timeout = Math.min(tools.acquirerTimeoutMilliseconds, left);
  if (timeout < SHORTEST_USEFUL_TIMEOUT_MILLISECONDS) {
    return { kind: 'unknown', reason: 'not sent: too little time was left' };
  }
  return tools.acquirer.verify({ merchantId, reference: vaultId, card }, timeout);
}

type CardToKeep = {
  readonly stored: Omit<VaultCard, 'number'>;
  readonly number: string;
  readonly carrier: Carrier;
  readonly request: KeyedRequest | null;
};

/** Seals and commits; a key that was retired between the two has a successor, under which it is sealed again. */
async function keepCard(
  tools: StoreVaultCardTools,
  keeper: Keeper,
  { stored, number, carrier, request }: CardToKeep,
  named: NamedCard,
  deadlineAt: number,
): Promise<StoreVaultCardResult | 'keyUsed'> {
  const { merchantId, vaultId } = stored;
  const record = vaultCardRecord(merchantId, vaultId);
  const event = vaultCardEvent('card.store', keeper, vaultId);
  for (let sealing = 1; sealing <= MOST_SEALINGS; sealing += 1) {
    const sealed = tools.keyring.seal('card', record, Buffer.from(number, 'latin1'));
    const row = { card: { ...stored, number: sealed }, carrier, createdBy: keeper.userName, event, request };
    const result = await writeOrDoubt(tools, row, deadlineAt);
    switch (result) {
      case 'stored':
        return { kind: 'stored', vaultId };
      case 'unrecorded':
        return { kind: 'unrecorded' };
      case 'keyUsed':
        return 'keyUsed';
      case 'carrierUsed':
        return { kind: 'refused', refusals: [carrierUsedRefusal(named)] };
      case 'keyRetired':
        await tools.keyring.reload();
    }
  }
  throw new Overloaded('the data key was retired again and again');
}

async function writeOrDoubt(
  tools: StoreVaultCardTools,
  row: VaultCardRow,
  deadlineAt: number,
): Promise<StoreResult | 'unrecorded'> {
  try {
    return await tools.writeVaultCard(row, deadlineAt);
  } catch (error) {
    if (error instanceof FateUnknown) return 'unrecorded';
    throw error;
  }
}
