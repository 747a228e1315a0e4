import type { NamedCard } from '../../cards/card.ts';
import {
  type StoreVaultCardResult,
  type StoreVaultCardTools,
  storeVaultCard,
} from '../../cards/vault/store-vault-card.ts';
import type { Keeper } from '../../cards/vault/vault-card.ts';
import { namedCard, openTypedCard, type TypedCard } from '../../transactions/payers/open-typed-card.ts';
import { refusalWords } from '../../transactions/payers/refusal-words.ts';
import { type ChangeSubscriptionTools, changeSubscription } from '../subscriptions/change-subscription.ts';
import { SUBSCRIBER, type SubscriberPage } from './subscriber-page.ts';
import { countTry, giveTryBack } from './subscriber-pages.sql.ts';
import { NOT_SAVED } from './words.ts';

export type ChangeCardTools = ChangeSubscriptionTools & { readonly storing: StoreVaultCardTools };

export type CardOfSubscriber = TypedCard & { readonly address: string };

/**
 * `words`: for the subscriber. The old card stays unless the kind is `changed`. `isUnasked`: no acquirer was
 * asked about the new one.
 */
export type PageChange =
  | { readonly kind: 'changed' | 'notOpen' }
  | { readonly kind: 'declined' | 'unknown'; readonly words: string; readonly isUnasked?: true };

/**
 * Stores the card, then makes the subscription pay with it from the next charge on, in two commits: after a
 * fault between them the subscriber gives the card again. The security code is required. A card that no
 * acquirer was asked about uses up no try.
 */
export async function changeCardOfPage(
  tools: ChangeCardTools,
  page: SubscriberPage,
  card: CardOfSubscriber,
  deadlineAt: number,
): Promise<PageChange> {
  const { storing, clock } = tools;
  const { merchantId, subscriptionId } = page;
  const now = clock.now(merchantId);
  const opened = await openTypedCard(storing, merchantId, card, now);
  if ('words' in opened) return { kind: 'declined', words: opened.words };
  if (!(await countTry(storing.database, page, now))) return { kind: 'notOpen' };
  const keeper = { merchantId, userName: SUBSCRIBER, address: card.address };
  const stored = await storeCard(tools, keeper, namedCard(card), deadlineAt);
  if ('words' in stored) {
    if (stored.isUnasked === true) await giveTryBack(storing.database, page);
    return stored;
  }
  const wanted = { kind: 'cardOfSubscriber', pageKey: page.pageKey, ...stored } as const;
  const changed = await changeSubscription(tools, keeper, subscriptionId, wanted, deadlineAt);
  return { kind: changed === 'changed' ? 'changed' : 'notOpen' };
}

type Stored = { readonly vaultId: string; readonly isVerified: boolean };
type NotStored = Extract<PageChange, { readonly words: string }>;

/** The card is verified without a charge where the acquirer can do that. */
async function storeCard(
  { storing }: ChangeCardTools,
  keeper: Keeper,
  named: NamedCard,
  deadlineAt: number,
): Promise<Stored | NotStored> {
  const store = async (isToBeVerified: boolean): Promise<StoreVaultCardResult> => {
    const card = { named, isToBeVerified, ipAddress: keeper.address };
    const once = await storeVaultCard(storing, keeper, card, NO_KEY, deadlineAt);
    if (once.kind !== 'first') throw new Error('a request without a key is the first');
    return once.result;
  };
  const verified = await store(true);
  const result = verified.kind === 'verificationNotOffered' ? await store(false) : verified;
  return result.kind === 'stored'
    ? { vaultId: result.vaultId, isVerified: result === verified }
    : refused(result);
}

const NO_KEY = { idempotency: null, body: null };

function refused(result: Exclude<StoreVaultCardResult, { kind: 'stored' }>): NotStored {
  switch (result.kind) {
    case 'declined':
      return { kind: 'declined', words: result.read.help.buyer.pt };
    case 'refused':
      return { kind: 'declined', words: refusalWords(result.refusals) };
    case 'limited':
      return { kind: 'declined', words: refusalWords([result.refusal]) };
    case 'tooManyCopies':
      return { kind: 'declined', words: 'Este cartão já foi cadastrado vezes demais. Fale com o vendedor.' };
    case 'notSent':
    case 'notConnected':
      return { kind: 'declined', words: NOT_SAVED, isUnasked: true };
    case 'verificationNotOffered':
      return { kind: 'declined', words: NOT_SAVED };
    case 'unknown':
      return { kind: 'unknown', words: NOT_SAVED };
  }
}
