import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { businessClock } from '../../src/platform/business-clock.ts';
import { plainChannel } from '../../src/platform/channels/open-channel.ts';
import { DatabaseTime } from '../../src/platform/database-time.ts';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { createWakeSignal } from '../../src/platform/work/wake-signal.ts';
import { bridgeAcquirer } from '../../src/providers/acquirers/adapters/bridge/bridge.ts';
import { NO_NETWORK_REFERENCE } from '../../src/providers/acquirers/network-reference.ts';
import { type ChargeResult, chargeCard } from '../../src/transactions/methods/card/charge-card.ts';
import { type IntentRow, writeIntents } from '../../src/transactions/methods/card/intents.sql.ts';
import {
  type OutcomeRow,
  outcomeLeases,
  recordedOutcomes,
  writeOutcomes,
} from '../../src/transactions/methods/card/outcomes.sql.ts';
import type { Intent } from '../../src/transactions/transaction.ts';
import { cents } from '../../src/values/cents.ts';
import { instant } from '../../src/values/instant.ts';
import { call, TEST_CARD, tokenize } from '../kit/merchant.ts';
import { type ChangesService, openChangesService } from './changes-service.ts';

/**
 * The charge of a billing, as whoever charges billings makes it: intent and outcome in commits of
 * its own.
 */
export type BillingCharge = {
  readonly transactionId: string;
  readonly billingId: string;
  readonly result: ChargeResult | { readonly kind: 'notTaken' };
};

export type BillingChargesService = ChangesService & {
  /** The tests' own pool, as a service has it. */
  readonly books: Database;
  /** Stores a card; gives its id. */
  storeCard(): Promise<string>;
  /** Charges a billing's amount from this process. */
  charge(amount: number, change?: Partial<Intent> & { vaultId?: string }): Promise<BillingCharge>;
};

const NO_DELIVERER = { leaseForNow: () => 0 };
const REQUEST_MILLISECONDS = 14_000;
const ACQUIRER_MILLISECONDS = 4_000;

export async function openBillingChargesService(): Promise<BillingChargesService> {
  const service = await openChangesService();
  const books = openDatabase(service.database.address, () => {});
  const acquirer = bridgeAcquirer(service.bridge.url, plainChannel(2_000), null, () => {});
  const url = service.gatewayUrl;
  return {
    ...service,
    books,
    async storeCard() {
      const numberToken = await tokenize(url, service.token);
      const body = {
        numberToken,
        brand: 'mastercard',
        cardholderName: 'ANA SOUZA',
        expirationMonth: '12',
        expirationYear: '39',
      };
      const reply = await call(url, '/v1/vaults/cards', { token: service.token, body });
      assert.equal(reply.status, 200, reply.text);
      return reply.body.vaultId as string;
    },
    async charge(amount, { vaultId, ...change } = {}) {
      const intent = { ...billingIntent(service.merchantId, amount, vaultId ?? randomUUID()), ...change };
      const tools = {
        database: books,
        acquirers: { of: () => acquirer, choose: () => 'default' },
        clock: businessClock(new DatabaseTime()),
        wakeSignal: createWakeSignal(),
        acquirerTimeoutMilliseconds: ACQUIRER_MILLISECONDS,
        observe: () => {},
        writeUnsent: async () => ({ isRecorded: false }),
        async writeIntent(row: IntentRow) {
          const written = await books.transaction(async (tx) => {
            await writeOutcomes(tx, [], []);
            return await writeIntents(tx, [row]);
          });
          return written.has(row.transactionId) ? ('committed' as const) : ('notTaken' as const);
        },
        async writeOutcome(row: OutcomeRow) {
          const changed = await books.transaction(async (tx) => {
            const rows = await writeOutcomes(tx, [row], outcomeLeases([row], NO_DELIVERER));
            await writeIntents(tx, []);
            return rows;
          });
          return { isRecorded: recordedOutcomes(changed).has(row.transactionId) };
        },
      };
      const card = {
        number: TEST_CARD,
        brand: 'mastercard',
        holderName: 'ANA SOUZA',
        securityCode: null,
        expirationMonth: '12',
        expirationYear: '39',
      } as const;
      const result = await chargeCard(tools, intent, card, performance.now() + REQUEST_MILLISECONDS);
      const { transactionId, referenceTransaction } = intent;
      return { transactionId, billingId: referenceTransaction as string, result };
    },
    async close() {
      await acquirer.close();
      await books.close();
      await service.close();
    },
  };
}

function billingIntent(merchantId: string, amount: number, vaultId: string): Intent {
  return {
    merchantId,
    transactionId: randomUUID(),
    accountNumber: '1000001',
    acquirer: 'default',
    origin: 'billing',
    antiFraudProvider: null,
    amount: cents(amount),
    installmentCount: 1,
    referenceTransaction: randomUUID(),
    trace: {
      brand: 'mastercard',
      firstSix: TEST_CARD.slice(0, 6),
      lastFour: TEST_CARD.slice(-4),
      fingerprint: randomBytes(32),
    },
    cardSource: null,
    stored: { vaultId, isFirst: true, networkReference: NO_NETWORK_REFERENCE },
    initiator: 'merchant',
    antiFraudCode: null,
    codeToClaim: null,
    verdict: null,
    verdictReasons: null,
    attempt: null,
    callbackUrl: null,
    customer: null,
    softDescriptor: null,
    authentication: null,
    storedCardReason: 'recurring',
    buyer: null,
    split: null,
    createdBy: 'system',
    soldAt: instant(Date.now()),
    request: null,
  };
}
