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
  /** Its work by business time, for jumps of the test clock. */
  readonly clockedWork: readonly ClockedWork[];
};

/** The published part of a module: printed without opening it. */
export type Published = {
  readonly endpoints: readonly Pick<Endpoint<never>, 'contract'>[];
  readonly refusals: readonly PublishedRefusals[];
  /** What it sends to merchants by itself. */
  readonly messages?: readonly MessageContract[];
  /** What its contracts say in the other language, and of fields that they do not describe. */
  readonly texts?: Texts;
  /** What else a merchant should find in the reference. */
  readonly tables?: readonly CatalogueTable[];
};

/** One table of the error catalogue. */
export type PublishedRefusals = {
  readonly title: string;
  readonly text: string;
  readonly refusals: Readonly<Record<string, RefusalShape>>;
};

/** The context of every module; each names the settings that it needs beside it. */
export type ModuleContext = {
  readonly configuration: { readonly environment: 'homologation' | 'production' };
  readonly database: Database;
  /** Lists, searches and histories, in their queue and on connections of their own. */
  readonly search: Search;
  /** What is read by its id, in a queue of its own. */
  readonly lookUp: LookUp;
  /** Lists of any length, in a queue of their own. */
  readonly openExport: OpenExport;
  /** Batched writes, with the number of rows of each statement in the metrics. */
  readonly batched: <Row, Result>(options: BatchedWriteOptions<Row, Result>) => BatchedWrite<Row, Result>;
  readonly clock: BusinessClock;
  /** While a merchant's clock jumps, the systems that are called have a second to answer. */
  readonly isJumping: (merchantId: string) => boolean;
  readonly gate: Gate;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Waits for the database while it starts: for what a module reads when it is opened. */
  readonly whileDatabaseStarts: WhileDatabaseStarts;
  /** Closed in reverse order. */
  readonly closings: Closing[];
};
