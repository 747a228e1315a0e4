/** Identifies a database. A part is null where the server does not show it. */
export type ServerIdentity = {
  /** Set by initdb; all copies of its files share it. */
  readonly systemIdentifier: string | null;
  /** Differs between databases of a server, so also after pg_restore. */
  readonly databaseOid: number;
  /** The oid of the stamp's table: it changes when a dump is restored over its own database. */
  readonly tableOid: number;
  /** Raised by each promotion and point-in-time recovery. */
  readonly timeline: number | null;
};

export type ServerFacts = ServerIdentity & {
  readonly version: number;
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly synchronousCommit: string;
  readonly hasSynchronousStandby: boolean;
  /** Connections that read the WAL, including standbys. */
  readonly logReaders: number;
  readonly isReadOnly: boolean;
  /** Whether the connection keeps its settings: a pooler may drop them. */
  readonly keepsSettings: boolean;
};

/** Why acknowledged commits might not survive on this server, or null. */
export function unfitness(facts: ServerFacts): string | null {
  if (facts.version < 150_000) return `PostgreSQL 15 or later is needed, this server is ${facts.version}`;
  if (facts.fsync !== 'on') return 'the server runs with fsync off: a crash could lose acknowledged payments';
  if (facts.fullPageWrites !== 'on')
    return 'the server runs with full_page_writes off: a crash could damage its files';
  if (facts.synchronousCommit === 'off')
    return 'synchronous_commit is off: a crash could lose acknowledged payments';
  if (facts.synchronousCommit === 'local' && facts.hasSynchronousStandby)
    return 'synchronous_commit is local beside a synchronous standby: its promotion could lose acknowledged payments';
  if (!facts.keepsSettings)
    return (
      'the connection lost the settings it was opened with: a pooler such as PgBouncer is in between; lead ' +
      'Parcela to PostgreSQL itself (docs/restore.md)'
    );
  return null;
}

/** Why this server commits nothing now, though it may later; or null. */
export function standstill(facts: ServerFacts): string | null {
  if (facts.isReadOnly)
    return 'the database takes no writes: it is a standby, or default_transaction_read_only is on';
  if (isReplicatedBeforeAnswer(facts) && facts.logReaders === 0)
    return 'synchronous_standby_names asks for a standby and none is connected: no commit ends';
  return null;
}

export function weaknesses(facts: ServerFacts, isProduction: boolean): string[] {
  const found: string[] = [];
  if (facts.systemIdentifier === null)
    found.push(
      'the server does not say who it is (pg_control_system): a copy of the database may go unnoticed',
    );
  if (isProduction && facts.logReaders > 0 && !facts.hasSynchronousStandby)
    found.push(
      'the server is replicated without a synchronous standby: a failover may lose acknowledged payments, and all work is ' +
        'held after one until parcela restore accept; set synchronous_standby_names',
    );
  return found;
}

/** Whether an acknowledged commit is on a standby too, so that a promotion loses none. */
export function isReplicatedBeforeAnswer(facts: ServerFacts): boolean {
  return facts.hasSynchronousStandby && !['local', 'off'].includes(facts.synchronousCommit);
}
