import type { Audit } from '../audit/audit-event.ts';
import type { TestClock } from '../homologation/clock/open-test-clock.ts';
import type { CommitKeyChange } from '../keys/key-change.ts';
import type { KeyStore } from '../keys/key-store.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import type { BusinessClock } from '../platform/business-clock.ts';
import type { Closing } from '../platform/closings.ts';
import type { GateKeeper } from '../platform/gate.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { ModuleContext } from '../platform/module.ts';
import type { Outages } from '../platform/outages.ts';
import type { OpenedDatabase } from '../platform/postgres/database.ts';
import type { WhileDatabaseStarts } from '../platform/postgres/database-wait.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';
import type { Work } from '../platform/work/due-work.ts';
import type { Configuration } from './config.ts';
import type { OpenedProviders } from './infrastructure.ts';

/** Exists before the database is open. */
export type StartContext = {
  readonly configuration: Configuration;
  readonly closings: Closing[];
  readonly log: Log;
  readonly metrics: Metrics;
  readonly outages: Outages;
  readonly gate: GateKeeper;
  readonly tracer: Tracer | null;
  /** Waits for the database while it starts. */
  readonly whileDatabaseStarts: WhileDatabaseStarts;
};

export type AppContext = StartContext &
  ModuleContext &
  AuditedKeys &
  Omit<BusinessTime, 'works'> &
  OpenedProviders & {
    readonly database: OpenedDatabase;
    /** A stop would otherwise wait for exports. */
    readonly stopExports: () => void;
    /** Of those that the settings name; null: they name none. */
    readonly acquirerUrl: string | null;
    readonly bankUrl: string | null;
    /** Commits key changes with audit entries, in the name of the service. */
    readonly commitChange: CommitKeyChange;
  };

export type AuditedKeys = { readonly store: KeyStore; readonly keyring: Keyring; readonly audit: Audit };

export type BusinessTime = {
  readonly clock: BusinessClock;
  readonly isJumping: (merchantId: string) => boolean;
  readonly testClock: TestClock | null;
  readonly works: readonly Work[];
};
