import type { Actor, Audit } from '../../audit/audit-event.ts';
import { counter } from '../../platform/metrics.ts';
import type { ModuleContext } from '../../platform/module.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { everySoOften } from '../../platform/work/every-so-often.ts';
import { createWakeSignal, type WakeSignal } from '../../platform/work/wake-signal.ts';
import { processWatchedFolder, WATCHED_LIMITS } from '../imports/process-watched-folder.ts';
import type { WatchedFile } from '../imports/settlement-file.ts';
import { EARLIEST_FILE, earliestFileValues } from './candidates.sql.ts';
import { COVERAGES_DUE, coveragesDueValues } from './coverages.sql.ts';
import { findMissingPayouts, judgeDueExceptions } from './judge-due-exceptions.ts';
import { type MatchTools, matchDueFile } from './match-due-file.ts';
import { EARLIEST_EXCEPTION } from './matched-files.sql.ts';

const LOOK_FOR_MISSING_MILLISECONDS = 5_000;

function matchingWorks(tools: MatchTools, wakeSignal: WakeSignal): Work[] {
  return [
    {
      name: 'matchFiles',
      wakeSignal,
      runDue: (signal) => matchDueFile(tools, signal),
      look: { piece: EARLIEST_FILE, values: earliestFileValues },
    },
    {
      name: 'judgeExceptions',
      wakeSignal: createWakeSignal(),
      runDue: (signal) => judgeDueExceptions(tools, signal),
      look: { piece: EARLIEST_EXCEPTION },
    },
    everySoOften(
      'findMissingPayouts',
      LOOK_FOR_MISSING_MILLISECONDS,
      async (signal) => void (await findMissingPayouts(tools, signal)),
      { piece: COVERAGES_DUE, values: coveragesDueValues },
    ),
  ];
}

type WatchTools = Pick<ModuleContext, 'database' | 'log'> & {
  readonly audit: Audit;
  readonly notify: () => void;
  readonly service: Actor;
};

const LOOK_MILLISECONDS = 5_000;

function watchedFolderWork({ log, service, ...tools }: WatchTools, folder: string): Work {
  const seen = new Map<string, WatchedFile>();
  return everySoOften('watchSettlementFolder', LOOK_MILLISECONDS, async (signal) => {
    await processWatchedFolder(
      {
        ...tools,
        seen,
        limits: WATCHED_LIMITS,
        actor: service,
        observe(name, outcome) {
          log.info({ file: name, outcome }, 'a file of the settlement folder was looked at');
        },
      },
      folder,
      signal,
    );
  });
}

const SETTLEMENT_LINES = counter(
  'parcela_settlement_lines_total',
  'Lines of files, by what became of them.',
  ['outcome'],
);

export type MatchingContext = ModuleContext & {
  readonly configuration: { readonly settlementFolder: string | null };
  readonly audit: Audit;
};

export type BelowMatching = {
  readonly notifyDeliverer: () => void;
  readonly service: Actor;
};

export function openMatching(context: MatchingContext, { notifyDeliverer, service }: BelowMatching): Work[] {
  const { configuration, database, log, metrics, audit } = context;
  const wakeSignal = createWakeSignal();
  const lines = metrics.counter(SETTLEMENT_LINES);
  const tools: MatchTools = {
    database,
    notifyDeliverer,
    observe(matched, unmatched) {
      lines.inc({ outcome: 'matched' }, matched);
      lines.inc({ outcome: 'unmatched' }, unmatched);
    },
  };
  const { settlementFolder } = configuration;
  if (settlementFolder === null) return matchingWorks(tools, wakeSignal);
  const watched = { database, audit, notify: wakeSignal.notify, log, service };
  return [...matchingWorks(tools, wakeSignal), watchedFolderWork(watched, settlementFolder)];
}
