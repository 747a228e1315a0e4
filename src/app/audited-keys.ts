import { recordCreatedKeys } from '../audit/audit-event.ts';
import { auditMigrations, checkingAudit, loggingCommandEntries, openAudit } from '../audit/open-audit.ts';
import type { TailLook } from '../audit/open-chain-walk.ts';

import { KeysUnusable } from '../keys/key-store.ts';
import { KEY_STORE_OPERATIONS, observedKeyStore, openKeyStore } from '../keys/open-key-store.ts';

import { openKeyring, SEALING_PURPOSES, type SealAlarm } from '../keys/open-keyring.ts';
import { type Log, say } from '../platform/log.ts';
import { counter, gauge, type Metrics } from '../platform/metrics.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Work } from '../platform/work/due-work.ts';
import type { AuditedKeys, StartContext } from './context.ts';
import { serviceHere } from './infrastructure.ts';

const KEY_STORE_FAILURES = counter(
  'parcela_key_store_failures_total',
  'Questions that the key store did not answer.',
  ['operation'],
);
const AUDIT_UNWRITTEN = counter(
  'parcela_audit_unwritten_total',
  'Times that the audit log could not be written: what was to be audited was not done.',
);
export const AUDIT_FAULT = gauge(
  'parcela_audit_fault',
  '1: what this process read of the audit log was altered or removed; run parcela audit verify.',
);
const AUDIT_CHECKED = counter(
  'parcela_audit_entries_checked_total',
  'Entries of the audit log that this process read after they were written, and found whole.',
);
const AUDIT_AGE = gauge(
  'parcela_audit_anchor_age_seconds',
  'Since the last entry of the audit log was written, and its anchor logged; 0: none was read yet.',
);
const SEAL_ALARMS = counter('parcela_seal_alarms_total', 'Sealed rows that did not open.', ['purpose']);

/** Opens keys and audit log, and records what the start has done so far. A start that failed has no entry. */
export async function openAuditedKeys(
  { configuration, closings, log, metrics, outages, whileDatabaseStarts }: StartContext,
  database: Database,
  migrations: readonly string[],
): Promise<AuditedKeys & { readonly works: readonly Work[]; readonly recordStart: () => Promise<void> }> {
  const { environment } = configuration;
  const opened = await whileDatabaseStarts(() => openKeyStore(configuration.keyStore, environment, database));
  const failures = metrics.counter(KEY_STORE_FAILURES);
  for (const operation of KEY_STORE_OPERATIONS) failures.inc({ operation }, 0);
  const store = observedKeyStore(opened.store, {
    answered: () => outages.keyStoreAnswered(),
    failed(operation, error) {
      failures.inc({ operation });
      if (error instanceof KeysUnusable) outages.keyStoreFailed(error);
    },
  });
  const { createdFile } = opened;
  const alarms = metrics.counter(SEAL_ALARMS);
  for (const purpose of SEALING_PURPOSES) alarms.inc({ purpose }, 0);
  const alarm: SealAlarm = (purpose, record, dataKeyId) => {
    alarms.inc({ purpose });
    log.error(
      { purpose, record, dataKeyId },
      'a sealed row does not open: it was altered, or its key is gone',
    );
  };
  const keyring = await whileDatabaseStarts(() => openKeyring(database, store, configuration, alarm));
  if (createdFile !== null)
    say(`Made a new key-encryption key: ${createdFile}. Keep a copy: without it no stored card opens.`);
  const unwritten = metrics.counter(AUDIT_UNWRITTEN);
  const observeUnwritten = () => unwritten.inc();
  const audit = await whileDatabaseStarts(() => openAudit({ database, keyring, log, observeUnwritten }));
  const detail = { processId: process.pid };
  const record = (action: 'service.start' | 'service.stop', resource: string) =>
    audit.record({ ...serviceHere(), action, outcome: 'success', resource, detail });
  await whileDatabaseStarts(() => auditMigrations({ audit, database }, serviceHere(), migrations, detail));
  await whileDatabaseStarts(() => recordCreatedKeys(audit, serviceHere(), keyring));
  const service = `services/${environment}`;
  let hasStarted = false;
  const recordStart = async () => {
    await whileDatabaseStarts(() => record('service.start', service));
    hasStarted = true;
  };
  // Ping first: without a database an entry would wait.
  const recordStop = async () => hasStarted && database.ping().then(() => record('service.stop', service));
  closings.push({ name: 'audit log', close: recordStop });
  const works = [
    checkingAudit({ database, keyring }, observeTail(log, metrics)),
    loggingCommandEntries(database, log),
  ];
  return { store, keyring, audit, works, recordStart };
}

/** A fault of the chain is logged once, and shown in metrics while the process runs. */
function observeTail(log: Log, metrics: Metrics): (look: TailLook) => void {
  const fault = metrics.gauge(AUDIT_FAULT);
  const checked = metrics.counter(AUDIT_CHECKED);
  const age = metrics.gauge(AUDIT_AGE);
  let isKnown = false;
  return (look) => {
    fault.set(look.fault === null ? 0 : 1);
    checked.inc(look.entries);
    age.set(look.ageSeconds ?? 0);
    if (look.fault !== null && !isKnown)
      log.error({ fault: look.fault }, 'the audit log is broken: run parcela audit verify');
    isKnown = look.fault !== null;
  };
}
