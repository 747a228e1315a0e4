import { callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { pageFor, writePage } from '../../platform/pages.ts';
import { writeVaultCard } from './contract.ts';
import { LIST_VAULT_CARDS, readListQuery } from './list-contract.ts';
import { type ListVaultCardsTools, listVaultCards } from './list-vault-cards.ts';

export const VAULT_LIST_ENDPOINTS: readonly Endpoint<ListVaultCardsTools>[] = [
  endpoint(LIST_VAULT_CARDS, async (tools: ListVaultCardsTools, call) => {
    const { merchantId, userName } = callerOf(call);
    const wanted = pageFor(call, readListQuery(call.query));
    const found = await listVaultCards(tools, { merchantId, userName, address: call.address }, wanted);
    return { status: 200, body: writePage(wanted, found, writeVaultCard) };
  }),
];
