import type { Audit } from '../audit/audit-event.ts';
import type { CommitKeyChange } from '../keys/key-change.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import { serve } from '../platform/http/endpoint.ts';
import type { Module, ModuleContext, Published } from '../platform/module.ts';
import { batchReads } from '../platform/postgres/batched-reads.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Work } from '../platform/work/due-work.ts';
import { everySoOften, following, forgetInBatches } from '../platform/work/every-so-often.ts';
import { type Acquirers, widestCapabilities } from '../providers/open-acquirers.ts';
import { CARD_ENDPOINTS, TOKENIZATION_FAULTS } from './endpoints.ts';
import type { CardTools } from './open-card-source.ts';
import { deleteKeyPair, listOverduePairs, VERSION_OF_PAIRS } from './pairs/key-pairs.sql.ts';
import { type CardKeys, openCardKeys } from './pairs/open-card-keys.ts';
import type { PairRotationTools } from './pairs/rotate-key-pair.ts';
import { CARD_REFUSALS } from './refusals.ts';
import TEXTS from './texts.json' with { type: 'json' };
import {
  cardTokensRead,
  cardTokensWrite,
  deleteExpiredLocks,
  deleteExpiredTokens,
} from './tokens/card-tokens.sql.ts';
import type { TokenizeTools } from './tokens/tokenize-card.ts';

import { VAULT_FAULTS } from './vault/contract.ts';
import { VAULT_ENDPOINTS, VAULT_LIST_ENDPOINTS } from './vault/endpoints.ts';
import { VAULT_REFUSALS } from './vault/refusals.ts';
import type { StoreVaultCardTools } from './vault/store-vault-card.ts';
import { vaultCardsRead } from './vault/vault-cards.sql.ts';

const BATCH = 20;

/** Deletes overdue pairs and their data keys' records: what was encrypted for them never opens again. */
async function deleteRetiredPairs({
  database,
  commitChange,
}: Pick<PairRotationTools, 'database' | 'commitChange'>): Promise<void> {
  for (const keyId of await listOverduePairs(database, BATCH)) {
    await commitChange(async (tx) => {
      if (await deleteKeyPair(tx, keyId))
        tx.record({ action: 'key.delete', resource: `keys/rsa/${keyId}`, detail: {} });
    });
  }
}

function forgetExpiredLocks(database: Database): Work {
  return forgetInBatches(
    'forgetExpiredLocks',
    (limit) => deleteExpiredTokens(database, limit),
    (limit) => deleteExpiredLocks(database, limit),
  );
}

const TIDY_MILLISECONDS = 60_000;

/** Reads pairs again, so that a new one is served within a second. */
function cardKeyWork(tools: {
  readonly database: Database;
  readonly cardKeys: CardKeys;
  readonly commitChange: CommitKeyChange;
}): Work[] {
  return [
    following('followKeyPairs', VERSION_OF_PAIRS, () => tools.cardKeys.reload()),
    everySoOften('deleteRetiredPairs', TIDY_MILLISECONDS, () => deleteRetiredPairs(tools)),
  ];
}

export const CARDS: Published = {
  texts: TEXTS,
  endpoints: [...CARD_ENDPOINTS, ...VAULT_LIST_ENDPOINTS, ...VAULT_ENDPOINTS],
  refusals: [
    { title: 'Card tokens', text: 'Why no token is made of a card.', refusals: TOKENIZATION_FAULTS },
    {
      title: 'Cards',
      text: 'Why a card cannot be used. The tag is the field; of these a request for a token meets `encryptedCard` only.',
      refusals: CARD_REFUSALS,
    },
    {
      title: 'Fields of a card to be stored',
      text: 'What the fields of a card to be stored must be to each other.',
      refusals: VAULT_FAULTS,
    },
    {
      title: 'Card vault',
      text: 'Why a card is not verified, not stored once more, or not removed. Why one cannot be used stands under Cards.',
      refusals: VAULT_REFUSALS,
    },
  ],
};

type CardsContext = ModuleContext & {
  readonly configuration: {
    readonly acquirerTimeoutMilliseconds: number;
    readonly environment: 'production' | 'homologation';
  };
  readonly keyring: Keyring;
  readonly audit: Audit;
  readonly acquirers: Acquirers;
  readonly commitChange: CommitKeyChange;
};

export type Cards = Module &
  Omit<CardTools, 'keyring'> &
  Pick<StoreVaultCardTools, 'warnOfDoubtfulBrand'> &
  Pick<TokenizeTools, 'writeCardToken'>;

export async function openCards(context: CardsContext): Promise<Cards> {
  const { database, batched, keyring, acquirers, log } = context;
  const namesFaults = context.configuration.environment === 'homologation';
  const cardKeys = await context.whileDatabaseStarts(() => openCardKeys(database, keyring, namesFaults));
  const findCardToken = batchReads(cardTokensRead(database));
  const findVaultCard = batchReads(vaultCardsRead(database));
  const warnOfDoubtfulBrand = (merchantId: string, firstSix: string, brand: string) =>
    log.warn({ merchantId, firstSix, brand }, 'the brand given is not the one of our list');
  const writeCardToken = batched(cardTokensWrite(database));
  return {
    cardKeys,
    writeCardToken,
    findCardToken,
    findVaultCard,
    warnOfDoubtfulBrand,
    takesBrand: (brand) => widestCapabilities(acquirers).brands.includes(brand),
    endpoints: [...serve(CARD_ENDPOINTS, { keyring, cardKeys, writeCardToken })],
    works: [
      forgetExpiredLocks(database),
      ...cardKeyWork({ database, cardKeys, commitChange: context.commitChange }),
    ],
    clockedWork: [],
  };
}
