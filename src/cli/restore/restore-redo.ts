import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { readShippedLine, type ShippedLine } from '../../audit/shipped-line.ts';
import { readStamp } from '../../platform/database-watch/server-stamp.sql.ts';
import { isAccepted } from '../../platform/database-watch/server-stamp.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { applyLostChange } from '../../reconciliation/restored/apply-lost-change.ts';
import { findLastSince } from '../../reconciliation/restored/books.sql.ts';
import {
  type FoundChange,
  findLostChanges,
  type LostChanges,
} from '../../reconciliation/restored/find-lost-changes.ts';
import { rangesText, stateAfter } from '../../reconciliation/restored/lost-change.ts';
import { noteLostProviders } from '../../reconciliation/restored/lost-providers.sql.ts';
import { newestRestoreRun } from '../../reconciliation/restored/restore-runs.sql.ts';
import { type Instant, instant, parseUtcText, utcText } from '../../values/instant.ts';
import {
  type AuditedCommandTools,
  type Command,
  type CommandOutcome,
  option,
  refused,
  required,
  table,
  visible,
} from '../command.ts';
import { businessTime } from './business-time.ts';
import { checkInstant, instantOf } from './restore-reconcile.ts';

/** More lines than anybody reads: give a later --since, or fewer files. */
const MOST_LINES = 200_000;

export const RESTORE_REDO: Command = {
  words: ['restore', 'redo'],
  summary: 'read the shipped lines of the audit log, and show or do again what a restore has undone',
  switches: [{ name: 'do', description: 'do it; without, it is only shown' }],
  options: [
    required('--lines FILE', "lines of the lost services' log, as JSON; may be given several times", {
      isRepeatable: true,
    }),
    option('--since INSTANT', 'lines from then on; default from where restore reconcile began', {
      check: checkInstant,
    }),
  ],
  opens: 'audited',
  async run(given, tools) {
    const { database } = tools;
    const early = given.has('do') ? await refusalToDo(database) : null;
    if (early !== null) return refused(early);
    const since = instantOf(given.one('since') ?? '') ?? earlier(await findLastSince(database));
    if (since === null)
      return { option: '--since', message: 'is needed: restore reconcile was not run here' };
    const lines = await linesSince(given.many('lines'), since);
    if (typeof lines === 'string') return { option: '--lines', message: lines };
    const lost = await findLostChanges(database, lines);
    const { found, missing } = lost;
    await noteProviders(tools, found);
    const alreadySo = found.filter(({ state }) => state === 'alreadySo').length;
    if (!given.has('do')) return shown(lost, found.length > alreadySo);
    const failed: { readonly change: FoundChange; readonly why: string }[] = [];
    const apply = { ...tools, nowOf: (merchantId: string) => businessTime(tools, merchantId) };
    for (const change of found) {
      const why = await applyLostChange(apply, change);
      if (why !== null) failed.push({ change, why });
    }
    const done = found.filter(({ state }) => state === 'toDo').length - countOf(failed, 'toDo');
    const rows = failed.map(({ change, why }) => [...cellsOf(change), visible(why)]);
    return {
      isBad: failed.length > 0 || missing.length > 0,
      lines: [
        `${done} changes done again, ${alreadySo} were so already, ${failed.length} are left to a person.`,
        rows.length > 0 && table([...HEADS, 'why'], rows),
        ...missingLines(missing),
      ],
      json: {
        done,
        alreadySo,
        left: failed.map(({ change, why }) => ({ ...jsonOf(change), why })),
        missing,
      },
    };
  },
};

/**
 * Notes providers that were added in the lost time. Once the database acts none is noted: no comparison
 * follows.
 */
async function noteProviders({ database }: AuditedCommandTools, found: readonly FoundChange[]) {
  const { stamp, facts } = await readStamp(database);
  const lines = found.map(({ line }) => line);
  if (!facts.isReadOnly && !isAccepted(stamp, facts))
    await database.transaction((tx) => noteLostProviders(tx, lines));
}

const countOf = (failed: readonly { readonly change: FoundChange }[], state: FoundChange['state']) =>
  failed.filter(({ change }) => change.state === state).length;

/**
 * Why nothing may be done again yet; null: it may. Charges are put into the books first: a canceled billing
 * takes none.
 */
async function refusalToDo(database: Database): Promise<string | null> {
  const { stamp, facts } = await readStamp(database);
  if (facts.isReadOnly) return 'the server takes no writes: it is read-only';
  if (isAccepted(stamp, facts)) return null;
  const run = await newestRestoreRun(database);
  return run?.finishedAt == null
    ? 'run restore reconcile first, to its end: charges of billings are put into the books before these are canceled'
    : null;
}

/** A service's clock may be behind that of the database. */
const CLOCKS_DIFFER_MILLISECONDS = 60_000;
const earlier = (since: Instant | null) =>
  since === null ? null : instant(since - CLOCKS_DIFFER_MILLISECONDS);

async function linesSince(files: readonly string[], since: Instant): Promise<ShippedLine[] | string> {
  const found: ShippedLine[] = [];
  for (const file of files) {
    let entries = 0;
    try {
      for await (const text of createInterface({ input: createReadStream(file, 'utf8') })) {
        const line = readShippedLine(text);
        if (line === null) continue;
        entries += 1;
        if ((parseUtcText(line.time) ?? since) < since) continue;
        found.push(line);
        if (found.length > MOST_LINES) return `has more than ${MOST_LINES} lines since ${utcText(since)}`;
      }
    } catch (error) {
      return `${file} cannot be read: ${(error as Error).message}`;
    }
    if (entries === 0)
      return `${file} has no line of the audit log: give the service's log as it was written, in JSON (json or ecs)`;
  }
  return found.length > 0 ? found : `have no line of the audit log since ${utcText(since)}`;
}

const HEADS = ['entry', 'when', 'who', 'what', 'of', 'to'];

/** The effect of a lost entry without a line is unknown. */
function missingLines(missing: LostChanges['missing']): string[] {
  if (missing.length === 0) return [];
  return [
    `No line was given of the lost entries ${rangesText(missing)}. Those of a command have one once a service has run since. Look for the lines that are missing, or ask the merchants and operators.`,
  ];
}

const nothing = (lostLines: number) =>
  lostLines === 0 ? 'No line is of an entry that this database lacks.' : 'Nothing was undone.';

function shown({ found, lostLines, missing }: LostChanges, isOpen: boolean): CommandOutcome {
  const words = { toDo: 'to do', alreadySo: 'so already', missing: 'not here', byHand: 'by a person' };
  const rows = found.map((change) => [
    ...cellsOf(change),
    words[change.state],
    change.state === 'byHand' ? visible(change.change.why) : '-',
  ]);
  return {
    isBad: isOpen || missing.length > 0,
    lines: [
      rows.length > 0 && table([...HEADS, 'state', 'how'], rows),
      rows.length === 0 && missing.length === 0 && nothing(lostLines),
      ...missingLines(missing),
    ],
    json: { items: found.map(jsonOf), missing },
  };
}

function cellsOf({ line, change, state }: FoundChange): string[] {
  const { entryNumber, time, actor, action, resource } = line;
  const to = state === 'byHand' ? '-' : stateAfter(change);
  return [String(entryNumber), time, actor, action, resource, to].map(visible);
}

function jsonOf({ line, change, state }: FoundChange): object {
  const { entryNumber, time, actor, action, resource } = line;
  const to = state === 'byHand' ? null : stateAfter(change);
  return { entryNumber, time, actor, action, resource, to, state };
}
