import { auditMigrations } from '../audit/audit-migrations.ts';
import { recordCreatedKeys } from '../audit/key-changes.ts';
import { openAudit } from '../audit/open-audit.ts';
import { openKeyStore } from '../keys/open-key-store.ts';
import { openKeyring, type SealAlarm } from '../keys/open-keyring.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { AuditedKeys, StartContext } from './context.ts';
import { say, serviceHere } from './infrastructure.ts';

/** The keys and the audit log, whose first entry is the start of the service, and last its stop. */
export async function openAuditedKeys(
  { configuration, closings, log, metrics, whileDatabaseStarts }: StartContext,
  database: Database,
  migrations: readonly string[],
): Promise<AuditedKeys> {
  const { environment } = configuration;
  const { store, createdFile } = await whileDatabaseStarts(() =>
    openKeyStore(configuration.keyStore, environment, database),
  );
  const alarms = metrics.counter('parcela_seal_alarms_total', 'Sealed rows that did not open.', ['purpose']);
  const alarm: SealAlarm = (purpose, record, dataKeyId) => {
    alarms.inc({ purpose });
    log.error(
      { purpose, record, dataKeyId },
      'a sealed row does not open: it was altered, or its key is gone',
    );
  };
  const keyring = await whileDatabaseStarts(() => openKeyring(database, store, environment, alarm));
  if (createdFile !== null)
    say(`Made a new key-encryption key: ${createdFile}. Keep a copy: without it no stored card opens.`);
  const audit = await whileDatabaseStarts(() => openAudit({ database, keyring, log }));
  const detail = { processId: process.pid };
  const record = (action: 'service.start' | 'service.stop', resource: string) =>
    audit.record({ ...serviceHere(), action, outcome: 'success', resource, detail });
  await whileDatabaseStarts(() => record('service.start', `services/${environment}`));
  // Pinged first: a database that is gone answers at once, and an entry would wait for it.
  const recordStop = () => database.ping().then(() => record('service.stop', `services/${environment}`));
  closings.push({ name: 'audit log', close: recordStop });
  await whileDatabaseStarts(() => auditMigrations({ audit, database }, serviceHere(), migrations, detail));
  await whileDatabaseStarts(() => recordCreatedKeys(audit, serviceHere(), keyring));
  return { store, keyring, audit };
}
