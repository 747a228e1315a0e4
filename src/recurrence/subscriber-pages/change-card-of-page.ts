import type { NamedCard } from '../../cards/card.ts';
import {
  type StoreVaultCardResult,
  type StoreVaultCardTools,
  storeVaultCard,
} from '../../cards/vault/store-vault-card.ts';
import { refusalWords } from '../../transactions/payers/refusal-words.ts';
import type { CardBrand } from '../../values/card-number.ts';
import { type ChangeSubscriptionTools, changeSubscription } from '../subscriptions/change-subscription.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import { isBlockedByCard, SUBSCRIBER, type SubscriberPage } from './subscriber-page.ts';
import { countTry } from './subscriber-pages.sql.ts';
import { NOT_SAVED } from './words.ts';

export type ChangeCardTools = ChangeSubscriptionTools & { readonly storing: StoreVaultCardTools };

export type CardOfSubscriber = {
  readonly encryptedCard: string;
  /** Null: recognized by its number. */
  readonly brand: CardBrand | null;
  readonly address: string;
};

/** `words`: for the subscriber. Unless it is `changed` or `unknown`, the card of before stays. */
export type PageChange =
  | { readonly kind: 'changed' | 'notOpen' }
  | { readonly kind: 'declined' | 'unknown'; readonly words: string };

/**
 * Stores the card, then pays with it from the next charge on, and lets a subscription that its card blocked
 * go on. Each step is a commit: whoever comes again after a part of them gives the card again.
 */
export async function changeCardOfPage(
  tools: ChangeCardTools,
  page: SubscriberPage,
  subscription: Subscription,
  card: CardOfSubscriber,
  deadlineAt: number,
): Promise<PageChange> {
  const { storing, clock } = tools;
  const { merchantId, subscriptionId } = page;
  if (!(await countTry(storing.database, page, clock.now(merchantId)))) return { kind: 'notOpen' };
  const stored = await storeCard(tools, merchantId, card, deadlineAt);
  if (stored.kind !== 'stored') return refused(stored);
  const actor = { merchantId, userName: SUBSCRIBER, address: card.address };
  const change = { kind: 'card', vaultId: stored.vaultId } as const;
  const changed = await changeSubscription(tools, actor, subscriptionId, change, deadlineAt);
  if (changed !== 'changed') return { kind: 'notOpen' };
  if (isBlockedByCard(subscription)) {
    const activation = { kind: 'status', event: 'activate', by: 'subscriber' } as const;
    await changeSubscription(tools, actor, subscriptionId, activation, deadlineAt);
  }
  return { kind: 'changed' };
}

/** Verified without a charge, where the acquirer does that. */
async function storeCard(
  { storing }: ChangeCardTools,
  merchantId: string,
  { encryptedCard, brand, address }: CardOfSubscriber,
  deadlineAt: number,
): Promise<StoreVaultCardResult> {
  const keeper = { merchantId, userName: SUBSCRIBER, address };
  const named = { ...NOTHING_BESIDE, encryptedCard, brand };
  const sent = { idempotency: null, body: null };
  const store = async (isToBeVerified: boolean) => {
    const once = await storeVaultCard(storing, keeper, { named, isToBeVerified }, sent, deadlineAt);
    if (once.kind !== 'first') throw new Error('a request without a key is the first');
    return once.result;
  };
  const verified = await store(true);
  return verified.kind === 'verificationNotOffered' ? store(false) : verified;
}

/** All but the brand is inside. */
const NOTHING_BESIDE: Omit<NamedCard, 'encryptedCard' | 'brand'> = {
  numberToken: null,
  vaultId: null,
  holderName: null,
  securityCode: null,
  expirationMonth: null,
  expirationYear: null,
};

function refused(result: Exclude<StoreVaultCardResult, { kind: 'stored' }>): PageChange {
  switch (result.kind) {
    case 'declined':
      return { kind: 'declined', words: result.read.help.buyer.pt };
    case 'refused':
      return { kind: 'declined', words: refusalWords(result.refusals) };
    case 'limited':
      return { kind: 'declined', words: refusalWords([result.refusal]) };
    case 'tooManyCopies':
      return { kind: 'declined', words: 'Este cartão já está em uso demais aqui. Fale com o vendedor.' };
    case 'notSent':
    case 'notConnected':
    case 'verificationNotOffered':
      return { kind: 'declined', words: NOT_SAVED };
    case 'unknown':
      return { kind: 'unknown', words: NOT_SAVED };
  }
}
