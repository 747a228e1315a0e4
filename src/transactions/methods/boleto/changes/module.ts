import { openApplying } from '../../../../platform/feeds/apply-changes.ts';
import { type Feed, openFeed } from '../../../../platform/feeds/open-feed.ts';
import { counter, gauge } from '../../../../platform/metrics.ts';
import type { ModuleContext } from '../../../../platform/module.ts';
import { declarePeer } from '../../../../platform/process-reports/peer-metrics.ts';
import { type BankChange, type BankSettings, MOST_BANK_CHANGES } from '../../../../providers/banks/bank.ts';
import type { Banks } from '../../../../providers/open-banks.ts';
import { qualifiedChangeId } from '../../../../providers/provider.ts';
import type { Deliverer } from '../../../../webhooks/deliveries/delivery.ts';
import type { BankChangeResult } from './bank-change.ts';
import { BANK_CURSORS, recordBankChange, WAITING_BANK_CHANGES } from './bank-changes.sql.ts';

const BANK_CHANGES = counter(
  'parcela_bank_changes_total',
  'Tries to apply changes of the bank, by what came of them; paidAgain and paidAfter…: payments that nobody expected.',
  ['outcome'],
);
const BANK_CHANGE_PAGES = counter(
  'parcela_bank_change_pages_total',
  'Questions for changes of the bank, by how they were answered.',
  ['outcome'],
);
const BANK_CHANGES_AGE_SECONDS = gauge(
  'parcela_bank_changes_age_seconds',
  'How long ago this process received changes of a bank, or the answer that there are none.',
  ['provider'],
);
declarePeer('bank', { feedAge: BANK_CHANGES_AGE_SECONDS });

/** Limits requests at the same time: issuing needs the other connections to the bank. */
const PULLS_AT_ONCE = 4;
const WARNINGS: readonly BankChangeResult[] = [
  'unknownBoleto',
  'forbiddenMove',
  'paidAgain',
  'paidAfterCancel',
  'paidAfterExpiry',
  'paidAfterRefusal',
  'filedAgain',
];

type BankChangesContext = Pick<ModuleContext, 'database' | 'clock' | 'log' | 'metrics'> & {
  readonly configuration: ModuleContext['configuration'] & {
    readonly cell: string | null;
    readonly bank: Pick<BankSettings, 'timeoutMilliseconds' | 'changesSeconds'>;
  };
};

/** Without a bank only files are applied. */
export function openBankChanges(
  context: BankChangesContext,
  { banks, deliverer }: { readonly banks: Banks; readonly deliverer: Deliverer },
): Feed {
  const { configuration, database, log } = context;
  return openFeed(context, {
    name: 'pullBankChanges',
    cursors: BANK_CURSORS,
    providers: banks.all,
    async ask(provider, request, timeout) {
      const answer = await banks.of(provider).changesSince(request, timeout);
      return answer.kind === 'changes' ? { ...answer, changes: changesOf(provider, answer.changes) } : answer;
    },
    timeoutMilliseconds: configuration.bank.timeoutMilliseconds,
    mostChanges: MOST_BANK_CHANGES,
    pullsAtOnce: PULLS_AT_ONCE,
    pauseSeconds: configuration.bank.changesSeconds,
    isForAllMerchants: configuration.environment === 'production' && configuration.cell === null,
    pages: BANK_CHANGE_PAGES,
    age: BANK_CHANGES_AGE_SECONDS,
    unreadable: 'what the bank reported was no change: see parcela resolve changes',
    applying: openApplying(context, {
      name: 'applyBankChanges',
      waiting: WAITING_BANK_CHANGES,
      subjectOf: ({ ourNumber }) => ourNumber,
      record: (change) => recordBankChange(database, deliverer, change),
      warnings: WARNINGS,
      outcomes: BANK_CHANGES,
      warnOfChange: ({ merchantId, changeId, ourNumber, event }, reason) =>
        log.warn(
          { merchantId, changeId, ourNumber, event, reason },
          'a change of the bank is not as expected',
        ),
    }),
  });
}

/** Each bank numbers its own changes. */
function changesOf(provider: string, changes: readonly BankChange[]): readonly BankChange[] {
  return changes.map((change) => ({ ...change, changeId: qualifiedChangeId(provider, change.changeId) }));
}
