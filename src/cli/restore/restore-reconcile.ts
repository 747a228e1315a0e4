import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { mayBeOfCell } from '../../keys/data-key-number.ts';
import { listDataKeys } from '../../keys/data-keys.sql.ts';
import { readStamp } from '../../platform/database-watch/server-stamp.sql.ts';
import { isAccepted } from '../../platform/database-watch/server-stamp.ts';
import type { Lines } from '../../platform/lines.ts';
import type { Acquirers } from '../../providers/open-acquirers.ts';
import type { PixBanks } from '../../providers/open-pix-banks.ts';
import type { FillTools } from '../../reconciliation/restored/fill-charge.ts';
import { type LostPix, readLostPix } from '../../reconciliation/restored/lost-pix.ts';
import { findAbsentProviders } from '../../reconciliation/restored/lost-providers.sql.ts';
import {
  type AskedReconciliation,
  type Reconciled,
  reconcileCharges,
} from '../../reconciliation/restored/reconcile-charges.ts';
import type { RestoredPix } from '../../reconciliation/restored/reconcile-pix.ts';
import { replayedUntil } from '../../reconciliation/restored/restore-runs.sql.ts';
import { NOTHING_RESTORED, type RestoreTally } from '../../reconciliation/restored/restored-charge.ts';
import { countWaiting, type WaitingCounts } from '../../reconciliation/restored/restored-charges.sql.ts';
import { ISSUE_PIX } from '../../transactions/methods/pix/contract.ts';
import { txidOf } from '../../transactions/methods/pix/pix.ts';
import { type Instant, parseOffsetText, parseUtcText, utcText } from '../../values/instant.ts';
import { NO_ACQUIRER, withAcquirers } from '../acquirer-of-command.ts';
import {
  type AuditedCommandTools,
  type Command,
  type CommandOutcome,
  option,
  reaisOf,
  refused,
  table,
  visible,
} from '../command.ts';
import { businessTime } from './business-time.ts';
import { withPixBanks } from './pix-banks-of-command.ts';

export const instantOf = (text: string): Instant | null => parseUtcText(text) ?? parseOffsetText(text);
export const checkInstant = (text: string) =>
  instantOf(text) === null ? 'must be an instant with its zone, as 2026-11-21T13:00:00.000Z' : null;

/** For a restored database that is still held. See docs/restore.md. */
export const RESTORE_RECONCILE: Command = {
  words: ['restore', 'reconcile'],
  summary:
    'bring the books of a restored database to what acquirers and banks of Pix have, before it is accepted',
  switches: [
    { name: 'dry-run', description: 'only say what would be done' },
    {
      name: 'held-by-hand',
      description: 'also where nothing says that it was restored: all services have PARCELA_HOLD_WORK=1',
    },
  ],
  options: [
    option(
      '--since INSTANT',
      'to which it was restored; default the newest commit that its server has recovered',
      { check: checkInstant },
    ),
    option(
      '--stopped-at INSTANT',
      'when the last service of the lost database had ended; default the newest charge that it made',
      { check: checkInstant },
    ),
    option(
      '--also-merchant ID',
      'in a cell: one that was created in the lost time, and is not in these books; may be given several times',
      { isRepeatable: true },
    ),
    option(
      '--lines FILE',
      "the lost services' log, as JSON: it says whose a charge by Pix is; may be given several times",
      { isRepeatable: true },
    ),
  ],
  opens: 'audited',
  async run(given, tools) {
    const alsoMerchants = [...new Set(given.many('also-merchant'))].toSorted();
    if (tools.cell === null && alsoMerchants.length > 0)
      return { option: '--also-merchant', message: 'is of cells: here all merchants are compared' };
    const ofOther = await otherCell(tools);
    if (ofOther !== null) return refused(ofOther);
    const { stamp, facts } = await readStamp(tools.database);
    if (facts.isReadOnly) return refused('the server takes no writes: it is read-only');
    if (isAccepted(stamp, facts) && !given.has('held-by-hand'))
      return refused('this database was not restored since it was accepted: see restore show');
    const restoredTo = instantOf(given.one('since') ?? '') ?? (await replayedUntil(tools.database));
    if (restoredTo === null)
      return { option: '--since', message: 'is needed: the server does not say what it has recovered' };
    const lostPix = await lostPixOf(given.many('lines'));
    if (typeof lostPix === 'string') return { option: '--lines', message: lostPix };
    const asked = {
      lostPix,
      restoredTo,
      stoppedAt: instantOf(given.one('stopped-at') ?? ''),
      isDry: given.has('dry-run'),
      // The acquirer lists charges of all cells. These books have those of one.
      ofCell: tools.cell === null ? null : { alsoMerchants },
      stampToken: stamp?.token ?? null,
    };
    const absent = await findAbsentProviders(tools.database);
    if (absent.length > 0)
      return refused(`${absent.join(', ')} was added in the lost time and is not here: add it again first`);
    const done = await withAcquirers(tools, (acquirers) =>
      withPixBanks(tools, (pixBanks) => reconcileWith(tools, { acquirers, pixBanks }, asked)),
    );
    if (done.kind === 'stopped')
      return refused(`stopped: ${done.reason}. The same command goes on from there`);
    return outcomeOf(done, asked, await countWaiting(tools.database));
  },
};

export function fillToolsOf({ database, keyring, acquirer }: AuditedCommandTools): FillTools {
  return { database, keyring, captureDays: acquirer.captureDays };
}

/**
 * Why the name of the cell is wrong; null: it fits. Under a wrong name, charges of other cells would look
 * like those of lost merchants.
 */
export async function otherCell({ database, cell }: AuditedCommandTools): Promise<string | null> {
  // Moved rows bring keys of other cells, but this cell makes new ones every day.
  const newest = (await listDataKeys(database)).toSorted((a, b) => a.createdAt - b.createdAt).at(-1);
  if (newest === undefined || mayBeOfCell(newest.dataKeyId, cell)) return null;
  return 'the keys of this database were made in another cell: set PARCELA_CELL as its services have it';
}

/** A text is the reason why a file cannot be read. */
async function lostPixOf(files: readonly string[]): Promise<ReadonlyMap<string, LostPix> | string> {
  const found = new Map<string, LostPix>();
  for (const file of files)
    try {
      for await (const text of createInterface({ input: createReadStream(file, 'utf8') })) {
        const lost = readLostPix(text, ISSUE_PIX.path);
        if (lost !== null) found.set(txidOf(lost.pixId), lost);
        if (found.size > MOST_LOST_PIX) return `name more than ${MOST_LOST_PIX} charges by Pix`;
      }
    } catch (error) {
      return `${file} cannot be read: ${(error as Error).message}`;
    }
  return found;
}

const MOST_LOST_PIX = 1_000_000;

type Opened = { readonly acquirers: Acquirers; readonly pixBanks: PixBanks };

async function reconcileWith(
  tools: AuditedCommandTools,
  { acquirers, pixBanks }: Opened,
  asked: AskedReconciliation,
): Promise<Reconciled> {
  if (acquirers.all().length === 0 && pixBanks.all().length === 0)
    return { kind: 'stopped', reason: NO_ACQUIRER };
  return reconcileCharges(
    {
      ...{ ...fillToolsOf(tools), audit: tools.audit, operator: tools.operator, acquirers, pixBanks },
      acquirerTimeoutMilliseconds: tools.acquirer.timeoutMilliseconds,
      pixTimeoutMilliseconds: tools.pix.timeoutMilliseconds,
      nowOf: (merchantId) => businessTime(tools, merchantId),
      report: tools.report,
    },
    asked,
  );
}

const LINES = {
  seen: 'charges that the acquirer has since then',
  inBooks: 'in the books',
  ended: 'declined or voided there, and not in the books',
  leftToServices: 'unknown here, and found out by the services',
  notOurs: 'under references that are not of Parcela',
  filled: 'put into the books',
  voided: 'voided: no merchant was answered',
  unfinished: 'found out by the services, and then finished by them: restore list',
  undecided: 'to be decided: restore list',
} as const satisfies Record<keyof RestoreTally, string>;

function outcomeOf(
  { tally, end, pix, unlisted }: Extract<Reconciled, { kind: 'finished' }>,
  asked: { readonly restoredTo: Instant; readonly isDry: boolean },
  waiting: WaitingCounts,
): CommandOutcome {
  const textOrNull = (moment: Instant | null) => (moment === null ? null : utcText(moment));
  const names = Object.keys(NOTHING_RESTORED) as (keyof RestoreTally)[];
  const [lastSaleAt, stoppedAt] = [textOrNull(end.lastSaleAt), textOrNull(end.stoppedAt)];
  return {
    lines: [
      `Restored to    ${utcText(asked.restoredTo)}`,
      `Newest charge  ${lastSaleAt ?? 'none'}`,
      stoppedAt !== null && `Stopped at     ${stoppedAt}`,
      ...names.map((name) => `${String(tally[name]).padStart(8)}  ${LINES[name]}`),
      `Of all runs ${waiting.undecided} wait for a decision, and the services finish ${waiting.unfinished}.`,
      ...pixLines(pix),
      ...unlisted.map(unlistedLine),
      asked.isDry && 'Nothing was changed.',
    ],
    json: {
      ...{ restoredTo: utcText(asked.restoredTo), lastSaleAt, stoppedAt, isDryRun: asked.isDry, ...tally },
      ...{ pix, unlisted },
      waiting: { undecided: waiting.undecided, unfinished: waiting.unfinished },
    },
    // Includes what an earlier run left to a person.
    isBad: tally.undecided > 0 || waiting.undecided > 0 || pix.left.length > 0 || unlisted.length > 0,
  };
}

const unlistedLine = (name: string) =>
  `The acquirer ${visible(name)} lists no charges: nothing there was compared. Take its files (reconcile import), which name sales that are not in the books; until then keep its merchants' billings held.`;

const MOST_SHOWN = 50;

function pixLines({ brought, returned, removed, left }: RestoredPix): Lines {
  if (brought + returned + removed + left.length === 0) return [];
  const rows = left
    .slice(0, MOST_SHOWN)
    .map(({ bank, txid, amount, state }) => [bank, txid, amount === null ? '-' : reaisOf(amount), state]);
  return [
    `Pix: ${brought} charges, ${returned} devolutions and ${removed} charges taken away are put into the books.`,
    left.length > 0 && [
      `${left.length} are at their banks and not in the books. Take those that wait away there; give none back twice:`,
      ...table(['bank', 'txid', 'amount', 'state'], rows),
      left.length > MOST_SHOWN && '--json names them all.',
    ],
  ];
}
