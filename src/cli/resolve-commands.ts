import type { AuditEntry } from '../audit/audit-chain.ts';
import { readEntriesAbout } from '../audit/list-audit-entries.ts';
import { listMovedClocks } from '../merchants/merchants.sql.ts';
import { businessClock } from '../platform/business-clock.ts';
import { DatabaseTime } from '../platform/database-time.ts';
import type { FoundCharge } from '../providers/acquirers/acquirer.ts';
import { decideUnresolved } from '../transactions/unresolved/decide-unresolved.ts';
import { findCase, MOST_LISTED } from '../transactions/unresolved/unresolved.sql.ts';

import {
  type Case,
  caseResource,
  DECISION_REFUSALS,
  DECISIONS_OF,
  type Decision,
  type DecisionRefusal,
} from '../transactions/unresolved/unresolved.ts';
import { cents, reaisText } from '../values/cents.ts';
import { isUuid } from '../values/ids.ts';
import { instant, utcText } from '../values/instant.ts';
import { NO_ACQUIRER, withAcquirers } from './acquirer-of-command.ts';
import { detailOf } from './audit-commands.ts';
import {
  type AuditedCommandTools,
  type Command,
  type CommandOutcome,
  limitOption,
  matching,
  option,
  reasonOption,
  required,
  visible,
} from './command.ts';
import { runChanges, runList } from './resolve-lists.ts';

/** A decision and its audit entry are one commit, but their times are read at different moments of it. */
const AROUND_DECISION_MILLISECONDS = 60_000;
const AMOUNT = /^\d{1,8}\.\d{2}$/;
const DECISIONS: readonly Decision[] = [...new Set(Object.values(DECISIONS_OF).flat())];

const LIMIT_OPTION = limitOption(MOST_LISTED);

const ID_OPERAND = {
  name: 'ID',
  description: 'of the charge (its payment), of the cancel or of the capture, as resolve list shows it',
  check: (value: string) => (isUuid(value) ? null : 'must be an id of 36 characters'),
} as const;

/** See docs/resolving.md. */
export const RESOLVE_COMMANDS: readonly Command[] = [
  {
    words: ['resolve', 'list'],
    summary: 'show the charges, cancels, captures, boletos and Pix whose outcome is unknown, oldest first',
    options: [
      option('--merchant ID', 'only of this merchant'),
      option('--older-than MINUTES', 'only those that began so long ago or earlier', {
        check: matching(/^\d{1,7}$/, 'must be a whole number of minutes'),
      }),
      LIMIT_OPTION,
    ],
    opens: 'database',
    run: runList,
  },
  {
    words: ['resolve', 'changes'],
    summary: 'show the changes of the acquirer and of the bank that fit nothing, newest first',
    options: [LIMIT_OPTION],
    opens: 'database',
    run: runChanges,
  },
  {
    words: ['resolve', 'show'],
    summary: 'show all of one charge, cancel or capture, and what the acquirer says of it now',
    operand: ID_OPERAND,
    opens: 'audited',
    async run(given, tools) {
      const id = given.one('ID') ?? '';
      const found = await findCase(tools.database, id);
      if (found === null) return refused('unknownId', null);
      const decisions = await decisionsOn(found, tools);
      const acquirer = found.kind === 'charge' ? await askAcquirer(found, tools) : null;
      const lines = [
        ...caseLines(found),
        acquirer !== null && field('acquirer now', acquirerText(acquirer)),
        ...decisions.map((entry) => field('decided', decisionText(entry))),
        found.isUnresolved && ['', adviceOf(found)],
      ];
      const json = {
        ...found,
        acquirerNow: acquirer,
        decisions: decisions.map((entry) => ({ ...decisionOf(entry) })),
      };
      return { lines, json };
    },
  },
  {
    words: ['resolve', 'decide'],
    summary: 'make final what you found out at the acquirer’s own desk',
    operand: ID_OPERAND,
    options: [
      required(
        '--as OUTCOME',
        Object.entries(DECISIONS_OF)
          .map(([kind, decisions]) => `of a ${kind} ${decisions.join(' or ')}`)
          .join(', '),
        {
          check: (value) =>
            DECISIONS.includes(value as Decision)
              ? null
              : `must be one of ${DECISIONS.join(', ')}${LIVE_ADVICE}`,
        },
      ),
      option('--amount REAIS', 'what was captured, such as 129.90, if it is not what was asked for', {
        check: matching(AMOUNT, 'must be an amount such as 129.90'),
      }),
      reasonOption('who said so and where, for the audit log'),
    ],
    opens: 'audited',
    async run(given, tools) {
      const id = given.one('ID') ?? '';
      const decision = given.one('as') as Decision;
      const amount = given.one('amount')?.replace('.', '');
      const time = new DatabaseTime();
      await time.follow(tools.database);
      const clocks = await listMovedClocks(tools.database);
      const shifts = new Map([...clocks].map(([merchantId, clock]) => [merchantId, clock.shiftMilliseconds]));
      const decided = await decideUnresolved(
        {
          ...tools,
          clock: businessClock(time, shifts),
          acquirerTimeoutMilliseconds: tools.acquirer.timeoutMilliseconds,
          async askAcquirer(charge) {
            const answer = await askAcquirer(charge, tools);
            return answer.kind === 'notAsked' ? null : answer;
          },
          onWait: (milliseconds) =>
            tools.report(`A try may be under way; waiting ${Math.ceil(milliseconds / 1_000)} s for its end.`),
        },
        id,
        decision,
        (given.one('reason') ?? '').trim(),
        amount === undefined ? null : cents(Number(amount)),
      );
      if (decided.kind === 'refused') return refused(decided.refusal, decided.found);
      const { before, state } = decided;
      const lines = [
        `The ${before.kind} ${before.id} of ${before.merchantId} is ${state}; it was ${before.state}.`,
        'The audit log records it.',
      ];
      const { kind, merchantId } = before;
      return { lines, json: { kind, id: before.id, merchantId, before: before.state, state } };
    },
  },
];

const LIVE_ADVICE =
  '; a payment cannot be made to stay, for its buyer was answered an error: if the acquirer shows it live and cannot void ' +
  'it, have it refunded there, then decide voided. That of a billing stays by itself when the acquirer answers that it is live';

/** Only final cases can have a decision. Its entry has the time of the commit. */
async function decisionsOn(found: Case, tools: AuditedCommandTools): Promise<AuditEntry[]> {
  if (found.decidedAt === null) return [];
  const span = {
    from: found.decidedAt - AROUND_DECISION_MILLISECONDS,
    to: found.decidedAt + AROUND_DECISION_MILLISECONDS,
  };
  const entries = await readEntriesAbout(tools, caseResource(found), span);
  return entries.filter(({ action }) => action === 'resolve.decide');
}

type AskedAcquirer = FoundCharge | { readonly kind: 'notAsked'; readonly reason: string };

function askAcquirer(found: Case, tools: AuditedCommandTools): Promise<AskedAcquirer> {
  const { merchantId, transactionId, acquirer } = found;
  return withAcquirers(tools, async (acquirers): Promise<AskedAcquirer> => {
    if (!acquirers.all().includes(acquirer)) return { kind: 'notAsked', reason: NO_ACQUIRER };
    return acquirers.of(acquirer).find(merchantId, transactionId, tools.acquirer.timeoutMilliseconds);
  });
}

function acquirerText(answer: AskedAcquirer): string {
  switch (answer.kind) {
    case 'approved':
      return `approved: the charge is live (authorization ${answer.authorizationCode}, nsu ${answer.nsu})`;
    case 'preauthorized':
      return 'authorized, and not captured';
    case 'declined':
      return `declined (code ${answer.responseCode})`;
    case 'voided':
      return 'voided';
    case 'notFound':
      return 'not found; it may still be on its way';
    case 'unknown':
    case 'notSent':
      return `no clear answer: ${answer.reason}`;
    case 'notAsked':
      return `not asked: ${answer.reason}`;
  }
}

function field(name: string, value: string): string {
  return `${name.padEnd(14)}  ${value}`;
}

function caseLines(found: Case): string[] {
  const { kind, decidedAt, dueAt, refusalCode, authorizationCode, nsu } = found;
  const lines: [string, string | null][] = [
    [kind, found.id],
    ['payment', kind === 'charge' ? null : found.transactionId],
    ['made for', found.origin],
    ['merchant', found.merchantId],
    ['account', found.accountNumber],
    ['reference', found.referenceTransaction ?? '-'],
    ['amount', `${reaisText(found.amount)} in ${found.installmentCount} installment(s)`],
    ['card', `${found.brand} ${found.firstSix}…${found.lastFour}`],
    ['asked by', found.createdBy],
    ['state', stateText(found)],
    ['code', refusalCode],
    ['authorization', authorizationCode === null ? null : `${authorizationCode}, nsu ${nsu}`],
    ['begun', utcText(found.createdAt)],
    ['ended', decidedAt === null ? null : utcText(decidedAt)],
    ['tries', String(found.tries)],
    ['last reason', found.reason],
    ['next try', dueAt === null ? null : utcText(dueAt)],
  ];
  return lines.flatMap(([name, value]) => (value === null ? [] : [field(name, visible(value))]));
}

function stateText({ kind, state, decidedAt, isUnresolved }: Case): string {
  if (state === 'preauthorized') return `${state} (it waits for its capture)`;
  if (decidedAt !== null && kind === 'charge' && state === 'capturing') return state;
  if (decidedAt !== null) return `${state} (final)`;
  return isUnresolved ? `${state} (unknown)` : `${state} (its first answer is still awaited)`;
}

function adviceOf({ kind, origin, id }: Case): string {
  const advice = `It is tried again by itself. To end it: resolve decide ${id} --as ${DECISIONS_OF[kind].join('|')} --reason …`;
  if (kind !== 'charge' || origin === 'payment') return advice;
  return `${advice}\nAfter voided its billing is charged again: only when no charge of this one stays at the acquirer.`;
}

type AuditedDecision = {
  readonly entryNumber: number;
  readonly occurredAt: string;
  readonly actor: string;
  readonly origin: string;
  readonly detail: unknown;
};

function decisionOf({ entryNumber, occurredAtSeconds, actor, origin, detail }: AuditEntry): AuditedDecision {
  const occurredAt = utcText(instant(Math.floor(Number(occurredAtSeconds) * 1_000)));
  return { entryNumber, occurredAt, actor, origin, detail: detailOf(detail) };
}

function decisionText(entry: AuditEntry): string {
  const { entryNumber, occurredAt, actor, origin, detail } = decisionOf(entry);
  const { after, reason } = Object(detail) as { after?: unknown; reason?: unknown };
  return visible(`${after}, by ${actor} at ${origin}, ${occurredAt}: ${reason} (audit entry ${entryNumber})`);
}

const OPTIONS_OF: Partial<Record<DecisionRefusal, string>> = {
  notOfThisKind: '--as',
  amountUnfit: '--amount',
};

function refused(refusal: DecisionRefusal, found: Case | null): CommandOutcome {
  const what = found === null ? 'ID' : `the ${found.kind} ${found.id}`;
  const option = OPTIONS_OF[refusal] ?? null;
  const message = `${what}: ${DECISION_REFUSALS[refusal].text}${refusalDetail(refusal, found)}`;
  return { option, message };
}

function refusalDetail(refusal: DecisionRefusal, found: Case | null): string {
  if (found === null) return '';
  if (refusal === 'final') return ` It is ${found.state}, and stays so.`;
  if (refusal !== 'notOfThisKind') return '';
  return ` --as must be ${DECISIONS_OF[found.kind].join(' or ')}.`;
}
