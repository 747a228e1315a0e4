import type { Acquirer } from '../../acquirers/acquirer.ts';
import type { Audit } from '../../audit/audit-event.ts';
import type { Idempotency } from '../../idempotency/module.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import { serve } from '../../platform/http/endpoint.ts';
import type { Module, ModuleContext } from '../../platform/module.ts';
import type { Cards } from '../module.ts';
import { VAULT_ENDPOINTS } from './endpoints.ts';
import type { GuardVerification } from './store-vault-card.ts';
import { vaultCardsRemove, vaultCardsWrite } from './vault-cards.sql.ts';

type VaultContext = ModuleContext & {
  readonly configuration: { readonly acquirerTimeoutMilliseconds: number };
  readonly keyring: Keyring;
  readonly audit: Audit;
  readonly acquirer: Acquirer;
};

type Below = {
  readonly cards: Pick<Cards, 'cardKeys' | 'findCardToken' | 'findVaultCard' | 'warnOfDoubtfulBrand'>;
  readonly idempotency: Pick<Idempotency, 'findRequest'>;
  /** Of modules above: whoever counts tries. */
  readonly guardVerification: GuardVerification;
};

/** What is stored to be charged again. Opened behind the modules that count tries: a verification is one. */
export function openVault(context: VaultContext, { cards, idempotency, guardVerification }: Below): Module {
  const { database, batched, keyring, audit, clock, acquirer, configuration } = context;
  const { cardKeys, findCardToken, findVaultCard, warnOfDoubtfulBrand } = cards;
  return {
    endpoints: serve(VAULT_ENDPOINTS, {
      database,
      keyring,
      audit,
      clock,
      acquirer,
      acquirerTimeoutMilliseconds: configuration.acquirerTimeoutMilliseconds,
      cardKeys,
      findRequest: idempotency.findRequest,
      findCardToken,
      findVaultCard,
      writeVaultCard: batched(vaultCardsWrite(database, audit)),
      removeVaultCard: batched(vaultCardsRemove(audit)),
      guardVerification,
      warnOfDoubtfulBrand,
    }),
    works: [],
    clockedWork: [],
  };
}
