import type { AuditEntry } from '../../audit/audit-chain.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import { countMerchants } from '../../merchants/merchants.sql.ts';
import { lookAtDatabase } from '../../platform/database-watch/server-facts.sql.ts';
import { readStamp } from '../../platform/database-watch/server-stamp.sql.ts';
import type { Gate } from '../../platform/gate.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { listReports } from '../../platform/process-reports/process-reports.sql.ts';
import { countExceptions } from '../../reconciliation/exceptions/exception-writes.sql.ts';
import { reportBytes } from '../../reconciliation/truth/day-truth.ts';
import { listDifferences, readNewestReport } from '../../reconciliation/truth/truth-differences.sql.ts';
import { countUnanswered } from '../../recurrence/automatic/unanswered.sql.ts';
import { findOldestDueDay } from '../../recurrence/collection/due-billings.sql.ts';
import { countUnresolvedBoletos } from '../../transactions/methods/boleto/unresolved/unresolved-boletos.sql.ts';
import { countLostReceipts } from '../../transactions/methods/pix/receipts/odd-receipts.sql.ts';
import { countUnresolvedPix } from '../../transactions/methods/pix/unresolved/unresolved-pix.sql.ts';
import { countUnresolved } from '../../transactions/unresolved/unresolved.sql.ts';
import { countDeliveries } from '../../webhooks/deliveries/endpoint-changes.sql.ts';
import type { Health, Integrity } from './health.ts';

export type FindHealthTools = {
  readonly database: Database;
  readonly gate: Pick<Gate, 'reason'>;
  readonly keyring: Pick<Keyring, 'checkAuditSeal'>;
  readonly findVerification: () => Promise<AuditEntry | null>;
};

const MOST_PROCESSES = 100;

/** Every count has a bound, so this stays cheap during a long outage. */
export async function findHealth(tools: FindHealthTools): Promise<Health> {
  const { database, gate } = tools;
  const unresolved = await countUnresolved(database);
  const boletos = await countUnresolvedBoletos(database);
  const pix = await countUnresolvedPix(database);
  const unanswered = await countUnanswered(database);
  const deliveries = await countDeliveries(database);
  const exceptions = await countExceptions(database);
  const { stamp, facts } = await readStamp(database);
  return {
    heldBecause: gate.reason(),
    processes: await listReports(database, MOST_PROCESSES),
    integrity: await findIntegrity(tools),
    server: { ...facts, ...(await lookAtDatabase(database)), doubt: stamp?.doubt ?? null },
    unresolved: [...unresolved, { kind: 'boleto', ...boletos }, { kind: 'pix', ...pix }, ...unanswered],
    deliveries,
    oldestDueOn: await findOldestDueDay(database),
    lostPix: await countLostReceipts(database),
    exceptions: exceptions.open.filter(({ count }) => count > 0),
    merchants: await countMerchants(database),
    readAt: Date.now(),
  };
}

async function findIntegrity({ database, keyring, findVerification }: FindHealthTools): Promise<Integrity> {
  const newest = await readNewestReport(database);
  const verified = await findVerification();
  const [largest] = await listDifferences(database, null, 1);
  return {
    isAnyDifferent: largest !== undefined,
    report: newest && {
      day: newest.day,
      charges: newest.charges,
      differences: newest.differences,
      madeAt: Math.floor(Date.now() - newest.ageSeconds * 1_000),
      isSealed: await keyring.checkAuditSeal(
        newest.dataKeyId,
        reportBytes(newest.report),
        Buffer.from(newest.seal, 'hex'),
      ),
    },
    audit: verified && {
      verifiedAt: Math.floor(Number(verified.occurredAtSeconds) * 1_000),
      by: verified.actor,
      isWhole: verified.outcome === 'success',
    },
  };
}
