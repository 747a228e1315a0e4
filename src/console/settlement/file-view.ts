import type { SettlementFile } from '../../reconciliation/imports/settlement-file.ts';
import type { ListedFile } from '../../reconciliation/imports/settlement-files.sql.ts';
import { FORMAT_NAMES } from '../parts/format-names.ts';
import { type Html, html } from '../parts/html.ts';
import { emptyState, facts, link, moment, table } from '../parts/page-parts.ts';
import { filePath, withQuery } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import { badge } from '../parts/states.ts';
import { MOST_FILES_SHOWN } from './shown-file.ts';

function daysText({ from, to }: Pick<SettlementFile, 'from' | 'to'>, text: (day: string) => string): string {
  return from === to ? text(from) : `${text(from)} – ${text(to)}`;
}

export function fileTable(files: readonly ListedFile[], { wording, path }: Visit): Html {
  const { say, money, count, day } = wording;
  if (files.length === 0)
    return emptyState(
      say('No file was taken.'),
      say('Put files of the acquirer into the watched folder, or give them to parcela reconcile import.'),
    );
  const rows = files.map((file) => [
    link(filePath(file.fileNumber), file.name),
    FORMAT_NAMES[file.format],
    daysText(file, day),
    count(file.entries),
    money(file.gross),
    money(file.net),
    file.replacedBy !== null
      ? badge('plain', say('Replaced'))
      : file.matchedAt === null
        ? badge('wait', say('Matched up to line {line}', { line: count(file.matchedLine) }))
        : badge('good', say('Matched')),
    moment(wording, file.takenAt),
  ]);
  const oldest = files.at(-1);
  const older =
    files.length >= MOST_FILES_SHOWN &&
    oldest !== undefined &&
    html`<nav class="pager" aria-label="${say('Pages of this list')}">${link(withQuery(path, { before: oldest.fileNumber }), say('Older'))}</nav>`;
  return html`${table(
    say('Files'),
    [
      { title: say('Name') },
      { title: say('Format') },
      { title: say('Days') },
      { title: say('Lines'), isNumber: true },
      { title: say('Gross'), isNumber: true },
      { title: say('Net'), isNumber: true },
      { title: say('State') },
      { title: say('Taken') },
    ],
    rows,
  )}${older}`;
}

export function filePage(file: SettlementFile, { wording }: Visit): Html {
  const { say, money, count, day } = wording;
  return facts([
    [say('Name'), file.name],
    [say('Number'), file.fileNumber],
    [say('Format'), `${FORMAT_NAMES[file.format]} ${file.version}`],
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
