import type { FileCoverage } from '../../reconciliation/imports/file-coverage.ts';
import type { SettlementFile } from '../../reconciliation/imports/settlement-file.ts';
import type { FileUnderWay, ListedFile } from '../../reconciliation/imports/settlement-files.sql.ts';
import type { ListedRefusal } from '../../reconciliation/imports/settlement-refusals.sql.ts';
import { addDays, instant, saoPauloDay } from '../../values/instant.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import {
  emptyState,
  facts,
  formatText,
  link,
  moment,
  quotation,
  section,
  table,
} from '../parts/page-parts.ts';
import { FILE, FILES, filePath, withQuery } from '../parts/paths.ts';
import { OF_OPERATOR, type Screen, screen, type Visit } from '../parts/screen.ts';
import { badge } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import {
  MOST_COVERAGES_SHOWN,
  MOST_FILES_SHOWN,
  MOST_REFUSED_SHOWN,
  MOST_UNDER_WAY_SHOWN,
} from './exception-found.ts';

function daysText({ from, to }: Pick<SettlementFile, 'from' | 'to'>, text: (day: string) => string): string {
  return from === to ? text(from) : `${text(from)} – ${text(to)}`;
}

function fileTable(files: readonly ListedFile[], { wording, path }: Visit): Html {
  const { say, money, count, day } = wording;
  if (files.length === 0)
    return emptyState(
      say('No file was taken.'),
      say('Put files of the acquirer into the watched folder, or give them to parcela reconcile import.'),
    );
  const oldest = files.at(-1);
  const older =
    files.length >= MOST_FILES_SHOWN &&
    oldest !== undefined &&
    html`<nav class="pager" aria-label="${say('Pages of this list')}">${link(withQuery(path, { before: oldest.fileNumber }), say('Older'))}</nav>`;
  return html`${table(say('Files'), files, [
    { title: say('Name'), cell: (file) => link(filePath(file.fileNumber), file.name) },
    { title: say('Format'), cell: (file) => formatText(file.format) },
    { title: say('Days'), cell: (file) => daysText(file, day) },
    { title: say('Lines'), isNumber: true, cell: (file) => count(file.entries) },
    { title: say('Gross'), isNumber: true, cell: (file) => money(file.gross) },
    { title: say('Net'), isNumber: true, cell: (file) => money(file.net) },
    {
      title: say('State'),
      cell: (file) =>
        file.replacedBy !== null
          ? badge('plain', say('Replaced'))
          : file.matchedAt === null
            ? badge('wait', say('Matched up to line {line}', { line: count(file.matchedLine) }))
            : badge('good', say('Matched')),
    },
    { title: say('Taken'), cell: (file) => moment(wording, file.takenAt) },
  ])}${older}`;
}

function filePage(file: SettlementFile, { wording }: Visit): Html {
  const { say, money, count, day } = wording;
  return facts([
    [say('Name'), file.name],
    [say('Number'), file.fileNumber],
    [say('Format'), `${formatText(file.format)} ${file.version}`],
    [say('Establishment'), file.establishment],
    [say('Made on'), day(file.madeOn)],
    [say('Days'), daysText(file, day)],
    [say('Sequence'), file.sequence ?? '–'],
    [say('Files missing before it'), count(file.missingBefore)],
    [say('Lines'), count(file.entries)],
    [say('Gross'), money(file.gross)],
    [say('Net'), money(file.net)],
    [say('Taken'), moment(wording, file.takenAt)],
    [say('Matched'), file.matchedAt === null ? say('Being matched') : moment(wording, file.matchedAt)],
  ]);
}

type Files = {
  readonly files: readonly ListedFile[];
  /** What is shown on the first page of the list only. Null: on older pages. */
  readonly state: {
    readonly underWay: readonly FileUnderWay[];
    readonly refused: readonly ListedRefusal[];
    readonly coverages: readonly FileCoverage[];
  } | null;
};

const NEWEST = 2 ** 31 - 1;
/** The days looked at for missing files: acquirers keep files for about as long. */
const DAYS_COVERED = 45;

function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

export const FILE_SCREENS: readonly Screen<ConsoleTools>[] = [
  screen<ConsoleTools, Files>({
    path: FILES,
    ...OF_OPERATOR,
    title: 'Files',
    async read({ query, now }, tools) {
      const before = numberOf(query.before);
      const files = await tools.listFiles(before ?? NEWEST);
      if (before !== null) return { files, state: null };
      // Today's file comes tomorrow.
      const yesterday = addDays(saoPauloDay(instant(now)), -1);
      const underWay = await tools.listFilesUnderWay();
      const refused = await tools.listRefusedFiles();
      const coverages = await tools.findCoverages(addDays(yesterday, 1 - DAYS_COVERED), yesterday);
      return { files, state: { underWay, refused, coverages } };
    },
    view: ({ files, state }, visit) =>
      html`${state !== null && underWaySection(state.underWay, visit)}${fileTable(files, visit)}${
        state !== null &&
        html`${coverageSection(state.coverages, visit)}${refusedSection(state.refused, visit)}`
      }`,
  }),
  screen<ConsoleTools, SettlementFile>({
    path: FILE,
    ...OF_OPERATOR,
    title: 'File',
    async read({ parameters }, { readFile }) {
      const number = numberOf(parameters.fileNumber);
      return (number === null ? null : await readFile(number)) ?? 'notFound';
    },
    view: filePage,
  }),
];

const MOST_DAYS_SHOWN = 10;
const MOST_FAULTS_SHOWN = 5;

function underWaySection(files: readonly FileUnderWay[], { wording }: Visit): Shown {
  if (files.length === 0) return '';
  const { say, count } = wording;
  return section(
    say('Being taken now'),
    html`${table(say('Being taken now'), files, [
      { title: say('Name'), cell: (file) => file.name },
      { title: say('Format'), cell: (file) => formatText(file.format) },
      { title: say('Lines so far'), isNumber: true, cell: (file) => count(file.lineNumber) },
      { title: say('Begun'), cell: (file) => moment(wording, file.beganAt) },
      { title: say('By'), cell: (file) => file.takenBy },
      {
        title: say('State'),
        cell: (file) =>
          file.isLeft
            ? badge('wait', say('Its process ended: give the file again'))
            : badge('plain', say('Nothing of it counts before its end')),
      },
    ])}${
      files.length >= MOST_UNDER_WAY_SHOWN &&
      html`<p class="note">${say('Only the first {count} are shown.', { count: count(MOST_UNDER_WAY_SHOWN) })}</p>`
    }`,
  );
}

function coverageSection(coverages: readonly FileCoverage[], { wording }: Visit): Shown {
  if (coverages.length === 0) return '';
  const { say, count, day } = wording;
  const shown = coverages.slice(0, MOST_COVERAGES_SHOWN);
  return section(
    say('Days with a file'),
    html`<p class="note">${say(
      'Of the last 45 days, up to yesterday: business days without a file, behind the first that has one. Ask the acquirer for them; their money is judged when they come.',
    )}</p>${table(say('Days with a file'), shown, [
      { title: say('Format'), cell: (one) => formatText(one.format) },
      { title: say('Establishment'), cell: (one) => one.establishment },
      {
        title: say('State'),
        cell: (one) =>
          one.missing.length === 0
            ? badge('good', say('Complete'))
            : badge('bad', say('{count} missing', { count: count(one.missing.length) })),
      },
      {
        title: say('Days without a file'),
        cell: (one) => html`<span class="why">${missingDays(one, wording)}</span>`,
      },
      { title: say('Days with one'), isNumber: true, cell: (one) => count(one.coveredDays) },
      { title: say('First'), cell: (one) => day(one.first) },
      { title: say('Last'), cell: (one) => day(one.last) },
    ])}${
      coverages.length > MOST_COVERAGES_SHOWN &&
      html`<p class="note">${say('Only the first {count} are shown.', { count: count(MOST_COVERAGES_SHOWN) })}</p>`
    }`,
  );
}

function missingDays({ missing }: FileCoverage, { say, count, day }: Wording): string {
  if (missing.length === 0) return '–';
  const named = missing.slice(0, MOST_DAYS_SHOWN).map(day).join(', ');
  const more = missing.length - MOST_DAYS_SHOWN;
  return more <= 0 ? named : say('{days} and {count} more', { days: named, count: count(more) });
}

const WHOLE: Readonly<Record<string, string>> = {
  'a file of this number was taken with another content, and this one does not say that it was sent anew':
    'Ask the acquirer which of the two is right, and for that one as sent anew.',
  'it was sent anew, and there is not exactly one taken file of its days that it replaces':
    'Take the first file of these days before it, or ask the acquirer which file it replaces.',
  'it changed while it was read': 'Give it again when its upload has ended.',
};

function refusedSection(refused: readonly ListedRefusal[], visit: Visit): Html {
  const { wording } = visit;
  const { say, count } = wording;
  if (refused.length === 0)
    return section(
      say('Refused files'),
      emptyState(
        say('No file was refused.'),
        say('A file is taken whole, or refused whole with every reason.'),
      ),
    );
  return section(
    say('Refused files'),
    html`${table(say('Refused files'), refused, [
      { title: say('Name'), cell: (file) => file.name },
      {
        title: say('State'),
        cell: (file) =>
          file.takenAs === null
            ? badge('bad', say('Refused'))
            : html`${badge('good', say('Taken since'))} ${link(filePath(file.takenAs), count(file.takenAs))}`,
      },
      { title: say('Why'), cell: (file) => html`<span class="why">${whyRefused(file, wording)}</span>` },
      { title: say('What to do'), cell: (file) => html`<span class="why">${whatToDo(file, wording)}</span>` },
      { title: say('When'), cell: (file) => moment(wording, file.refusedAt) },
      { title: say('Times'), isNumber: true, cell: (file) => count(file.times) },
      { title: say('By'), cell: (file) => file.refusedBy },
      { title: say('SHA-256'), cell: (file) => html`<code>${file.sha256.slice(0, 12)}</code>` },
    ])}${
      refused.length >= MOST_REFUSED_SHOWN && html`<p class="note">${say('Only the newest are shown.')}</p>`
    }`,
  );
}

function whyRefused({ reason, faults }: ListedRefusal, { say, count, language }: Wording): Shown {
  const lines = faults
    .slice(0, MOST_FAULTS_SHOWN)
    .map(
      ({ lineNumber, field, sentence }) =>
        html`${say('Line {line}', { line: count(lineNumber) })}${field !== null && `, ${field}`}: ${sentence[language]}<br>`,
    );
  return html`${reason !== null && (Object.hasOwn(WHOLE, reason) ? say(reason) : quotation(reason))}${lines}${
    faults.length > MOST_FAULTS_SHOWN && say('and further lines')
  }`;
}

function whatToDo({ reason, takenAs }: ListedRefusal, { say }: Wording): string {
  if (takenAs !== null) return say('Nothing is to be done.');
  if (reason === null)
    return say('Ask the acquirer for it anew: one that was cut off or edited is never taken.');
  return say(WHOLE[reason] ?? 'Give it again; the command parcela reconcile import says more.');
}
