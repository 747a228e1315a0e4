import type { Keyring } from '../../keys/open-keyring.ts';
import { newId, newTry } from '../../platform/chance.ts';
import type { Database, Tx } from '../../platform/postgres/database.ts';
import { NO_DEADLINE } from '../../platform/postgres/deadline.ts';
import type {
  ListedCancellation,
  ListedCapture,
  ListedCharge,
} from '../../providers/acquirers/listed-charge.ts';
import { NO_NETWORK_REFERENCE, referenceToKeep } from '../../providers/acquirers/network-reference.ts';
import { DEFAULT_PROVIDER } from '../../providers/provider.ts';
import { advancePastCharge } from '../../recurrence/collection/advance-past-charge.ts';
import { commitTakes, takeKey } from '../../recurrence/collection/charge-intents.sql.ts';
import { chargeOutcomesWrite } from '../../recurrence/collection/charge-outcomes.sql.ts';
import type { DueBilling } from '../../recurrence/collection/due-billings.sql.ts';
import { findBillingToCharge } from '../../recurrence/collection/open-charges.sql.ts';
import { APPROVED } from '../../recurrence/collection/outcome-record.ts';
import { cancelIntentsWrite } from '../../transactions/cancels/cancels.sql.ts';
import { captureUntil } from '../../transactions/capture.ts';
import { recordCaptureOutcome } from '../../transactions/methods/card/capture-outcomes.sql.ts';
import { captureIntentsWrite } from '../../transactions/methods/card/captures.sql.ts';
import { type IntentRow, writeIntents } from '../../transactions/methods/card/intents.sql.ts';
import { writeOutcomes } from '../../transactions/methods/card/outcomes.sql.ts';
import { writePreauthorizations } from '../../transactions/methods/card/preauthorizations.sql.ts';
import { releasesWrite } from '../../transactions/methods/card/releases.sql.ts';
import { type RecordedSplit, recordedShares } from '../../transactions/split.ts';
import { cents, splitIntoInstallments } from '../../values/cents.ts';
import { isUuid } from '../../values/ids.ts';
import { instant } from '../../values/instant.ts';
import {
  type Books,
  type Fault,
  type FillReason,
  faultOfRefusal,
  type KnownTransaction,
  missingCancels,
  missingCaptures,
} from './restored-charge.ts';

export type FillTools = {
  readonly database: Database;
  readonly keyring: Pick<Keyring, 'fingerprint'>;
  readonly captureDays: number;
};

export const RESTORER = 'restore';
const LONGEST_REFERENCE = 50;
/** The services take the charge over as soon as they run. */
const LEASE_MILLISECONDS = 1;
const FIRST_FENCE = 0;
const NOBODY_WAITS = { leaseForNow: () => 0, sendNow: () => {}, notify: () => {} };

export type NotWritten = readonly Fault[];

/** Writes `note` and the charge in one transaction; repeatable. null: its billing takes no charge. */
export async function fillCharge(
  tools: FillTools,
  charge: ListedCharge,
  books: Books,
  reason: FillReason,
  note: ((tx: Tx) => Promise<void>) | null = null,
): Promise<NotWritten | null> {
  const record = (known: KnownTransaction | null, intent: IntentRow | null = null) =>
    tools.database.transaction(async (tx) => {
      await note?.(tx);
      if (intent !== null) await writeIntents(tx, [intent]);
      return recordApproval(tx, tools, charge, known);
    });
  switch (reason) {
    case 'payment': {
      const [accountNumber] = books.accounts ?? [];
      if (accountNumber === undefined) return [lasting('its merchant has no account')];
      const intent = intentOf(tools, charge, accountNumber, 'payment');
      if (!(await record(null, intent))) return [lasting('the charge was not written')];
      break;
    }
    case 'underWay':
      if (!(await record(books.transaction)))
        return [lasting('its approval was not written: somebody else has it')];
      break;
    case 'billing': {
      const { transaction: known } = books;
      const due =
        known === null ? await takeBilling(tools, charge, books) : await findDue(tools, charge, books);
      if (due === null) return null;
      if (known?.state === 'approved') {
        if (note !== null) await tools.database.transaction(note);
      } else if (!(await record(known)))
        return [lasting('its approval was not written: the services find it out')];
      await endBilling(tools, charge, due);
      break;
    }
    case 'requests':
    case 'release':
      if (note !== null) await tools.database.transaction(note);
      break;
  }
  return fillRequests(tools, charge, books.transaction, reason);
}

/** Charges made outside the gateway, for example in the acquirer's portal. */
const notOurs = (name: string, reference: string) => lasting(`${name} has the foreign id ${reference}`);

const lasting = (words: string): Fault => ({ words, isPassing: false });

export async function fillRequests(
  { database }: Pick<FillTools, 'database'>,
  charge: ListedCharge,
  known: KnownTransaction | null,
  reason: FillReason,
): Promise<NotWritten> {
  const faults: (Fault | null)[] = [];
  if (reason === 'release') faults.push(await release(database, charge));
  for (const capture of missingCaptures(charge, known ?? { captureIds: [] }))
    faults.push(await fillCapture(database, charge, capture));
  for (const asked of missingCancels(charge, known ?? { cancelIds: [] }))
    faults.push(await fillCancel(database, charge, asked));
  return faults.filter((fault) => fault !== null);
}

/** The acquirer knows no account (the merchant's only one is used), buyer, split or fingerprint. */
function intentOf(
  { keyring }: FillTools,
  charge: ListedCharge,
  accountNumber: string,
  origin: IntentRow['origin'],
): IntentRow {
  const { merchantId, reference, merchantReference, brand, firstSix, lastFour } = charge;
  const { print } = keyring.fingerprint(`restored|${merchantId}|${reference}`);
  const isKept = merchantReference !== null && [...merchantReference].length <= LONGEST_REFERENCE;
  return {
    merchantId,
    transactionId: reference.toLowerCase(),
    accountNumber,
    acquirer: charge.acquirer ?? DEFAULT_PROVIDER,
    origin,
    amount: charge.authorizedAmount,
    installmentCount: charge.installments,
    referenceTransaction: isKept ? merchantReference : null,
    trace: { brand, firstSix, lastFour, fingerprint: print },
    cardSource: null,
    stored: null,
    initiator: charge.initiator,
    antiFraudCode: null,
    codeToClaim: null,
    verdict: null,
    verdictReasons: null,
    antiFraudProvider: null,
    attempt: null,
    callbackUrl: null,
    customer: null,
    softDescriptor: null,
    authentication: null,
    storedCardReason: null,
    buyer: null,
    split: null,
    createdBy: RESTORER,
    soldAt: charge.soldAt,
    request: null,
    leaseMilliseconds: LEASE_MILLISECONDS,
  };
}

/** `known`: the row that waits for it; null: a new one. False if nothing was written. */
async function recordApproval(
  tx: Tx,
  { captureDays }: FillTools,
  charge: ListedCharge,
  known: KnownTransaction | null,
): Promise<boolean> {
  const { merchantId, reference, authorizationCode, nsu, tid } = charge;
  const networkReference = referenceToKeep(charge.networkReference, charge.brand);
  if (authorizationCode === null || nsu === null) throw new Error(`the charge ${reference} was not approved`);
  const head = { merchantId, transactionId: reference.toLowerCase(), fence: known?.fence ?? FIRST_FENCE };
  const approval = { ...head, authorizationCode, nsu, networkReference, tid, moment: charge.soldAt };
  if (charge.isCapturedLater) {
    const row = { ...approval, captureUntil: timeOf(charge, captureDays) };
    return (await writePreauthorizations(tx, [row])).size === 1;
  }
  const installments = splitIntoInstallments(charge.amount, charge.installments);
  const split: RecordedSplit | null = known?.split ?? null;
  const nothing = { responseCode: null, adviceCode: null, unknownReason: null };
  const outcome = {
    ...{ ...approval, ...nothing, expected: 'charging' as const, state: 'approved' as const },
    ...{ installments, shares: recordedShares(charge.amount, split, installments) },
  };
  return (await writeOutcomes(tx, [outcome], [0])).length === 1;
}

/** Later than the charge's last capture, however late that was. */
function timeOf(charge: ListedCharge, captureDays: number) {
  const until = captureUntil(charge.soldAt, captureDays);
  return instant(Math.max(until, ...charge.captures.map(({ capturedAt }) => capturedAt + 1)));
}

async function findDue(
  { database }: FillTools,
  { merchantId }: ListedCharge,
  { billing }: Books,
): Promise<DueBilling | null> {
  return (await findBillingToCharge(database, merchantId, billing?.billingId ?? ''))?.due ?? null;
}

/** No other charge of the billing can begin. The billing is paid once this charge is recorded. */
async function takeBilling(tools: FillTools, charge: ListedCharge, books: Books): Promise<DueBilling | null> {
  const { database } = tools;
  const { merchantId, reference: transactionId } = charge;
  const billingId = books.billing?.billingId ?? '';
  // A later try may have the same id: if this charge ended unpaid, that try would never be made.
  await database.transaction((tx) => advancePastCharge(tx, { merchantId, billingId, transactionId }));
  const found = await findBillingToCharge(database, merchantId, billingId);
  if (found === null) return null;
  const { due, state } = found;
  const intent = intentOf(tools, charge, due.accountNumber, 'billing');
  const stored = { vaultId: due.vaultId, isFirst: false, networkReference: NO_NETWORK_REFERENCE };
  const attemptNumber = state === 'opened' ? due.chargesMade + 1 : null;
  const row = {
    ...due,
    attemptNumber,
    taker: newTry(),
    intent: { ...intent, stored, initiator: 'merchant' as const },
  };
  const taken = await commitTakes(database, [row]);
  return taken.get(takeKey(row)) === 'committed' ? due : null;
}

/** Opens the next billing, which the acquirer may have charged too. Otherwise the services do it. */
async function endBilling(
  { database }: FillTools,
  { reference, soldAt }: ListedCharge,
  { merchantId, billingId, subscriptionId }: DueBilling,
): Promise<void> {
  const of = { merchantId, billingId, subscriptionId, transactionId: reference.toLowerCase() };
  const end = { ...of, kind: 'resolved', facts: APPROVED, by: RESTORER, at: soldAt } as const;
  await chargeOutcomesWrite(database, NOBODY_WAITS, () => 0).write([end], [NO_DEADLINE]);
}

async function release(
  database: Database,
  { merchantId, reference, changedAt }: ListedCharge,
): Promise<Fault | null> {
  const transactionId = reference.toLowerCase();
  const row = { merchantId, releaseId: newId(), transactionId, createdBy: RESTORER };
  const asked = { requestedAt: changedAt, leaseMilliseconds: LEASE_MILLISECONDS, request: null };
  const written = await releasesWrite(database).write([{ ...row, ...asked }], [NO_DEADLINE]);
  return faultOf('its release', written.get(transactionId));
}

async function fillCapture(
  database: Database,
  { merchantId, reference }: ListedCharge,
  { captureReference, amount, capturedAt }: ListedCapture,
): Promise<Fault | null> {
  if (!isUuid(captureReference)) return notOurs(`its capture of ${amount}`, captureReference);
  const captureId = captureReference.toLowerCase();
  const transactionId = reference.toLowerCase();
  const made = { minimumInstallment: cents(1), createdBy: RESTORER, leaseMilliseconds: LEASE_MILLISECONDS };
  const asked = { requestedAt: capturedAt, request: null };
  const row = { merchantId, captureId, transactionId, amount, ...made, ...asked };
  const name = `its capture of ${amount}`;
  const written = await captureIntentsWrite(database).write([row], [NO_DEADLINE]);
  const fault = faultOf(name, written.get(transactionId));
  if (fault !== null) return fault;
  const captured = { merchantId, captureId, transactionId, amount, refusalReason: null, moment: capturedAt };
  const recorded = await database.transaction((tx) => recordCaptureOutcome(tx, captured, NOBODY_WAITS));
  return recorded.length === 1 ? null : { words: `${name} is asked for by the services`, isPassing: true };
}

/** The services send it again under its own id, and the acquirer answers what it has booked. */
async function fillCancel(
  database: Database,
  { merchantId, reference }: ListedCharge,
  { cancellationReference, amount, requestedAt }: ListedCancellation,
): Promise<Fault | null> {
  if (!isUuid(cancellationReference)) return notOurs(`its cancel of ${amount}`, cancellationReference);
  const transactionId = reference.toLowerCase();
  const asked = { amount, createdBy: RESTORER, requestedAt, wholeAt: [], oneAt: [] };
  const row = {
    ...{ merchantId, cancelId: cancellationReference.toLowerCase(), transactionId, ...asked },
    ...{ oldestSale: instant(0), oldestAt: {} },
    ...{ request: null, leaseMilliseconds: LEASE_MILLISECONDS },
  };
  const written = await cancelIntentsWrite(database).write([row], [NO_DEADLINE]);
  return faultOf(`its cancel of ${amount}`, written.get(transactionId));
}

type WrittenRequest = symbol | { readonly kind: string; readonly refusal?: string } | undefined;

function faultOf(name: string, result: WrittenRequest): Fault | null {
  if (typeof result === 'symbol' || result === undefined) return faultOfRefusal(name, null);
  if (result.kind === 'committed' || result.kind === 'released') return null;
  return faultOfRefusal(name, result.refusal ?? result.kind);
}
