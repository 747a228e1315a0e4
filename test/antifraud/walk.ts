import { createHmac, randomBytes } from 'node:crypto';
import type { VelocityEvent } from '../../src/antifraud/anti-fraud.ts';
import type { Keyring } from '../../src/keys/open-keyring.ts';
import type { BatchedWriteOptions } from '../../src/platform/postgres/batched-writes.ts';
import type { Database } from '../../src/platform/postgres/database.ts';
import { NO_NETWORK_REFERENCE } from '../../src/providers/acquirers/network-reference.ts';
import {
  type IntentResult,
  type IntentRow,
  intentsWrite,
} from '../../src/transactions/methods/card/intents.sql.ts';
import { type OutcomeRow, outcomesWrite } from '../../src/transactions/methods/card/outcomes.sql.ts';
import { recordResolution } from '../../src/transactions/methods/card/resolutions.sql.ts';
import { cents } from '../../src/values/cents.ts';
import { instant } from '../../src/values/instant.ts';

/** What an intent has to do with anti-fraud; everything else that it writes is always the same here. */
export type WalkIntent = {
  readonly merchantId: string;
  readonly transactionId: string;
  /** Null: a stored card. */
  readonly sourceHash: Buffer | null;
  readonly cardFingerprint: Buffer;
  /** Null: nothing to claim (homologation). */
  readonly codeToClaim: string | null;
  /** Null: nothing to count. */
  readonly attempt: VelocityEvent | null;
  readonly verdict: 'accept' | 'review';
  readonly reasons: string;
};

export type WalkResult = IntentResult;

const FENCE = 0;
const LEASE_MILLISECONDS = 600_000;
const CARRIER_MILLISECONDS = 600_000;

function intentRow(intent: WalkIntent): IntentRow {
  const { merchantId, transactionId, sourceHash, cardFingerprint, codeToClaim, attempt } = intent;
  const expiresAt = instant(Date.now() + CARRIER_MILLISECONDS);
  return {
    merchantId,
    transactionId,
    accountNumber: '1',
    acquirer: 'default',
    origin: 'payment',
    antiFraudProvider: null,
    amount: cents(100),
    installmentCount: 1,
    referenceTransaction: null,
    trace: {
      brand: 'visa',
      firstSix: '411111',
      lastFour: '1111',
      fingerprint: cardFingerprint,
    },
    cardSource: sourceHash === null ? null : { hash: sourceHash, expiresAt },
    stored: null,
    initiator: 'cardholder',
    split: null,
    antiFraudCode: codeToClaim ?? transactionId,
    codeToClaim,
    verdict: intent.verdict,
    verdictReasons: intent.reasons,
    attempt,
    callbackUrl: null,
    customer: null,
    softDescriptor: null,
    authentication: null,
    storedCardReason: null,
    buyer: null,
    createdBy: 'walk',
    soldAt: instant(Date.now()),
    request: null,
    leaseMilliseconds: LEASE_MILLISECONDS,
  };
}

/** The statement of the intents as payments write it. */
export function walkIntents(
  database: Pick<Database, 'query'>,
): Pick<BatchedWriteOptions<WalkIntent, WalkResult>, 'name' | 'key' | 'merchant' | 'write' | 'isRefusal'> {
  const { name, write, isRefusal } = intentsWrite(database as Database);
  return {
    name,
    isRefusal,
    key: (row) => row.transactionId,
    merchant: (row) => row.merchantId,
    write: (rows, deadlines) => write(rows.map(intentRow), deadlines),
  };
}

/**
 * The end of transactions, declined by the issuer or undone by the settling; gives how many this
 * call has ended.
 */
export async function endAll(
  database: Database,
  intents: readonly WalkIntent[],
  state: 'declined' | 'voided',
): Promise<number> {
  const rows = intents.map((row) => outcomeRow(row, state === 'declined' ? 'declined' : 'unresolved'));
  // Not `write`, which calls an outcome that is on record already recorded.
  const before = await openOf(database, intents);
  await outcomesWrite(database, NO_DELIVERER).write(rows, []);
  if (state === 'declined') return before;
  const settled = await Promise.all(
    intents.map(({ merchantId, transactionId }) =>
      recordResolution(database, { merchantId, transactionId, fence: FENCE }, { state }, instant(Date.now())),
    ),
  );
  return settled.filter(({ isRecorded }) => isRecorded).length;
}

/** The approval of a transaction, in one part and with one share, as the answering process writes it. */
export async function approve(database: Database, intent: WalkIntent): Promise<unknown> {
  const row = outcomeRow(intent, 'approved');
  const written = await outcomesWrite(database, NO_DELIVERER).write([row], []);
  return written.get(row.transactionId);
}

/** None of these is registered. */
const NO_DELIVERER = { leaseForNow: () => 0, sendNow: () => {}, notify: () => {} };

const OPEN = {
  name: 'walk.open',
  text: `select t.transaction_id from unnest($1::text[], $2::uuid[]) as i (merchant_id, transaction_id)
   join transactions t on t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id
   where t.state = 'charging'`,
};

async function openOf(database: Database, intents: readonly WalkIntent[]): Promise<number> {
  const columns = [intents.map((row) => row.merchantId), intents.map((row) => row.transactionId)];
  return (await database.query(OPEN, columns)).length;
}

function outcomeRow(
  { merchantId, transactionId }: WalkIntent,
  state: 'approved' | 'declined' | 'unresolved',
): OutcomeRow {
  const isApproved = state === 'approved';
  const amount = cents(100);
  return {
    merchantId,
    transactionId,
    fence: FENCE,
    expected: 'charging',
    state,
    authorizationCode: isApproved ? '123456' : null,
    nsu: isApproved ? '1' : null,
    networkReference: NO_NETWORK_REFERENCE,
    tid: null,
    responseCode: state === 'declined' ? '51' : null,
    adviceCode: null,
    shares: isApproved
      ? [
          {
            installmentNumber: 1,
            position: 1,
            beneficiary: '11222333000181',
            amount,
            canceledAmount: cents(0),
          },
        ]
      : [],
    unknownReason: state === 'unresolved' ? 'no answer' : null,
    installments: isApproved ? [amount] : [],
    moment: instant(Date.now()),
    isPlain: isApproved,
  };
}

type TestKeyring = Pick<Keyring, 'fingerprints' | 'idDigest' | 'recentFingerprints' | 'reload'> & {
  /** `hoursAgo`: since when the key that was in use is not any more. */
  rotate(hoursAgo?: number): void;
};

/** Keys that a rotation changes: the newest first. */
export function testKeyring(): TestKeyring {
  const keys = [{ keyId: 1, key: randomBytes(32), retiredAt: Number.POSITIVE_INFINITY }];
  const fingerprintsUnder = (used: typeof keys, text: string) =>
    used.map(({ keyId, key }) => ({
      keyId,
      print: createHmac('sha256', key).update(text).digest(),
    })) as unknown as ReturnType<Keyring['fingerprints']>;
  return {
    reload: async () => {},
    rotate(hoursAgo = 0) {
      const [inUse] = keys as [(typeof keys)[number]];
      inUse.retiredAt = Date.now() - hoursAgo * 3_600_000;
      keys.unshift({ keyId: keys.length + 1, key: randomBytes(32), retiredAt: Number.POSITIVE_INFINITY });
    },
    idDigest: (text) => createHmac('sha256', 'never rotated').update(text).digest(),
    fingerprints: (text) => fingerprintsUnder(keys, text),
    recentFingerprints: (text, milliseconds) =>
      fingerprintsUnder(
        keys.filter(({ retiredAt }) => retiredAt > Date.now() - milliseconds),
        text,
      ),
  };
}
