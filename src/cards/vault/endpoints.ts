import type { Audit } from '../../audit/audit-event.ts';
import { type Answer, type Call, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES, unavailableAnswer, writeOnce } from '../../platform/http/failures.ts';
import { refusalAnswer, refusalsAnswer } from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import type { ModuleContext } from '../../platform/module.ts';
import { type Page, pageFor, writePage } from '../../platform/pages.ts';
import { isUuid } from '../../values/ids.ts';
import { checkCardSource } from '../open-card-source.ts';
import { CARD_REFUSALS } from '../refusals.ts';
import {
  DELETE_VAULT_CARD,
  GET_VAULT_CARD,
  LIST_VAULT_CARDS,
  readCardToStore,
  readListQuery,
  readNamedCard,
  STORE_VAULT_CARD,
  writeDecline,
  writeRetryLimit,
  writeTooManyCopies,
  writeVaultCard,
} from './contract.ts';
import { type DeleteVaultCardTools, deleteVaultCard } from './delete-vault-card.ts';
import { VAULT_REFUSALS } from './refusals.ts';
import { type StoreVaultCardResult, type StoreVaultCardTools, storeVaultCard } from './store-vault-card.ts';
import {
  type Keeper,
  type ShownCard,
  type VaultCard,
  type VaultCardStatus,
  vaultCardEvent,
  vaultCardStatus,
  type WantedCards,
} from './vault-card.ts';
import { findVaultCard, listCards } from './vault-cards.sql.ts';

type ListVaultCardsTools = Pick<ModuleContext, 'search' | 'clock'> & { readonly audit: Audit };

/**
 * Records the search in the audit log before it answers. Throws `Overloaded` when too many of the merchant's
 * searches wait.
 */
async function listVaultCards(
  { search, audit, clock }: ListVaultCardsTools,
  { merchantId, userName, address }: Keeper,
  wanted: WantedCards,
): Promise<Page<{ readonly card: ShownCard; readonly status: VaultCardStatus }>> {
  const found = await search(merchantId, (database) => listCards(database, merchantId, wanted));
  const resource = `merchants/${merchantId}/cards`;
  const detail = { page: wanted.page, cards: found.items.length };
  await audit.record(
    { action: 'card.read', outcome: 'success', actor: userName, origin: address, resource, detail },
    merchantId,
  );
  const now = clock.now(merchantId);
  return {
    items: found.items.map((card) => ({ card, status: vaultCardStatus(card, now) })),
    total: found.total,
  };
}

type ReadVaultCardTools = Pick<ModuleContext, 'lookUp' | 'clock'> & { readonly audit: Audit };

/** null: the merchant has no such card. Records the look in the audit log before it answers. */
async function readVaultCard(
  tools: ReadVaultCardTools,
  keeper: Keeper,
  vaultId: string,
): Promise<{ readonly card: VaultCard; readonly status: VaultCardStatus } | null> {
  if (!isUuid(vaultId)) return null;
  const { merchantId } = keeper;
  const key = { merchantId, vaultId: vaultId.toLowerCase() };
  const card = await tools.lookUp(merchantId, (database) => findVaultCard(database, key));
  if (card === null) return null;
  await tools.audit.record(vaultCardEvent('card.read', keeper, card.vaultId), merchantId);
  return { card, status: vaultCardStatus(card, tools.clock.now(merchantId)) };
}

export const VAULT_LIST_ENDPOINTS: readonly Endpoint<ListVaultCardsTools>[] = [
  endpoint(LIST_VAULT_CARDS, async (tools: ListVaultCardsTools, call) => {
    const { merchantId, userName } = callerOf(call);
    const wanted = pageFor(call, readListQuery(call.query));
    const found = await listVaultCards(tools, { merchantId, userName, address: call.address }, wanted);
    return { status: 200, body: writePage(wanted, found, writeVaultCard) };
  }),
];

export type VaultTools = StoreVaultCardTools & ReadVaultCardTools & DeleteVaultCardTools;

export const VAULT_ENDPOINTS: readonly Endpoint<VaultTools>[] = [
  endpoint(
    STORE_VAULT_CARD,
    async (tools: StoreVaultCardTools, call) => {
      const keeper = keeperOf(call);
      const once = await storeVaultCard(tools, keeper, readCardToStore(call.body), call, call.deadlineAt);
      return writeOnce(call, once, (result) => writeStored(result, call.language));
    },
    {
      lookBeside: async (tools, body, { merchantId }) => {
        const refusals = await checkCardSource(
          tools,
          merchantId,
          readNamedCard(body),
          tools.clock.now(merchantId),
        );
        return refusals.map((refusal) => CARD_REFUSALS[refusal]);
      },
    },
  ),
  endpoint(GET_VAULT_CARD, async (tools: ReadVaultCardTools, call) => {
    const found = await readVaultCard(tools, keeperOf(call), call.parameters.vaultId);
    if (found === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    return { status: 200, body: writeVaultCard(found) };
  }),
  endpoint(DELETE_VAULT_CARD, async (tools: DeleteVaultCardTools, call) => {
    const { vaultId } = call.parameters;
    const result = await deleteVaultCard(tools, keeperOf(call), vaultId, call.deadlineAt);
    if (result === 'notFound') return refusalAnswer(FAILURES.unknownPath, call.language);
    if (result === 'cardInUse') return refusalAnswer(VAULT_REFUSALS.cardInUse, call.language);
    return { status: 200, body: { vaultId: vaultId.toLowerCase() } };
  }),
];

function keeperOf(call: Pick<Call<unknown, unknown, unknown>, 'caller' | 'address'>): Keeper {
  const { merchantId, userName } = callerOf(call);
  return { merchantId, userName, address: call.address };
}

type Limited = Extract<StoreVaultCardResult, { kind: 'limited' }>;

function writeStored(result: StoreVaultCardResult, language: Language): Answer {
  switch (result.kind) {
    case 'stored':
      return { status: 200, body: { vaultId: result.vaultId } };
    case 'declined':
      return { status: 402, body: writeDecline(result, language) };
    case 'refused':
      return refusalsAnswer(
        result.refusals.map((refusal) => CARD_REFUSALS[refusal]),
        language,
      );
    case 'tooManyCopies':
      return writeFull(result.firstVaultId, language);
    case 'verificationNotOffered':
      return refusalAnswer(VAULT_REFUSALS[result.kind], language);
    case 'limited':
      return writeLimited(result, language);
    case 'unknown':
      return refusalAnswer(FAILURES.unknownFailure, language);
    case 'notSent':
      return unavailableAnswer('overloaded', language);
    case 'notConnected':
      return unavailableAnswer('acquirerAway', language);
  }
}

function writeFull(firstVaultId: string | null, language: Language): Answer {
  const shape = VAULT_REFUSALS.tooManyCopies;
  return { status: shape.status, body: writeTooManyCopies(shape, firstVaultId, language) };
}

function writeLimited({ refusal, mayRetryAt }: Limited, language: Language): Answer {
  const shape = VAULT_REFUSALS[refusal];
  if (refusal === 'rejected') return refusalAnswer(shape, language);
  return { status: shape.status, body: writeRetryLimit(shape, mayRetryAt, language) };
}
