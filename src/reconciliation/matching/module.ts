import type { Actor, Audit } from '../../audit/audit-event.ts';
import { counter } from '../../platform/metrics.ts';
import type { ModuleContext } from '../../platform/module.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { watchedFolderWork } from '../imports/work.ts';
import type { MatchTools } from './match-due-file.ts';
import { matchingWorks } from './work.ts';

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
  /** In whose name files of the watched folder are taken. */
  readonly service: Actor;
};

/** The acquirer's files: takes those of the watched folder, and matches the lines of all. */
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
