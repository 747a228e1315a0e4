import type { BusinessClock } from './business-clock.ts';
import type { Closing } from './closings.ts';
import type { OpenExport } from './exports.ts';
import type { Gate } from './gate.ts';
import type { Endpoint, ServedEndpoint } from './http/endpoint.ts';
import type { RefusalShape } from './http/refusal.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { BatchedWrite, BatchedWriteOptions } from './postgres/batched-writes.ts';
import type { Database } from './postgres/database.ts';
import type { WhileDatabaseStarts } from './postgres/database-wait.ts';
import type { LookUp, Search } from './postgres/searches.ts';
import type { CatalogueTable } from './reference/catalogue.ts';
import type { MessageContract } from './reference/messages.ts';
import type { Texts } from './reference/wording.ts';
import type { ClockedWork, Work } from './work/due-work.ts';

export type Module = {
  readonly endpoints: readonly ServedEndpoint[];
  readonly works: readonly Work[];
  /** Work by business time, for jumps of the test clock. */
  readonly clockedWork: readonly ClockedWork[];
};

/** The part of a module that can be printed without opening it. */
export type Published = {
  readonly endpoints: readonly Pick<Endpoint<never>, 'contract'>[];
  readonly refusals: readonly PublishedRefusals[];
  /** Messages sent to merchants without a request. */
  readonly messages?: readonly MessageContract[];
  /** Portuguese of its contracts, and of fields that contracts do not describe. */
  readonly texts?: Texts;
  readonly tables?: readonly CatalogueTable[];
};

export type PublishedRefusals = {
  readonly title: string;
  readonly text: string;
  readonly refusals: Readonly<Record<string, RefusalShape>>;
};

/** The context of every module. A module adds the settings that it needs. */
export type ModuleContext = {
  readonly configuration: { readonly environment: 'homologation' | 'production' };
  readonly database: Database;
  /** For lists, searches and histories, on connections of their own. */
  readonly search: Search;
  /** For reads by id. */
  readonly lookUp: LookUp;
  /** For lists of any length. */
  readonly openExport: OpenExport;
  /** Batched writes that report rows per statement to the metrics. */
  readonly batched: <Row, Result>(options: BatchedWriteOptions<Row, Result>) => BatchedWrite<Row, Result>;
  readonly clock: BusinessClock;
  /** During a clock jump other systems get one second to answer. */
  readonly isJumping: (merchantId: string) => boolean;
  readonly gate: Gate;
  readonly log: Log;
  readonly metrics: Metrics;
  /** For what a module reads when it opens. */
  readonly whileDatabaseStarts: WhileDatabaseStarts;
  readonly closings: Closing[];
};
