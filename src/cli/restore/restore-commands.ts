import type { AuditEvent } from '../../audit/audit-event.ts';
import { holdRestored } from '../../merchants/merchants.sql.ts';
import { releaseRestored } from '../../merchants/release-restored.ts';
import { closeRestoredLinks } from '../../payments/links/links.sql.ts';
import { acceptDatabase, readStamp } from '../../platform/database-watch/server-stamp.sql.ts';
import { isAccepted, textOf } from '../../platform/database-watch/server-stamp.ts';
import type { Lines } from '../../platform/lines.ts';
import type { Tx } from '../../platform/postgres/database.ts';
import { findAbsentProviders, findUnwalked } from '../../reconciliation/restored/lost-providers.sql.ts';
import { holdRuns } from '../../reconciliation/restored/restore-runs.sql.ts';
import type { RestoreRun } from '../../reconciliation/restored/restored-charge.ts';
import { countWaiting, type WaitingCounts } from '../../reconciliation/restored/restored-charges.sql.ts';
import { skipOurNumbers } from '../../transactions/methods/boleto/boleto-intents.sql.ts';
import { skipMovementIds } from '../../transactions/movements/movements.sql.ts';
import { type Command, option, reasonOption, refused } from '../command.ts';
import { RESTORE_DECIDE, RESTORE_LIST } from './restore-decide.ts';
import { RESTORE_RECONCILE } from './restore-reconcile.ts';
import { RESTORE_REDO } from './restore-redo.ts';

const RESTORE_RELEASE: Command = {
  words: ['restore', 'release'],
  summary: 'go on charging due billings after a restore, once what was canceled in the lost time is canceled',
  switches: [{ name: 'all', description: 'of all merchants that the restore holds' }],
  options: [
    option('--merchant ID', 'of this merchant', { isRepeatable: true }),
    reasonOption('who said that nothing canceled is charged, for the audit log'),
  ],
  opens: 'audited',
  async run(given, tools) {
    const named = given.many('merchant');
    if (named.length > 0 === given.has('all'))
      return { option: '--merchant', message: 'name merchants, or say --all' };
    const done = await releaseRestored(tools, given.has('all') ? null : named, given.one('reason') ?? '');
    if ('unheld' in done) {
      const message = `the restore does not hold ${done.unheld.join(', ')}; nothing was released`;
      return { option: '--merchant', message };
    }
    const { released } = done;
    return {
      lines: [
        `Billings of ${released} merchants are no longer held: what is due is charged, the oldest first.`,
      ],
      json: { released },
    };
  },
};

/** A copied or restored database does not act before its operator accepts it. See docs/restore.md. */
export const RESTORE_COMMANDS: readonly Command[] = [
  {
    words: ['restore', 'show'],
    summary: 'show whether this database is the one it was stamped as, or a copy',
    opens: 'database',
    async run(_given, { database }) {
      const { stamp, facts } = await readStamp(database);
      const stamped = stamp === null ? null : textOf(stamp);
      const is = textOf(facts);
      const acts = isAccepted(stamp, facts);
      return {
        isBad: !acts,
        lines: [
          `stamped as  ${stamped ?? 'nothing yet: the first start stamps it'}`,
          `is          ${is}`,
          typeof stamp?.doubt === 'string' && `in doubt    ${stamp.doubt}`,
          acts
            ? 'It acts.'
            : 'All work is held where a service was not there when it changed; restore reconcile compares it, then restore accept ends that.',
        ],
        json: { stampedAs: stamped, is, doubt: stamp?.doubt ?? null, isAccepted: acts },
      };
    },
  },
  RESTORE_RECONCILE,
  RESTORE_LIST,
  RESTORE_DECIDE,
  {
    words: ['restore', 'accept'],
    summary: 'let a copied or restored database work from now on; billings stay held until restore release',
    switches: [
      {
        name: 'unreconciled',
        description:
          'also where restore reconcile was not run to its end: what it would find is charged again',
      },
    ],
    options: [
      reasonOption('what was restored and why nothing else works on the same money, for the audit log'),
    ],
    opens: 'audited',
    async run(given, tools) {
      const { stamp, facts } = await readStamp(tools.database);
      if (facts.isReadOnly) return refused('the server takes no writes: it is read-only');
      const isUnreconciled = given.has('unreconciled');
      const before = refusalToAccept(await tools.database.transaction(holdCompared), isUnreconciled);
      if (before !== null) return refused(before);
      const was = stamp === null ? 'nothing' : textOf(stamp);
      const is = textOf(facts);
      const lastSkipped = await skipOurNumbers(tools.database);
      await skipMovementIds(tools.database);
      const eventOf = (held: number): AuditEvent => ({
        ...tools.operator,
        action: 'restore.accept',
        outcome: 'success',
        resource: 'database',
        detail: { was, is, doubt: stamp?.doubt ?? '', held, reason: given.one('reason') ?? '' },
      });
      const done = await tools.audit.transaction(async (tx) => {
        // Checked again here, because a run may have begun, or found or noted something meanwhile.
        const compared = await holdCompared(tx);
        const refusal = refusalToAccept(compared, isUnreconciled);
        if (refusal !== null) return { refusal };
        await acceptDatabase(tx, facts);
        // In one transaction with the acceptance, so that no billing is charged between the two.
        const held = await holdRestored(tx);
        const links = await closeRestoredLinks(tx);
        tx.record(eventOf(held));
        return { ...compared, held, links };
      });
      if ('refusal' in done) return refused(done.refusal);
      const { run, waiting, held, links } = done;
      return {
        lines: [
          `Accepted as  ${is}`,
          `It was        ${was}`,
          `Numbers of boletos go on behind ${lastSkipped}: the bank may have those before it.`,
          ...reconciledLines(run, waiting),
          `The billings of ${held} merchants are held: what they canceled in the lost time is alive again here.`,
          'Cancel it again (restore redo), or have the merchants do it; then restore release.',
          links > 0 &&
            `${links} payment links are closed: they may have been paid. Let the merchants make new ones.`,
          'Running services go on within a second or two.',
        ],
        json: {
          ...{ acceptedAs: is, was, isReconciled: isCompared(run) },
          ...{ undecided: waiting.undecided, unfinished: waiting.unfinished, held, links },
        },
      };
    },
  },
  RESTORE_REDO,
  RESTORE_RELEASE,
];

/** `--unreconciled` does not override this: the run would continue on a database that acts. */
const WALKED =
  'restore reconcile is running: wait for its end. One that was killed counts as running for 20 seconds';

type Compared = {
  readonly isWalked: boolean;
  readonly run: RestoreRun | null;
  readonly waiting: WaitingCounts;
  /** Providers added in the lost time, which this database lacks. */
  readonly absent: readonly string[];
  /** Providers of this database that were not compared. */
  readonly unwalked: readonly string[];
};

/** Reads how far the database was compared. No comparison goes on until the transaction ends. */
async function holdCompared(tx: Tx): Promise<Compared> {
  const held = await holdRuns(tx);
  const absent = await findAbsentProviders(tx);
  const unwalked = await findUnwalked(tx, held.run);
  return { ...held, waiting: await countWaiting(tx), absent, unwalked };
}

const isFinished = (run: RestoreRun | null) => run !== null && run.finishedAt !== null;

const isCompared = (run: RestoreRun | null) => isFinished(run) && run?.unlisted.length === 0;

const ALL_THE_SAME = '--unreconciled accepts all the same';

function refusalToAccept(
  { isWalked, run, waiting: { ofBillings }, absent, unwalked }: Compared,
  isUnreconciled: boolean,
): string | null {
  if (isWalked) return WALKED;
  if (ofBillings > 0)
    return `${ofBillings} charges of billings wait for a decision, and their billings would be charged again: see restore list`;
  if (isUnreconciled) return null;
  if (absent.length > 0)
    return `${absent.join(', ')} was added in the lost time and is not here: add it again, then run restore reconcile. ${ALL_THE_SAME}`;
  if (run !== null && isFinished(run)) {
    if (unwalked.length > 0)
      return `${unwalked.join(', ')} was not there when restore reconcile was run: run it again. ${ALL_THE_SAME}`;
    const { unlisted } = run;
    return unlisted.length === 0
      ? null
      : `${unlisted.join(', ')} lists no charges and was not compared: what it charged in the lost time may be charged again. ${ALL_THE_SAME}`;
  }
  const state = run === null ? 'was not run' : 'was begun and has not ended';
  return `restore reconcile ${state}: what it would find may be charged again. ${ALL_THE_SAME}`;
}

function reconciledLines(run: RestoreRun | null, { undecided, unfinished }: WaitingCounts): Lines {
  const compared = isCompared(run)
    ? 'It was compared with the acquirer.'
    : 'It was not compared with the acquirer: restore reconcile was not run, or not to its end.';
  const unlisted = isFinished(run) ? (run?.unlisted ?? []) : [];
  return [
    unlisted.length === 0
      ? compared
      : `${unlisted.join(', ')} was not compared: release no merchant that sells there before its files were taken.`,
    undecided > 0 && `${undecided} charges wait for a decision: restore list.`,
    unfinished > 0 &&
      `${unfinished} charges are finished by the services, with what the acquirer has of them: restore list.`,
  ];
}
