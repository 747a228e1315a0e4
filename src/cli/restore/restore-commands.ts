import { skipOurNumbers } from '../../boletos/boleto-intents.sql.ts';
import { acceptance, readStamp } from '../../platform/database-watch/server-stamp.sql.ts';
import { textOf } from '../../platform/database-watch/server-stamp.ts';
import type { RestoreRun } from '../../reconciliation/restored/restored-charge.ts';
import { countUndecided, newestRestoreRun } from '../../reconciliation/restored/restored-charges.sql.ts';
import { skipMovementIds } from '../../transactions/movements/movements.sql.ts';
import {
  type AuditedCommandTools,
  type Command,
  type CommandOutcome,
  type CommandTools,
  type GivenOptions,
  reasonOption,
} from '../command.ts';
import { RESTORE_DECIDE, RESTORE_LIST } from './restore-decide.ts';
import { RESTORE_RECONCILE } from './restore-reconcile.ts';

/**
 * A database that was copied or restored does not act until its operator says that it shall: see
 * docs/restore.md.
 */
export const RESTORE_COMMANDS: readonly Command[] = [
  {
    words: ['restore', 'show'],
    summary: 'show whether this database is the one it was stamped as, or a copy',
    options: [],
    opens: 'database',
    run: runShow,
  },
  RESTORE_RECONCILE,
  RESTORE_LIST,
  RESTORE_DECIDE,
  {
    words: ['restore', 'accept'],
    summary: 'let a copied or restored database charge, settle and send from now on',
    switches: [
      { name: 'unreconciled', description: 'also where restore reconcile was begun and did not end' },
    ],
    options: [
      reasonOption('what was restored and why nothing else works on the same money, for the audit log'),
    ],
    opens: 'audited',
    run: runAccept,
  },
];

async function runShow(_given: GivenOptions, { database }: CommandTools): Promise<CommandOutcome> {
  const { stamp, facts } = await readStamp(database);
  const stamped = stamp === null ? null : textOf(stamp);
  const is = textOf(facts);
  const isAccepted = stamped === is && stamp?.doubt === null;
  return {
    ok: true,
    isBad: !isAccepted,
    lines: [
      `stamped as  ${stamped ?? 'nothing yet: the first start stamps it'}`,
      `is          ${is}`,
      ...(typeof stamp?.doubt === 'string' ? [`in doubt    ${stamp.doubt}`] : []),
      isAccepted
        ? 'It acts.'
        : 'All work is held where a service was not there when it changed; restore accept ends that.',
    ],
    json: { stampedAs: stamped, is, doubt: stamp?.doubt ?? null, isAccepted },
  };
}

async function runAccept(given: GivenOptions, tools: AuditedCommandTools): Promise<CommandOutcome> {
  const { stamp, facts } = await readStamp(tools.database);
  if (facts.isReadOnly)
    return { ok: false, option: null, message: 'the server takes no writes: it is read-only' };
  const { ofBillings, undecided } = await countUndecided(tools.database);
  if (ofBillings > 0)
    return {
      ok: false,
      option: null,
      message: `${ofBillings} charges of billings wait for a decision, and their billings would be charged again: see restore list`,
    };
  const run = await newestRestoreRun(tools.database);
  if (run !== null && run.finishedAt === null && !given.has('unreconciled'))
    return {
      ok: false,
      option: null,
      message: 'restore reconcile was begun and has not ended: what it would find may be charged again',
    };
  const was = stamp === null ? 'nothing' : textOf(stamp);
  const is = textOf(facts);
  const lastSkipped = await skipOurNumbers(tools.database);
  await skipMovementIds(tools.database);
  await tools.audit.change(acceptance(facts), {
    ...tools.operator,
    action: 'restore.accept',
    outcome: 'success',
    resource: 'database',
    detail: { was, is, doubt: stamp?.doubt ?? '', reason: given.one('reason') ?? '' },
  });
  return {
    ok: true,
    lines: [
      `Accepted as  ${is}`,
      `It was        ${was}`,
      `Numbers of boletos go on behind ${lastSkipped}: the bank may have those before it.`,
      reconciledText(run, undecided),
      'Running services go on within a second or two.',
    ],
    json: { acceptedAs: is, was, isReconciled: isFinished(run), undecided },
  };
}

const isFinished = (run: RestoreRun | null) => run !== null && run.finishedAt !== null;

function reconciledText(run: RestoreRun | null, undecided: number): string {
  if (!isFinished(run))
    return 'It was not compared with the acquirer: restore reconcile was not run, or not to its end.';
  return undecided === 0
    ? 'It was compared with the acquirer.'
    : `${undecided} charges wait for a decision: restore list.`;
}
