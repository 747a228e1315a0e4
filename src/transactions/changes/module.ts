import { openApplying } from '../../platform/feeds/apply-changes.ts';
import { type Feed, openFeed } from '../../platform/feeds/open-feed.ts';
import { counter, gauge } from '../../platform/metrics.ts';
import type { ModuleContext } from '../../platform/module.ts';
import { declarePeer } from '../../platform/process-reports/peer-metrics.ts';
import { type AcquirerChange, MOST_CHANGES } from '../../providers/acquirers/acquirer.ts';
import type { Acquirers } from '../../providers/open-acquirers.ts';
import { qualifiedChangeId } from '../../providers/provider.ts';
import type { ChangeResult } from './change.ts';
import { type RecordTools, recordChange } from './change-outcomes.sql.ts';
import { CHANGE_CURSORS, WAITING_CHANGES } from './changes.sql.ts';

const ACQUIRER_CHANGES = counter(
  'parcela_acquirer_changes_total',
  'Tries to apply changes of the acquirers, by what came of them.',
  ['outcome'],
);
const ACQUIRER_CHANGE_PAGES = counter(
  'parcela_acquirer_change_pages_total',
  'Questions for changes of the acquirers, by how they were answered.',
  ['outcome'],
);
const ACQUIRER_CHANGES_AGE_SECONDS = gauge(
  'parcela_acquirer_changes_age_seconds',
  'How long ago this process received changes of an acquirer, or the answer that there are none.',
  ['provider'],
);
declarePeer('acquirer', { feedAge: ACQUIRER_CHANGES_AGE_SECONDS });

/** Limits requests at the same time: resolving needs the other connections to the acquirers. */
const PULLS_AT_ONCE = 8;
const REFUSALS: readonly ChangeResult[] = [
  'unknownTransaction',
  'notCharged',
  'unknownInstallment',
  'forbiddenMove',
  'otherAmount',
];

type ChangesContext = Pick<ModuleContext, 'database' | 'clock' | 'log' | 'metrics'> & {
  readonly configuration: ModuleContext['configuration'] & {
    readonly cell: string | null;
    readonly changesSeconds: number;
    readonly acquirerTimeoutMilliseconds: number;
  };
  readonly acquirers: Acquirers;
};

/** Homologation and cells ask for each merchant separately; production without cells asks once for all. */
export function openChanges(
  context: ChangesContext,
  { deliverer, chargebacks }: Required<Pick<RecordTools, 'deliverer' | 'chargebacks'>>,
): Feed {
  const { configuration, database, acquirers, log } = context;
  return openFeed(context, {
    name: 'pullChanges',
    cursors: CHANGE_CURSORS,
    providers: acquirers.all,
    async ask(provider, request, timeout) {
      const answer = await acquirers.of(provider).changesSince(request, timeout);
      if (answer.kind === 'notOffered') return { ...answer, reason: 'the acquirer reports no changes' };
      return answer.kind === 'changes' ? { ...answer, changes: changesOf(provider, answer.changes) } : answer;
    },
    timeoutMilliseconds: configuration.acquirerTimeoutMilliseconds,
    mostChanges: MOST_CHANGES,
    pullsAtOnce: PULLS_AT_ONCE,
    pauseSeconds: configuration.changesSeconds,
    isForAllMerchants: configuration.environment === 'production' && configuration.cell === null,
    pages: ACQUIRER_CHANGE_PAGES,
    age: ACQUIRER_CHANGES_AGE_SECONDS,
    unreadable: 'what the acquirer reported was no change: see parcela resolve changes',
    applying: openApplying(context, {
      name: 'applyChanges',
      waiting: WAITING_CHANGES,
      subjectOf: ({ reference }) => reference,
      record: (change) => recordChange({ database, deliverer, chargebacks }, change),
      warnings: REFUSALS,
      outcomes: ACQUIRER_CHANGES,
      warnOfChange: ({ merchantId, changeId, reference, installmentNumber }, reason) =>
        log.warn({ merchantId, changeId, reference, installmentNumber, reason }, 'a change was not applied'),
    }),
  });
}

/** Makes the ids of changes differ between acquirers, because each numbers its own. */
function changesOf(provider: string, changes: readonly AcquirerChange[]): readonly AcquirerChange[] {
  return changes.map((change) => ({ ...change, changeId: qualifiedChangeId(provider, change.changeId) }));
}
