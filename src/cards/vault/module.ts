import { hostname } from 'node:os';
import type { Acquirer } from '../../acquirers/acquirer.ts';
import type { Audit } from '../../audit/audit-event.ts';
import type { Idempotency } from '../../idempotency/module.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import { serve } from '../../platform/http/endpoint.ts';
import { counter } from '../../platform/metrics.ts';
import type { Module, ModuleContext } from '../../platform/module.ts';
import type { Cards } from '../module.ts';
import { VAULT_ENDPOINTS } from './endpoints.ts';
import { VAULT_LIST_ENDPOINTS } from './list-endpoints.ts';
import { vaultCardsRemove } from './removals.sql.ts';
import type { GuardVerification } from './store-vault-card.ts';
import { vaultCardsWrite } from './vault-cards.sql.ts';
import { forgetExpiredCards } from './work.ts';

const EXPIRED_CARDS_DELETED = counter(
  'parcela_expired_cards_deleted_total',
  'Stored cards that were removed because they expired long ago.',
);

type VaultContext = ModuleContext & {
  readonly configuration: {
    readonly acquirerTimeoutMilliseconds: number;
    readonly storedCopies: number;
    readonly expiredCardRetentionDays: number;
  };
  readonly keyring: Keyring;
  readonly audit: Audit;
  readonly acquirer: Acquirer;
};

type Below = {
  readonly cards: Pick<
    Cards,
    'cardKeys' | 'findCardToken' | 'findVaultCard' | 'takesBrand' | 'warnOfDoubtfulBrand'
  >;
  readonly idempotency: Pick<Idempotency, 'findRequest'>;
  /** From the modules above that count tries. */
  readonly guardVerification: GuardVerification;
};

/** Opened after the modules that count tries, because a verification is a try. */
export function openVault(context: VaultContext, { cards, idempotency, guardVerification }: Below): Module {
  const { database, search, lookUp, batched, keyring, audit, clock, acquirer, configuration, metrics } =
    context;
  const { cardKeys, findCardToken, findVaultCard, takesBrand, warnOfDoubtfulBrand } = cards;
  const { storedCopies: mostCopies } = configuration;
  const expired = metrics.counter(EXPIRED_CARDS_DELETED);
  return {
    endpoints: [
      ...serve(VAULT_LIST_ENDPOINTS, { search, audit, clock }),
      ...serve(VAULT_ENDPOINTS, {
        database,
        lookUp,
        keyring,
        audit,
        clock,
        acquirer,
        acquirerTimeoutMilliseconds: configuration.acquirerTimeoutMilliseconds,
        cardKeys,
        findRequest: idempotency.findRequest,
        findCardToken,
        findVaultCard,
        takesBrand,
        writeVaultCard: batched(vaultCardsWrite(database, audit, mostCopies)),
        removeVaultCard: batched(vaultCardsRemove(audit)),
        guardVerification,
        warnOfDoubtfulBrand,
        mostCopies,
      }),
    ],
    works: forgetExpiredCards(
      { database, audit, origin: hostname(), days: configuration.expiredCardRetentionDays },
      (count) => expired.inc({}, count),
    ),
    clockedWork: [],
  };
}
