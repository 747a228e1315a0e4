import type { Audit } from '../audit/audit-event.ts';
import type { CommitKeyChange } from '../keys/key-change.ts';
import type { KeyStore } from '../keys/key-store.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import type { GateKeeper } from '../platform/gate.ts';
import type { ModuleContext } from '../platform/module.ts';
import type { Outages } from '../platform/outages.ts';
import type { OpenedDatabase } from '../platform/postgres/database.ts';
import type { PeerCalls } from '../platform/process-reports/peer-calls.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';
import type { Work } from '../platform/work/due-work.ts';
import type { Acquirers } from '../providers/open-acquirers.ts';
import type { Banks } from '../providers/open-banks.ts';
import type { PixBanks } from '../providers/open-pix-banks.ts';
import type { ProviderTable } from '../providers/open-provider-table.ts';
import type { Configuration } from './config.ts';
import type { TestClock } from './homologation.ts';

export type OpenedProviders = {
  readonly providerTable: ProviderTable;
  readonly acquirers: Acquirers;
  readonly banks: Banks;
  readonly pixBanks: PixBanks;
};

/** What exists before the database is open. */
export type StartContext = Pick<ModuleContext, 'closings' | 'log' | 'metrics' | 'whileDatabaseStarts'> & {
  readonly configuration: Configuration;
  readonly outages: Outages;
  readonly gate: GateKeeper;
  readonly peerCalls: PeerCalls;
  readonly tracer: Tracer | null;
};

export type AppContext = StartContext &
  ModuleContext &
  AuditedKeys &
  Omit<BusinessTime, 'works'> &
  OpenedProviders & {
    readonly database: OpenedDatabase;
    /** Ends exports, for which a stop would wait. */
    readonly stopExports: () => void;
    /** The address of the acquirer of the settings, or of its simulator; null: there is neither. */
    readonly acquirerUrl: string | null;
    readonly bankUrl: string | null;
    /** Null: another bank of Pix is configured, or none. */
    readonly pixSimulatorUrl: string | null;
    /** Commits key changes with audit entries, in the name of the service. */
    readonly commitChange: CommitKeyChange;
  };

export type AuditedKeys = { readonly store: KeyStore; readonly keyring: Keyring; readonly audit: Audit };

export type BusinessTime = Pick<ModuleContext, 'clock' | 'isJumping'> & {
  readonly testClock: TestClock | null;
  readonly works: readonly Work[];
};
