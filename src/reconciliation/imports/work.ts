import type { Actor, Audit } from '../../audit/audit-event.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { everySoOften } from '../../platform/work/every-so-often.ts';
import { WATCHED_LIMITS } from './open-watched-file.ts';
import { processWatchedFolder } from './process-watched-folder.ts';
import type { WatchedFile } from './watched-file.ts';

type WatchTools = {
  readonly database: Database;
  readonly audit: Audit;
  readonly notify: () => void;
  readonly log: Log;
  readonly service: Actor;
};

const LOOK_MILLISECONDS = 5_000;

/** Takes the files of a folder, once they have stopped growing between two looks. */
export function watchedFolderWork({ log, service, ...tools }: WatchTools, folder: string): Work {
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
