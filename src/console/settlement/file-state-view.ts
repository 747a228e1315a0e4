import type { FileCoverage } from '../../reconciliation/imports/file-coverage.ts';
import type { FileUnderWay } from '../../reconciliation/imports/settlement-files.sql.ts';
import type { ListedRefusal } from '../../reconciliation/imports/settlement-refusals.sql.ts';
import { FORMAT_NAMES } from '../parts/format-names.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { emptyState, link, moment, quotation, section, table } from '../parts/page-parts.ts';
import { filePath } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import { badge } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import { MOST_COVERAGES_SHOWN, MOST_REFUSED_SHOWN, MOST_UNDER_WAY_SHOWN } from './shown-file.ts';

const MOST_DAYS_SHOWN = 10;
const MOST_FAULTS_SHOWN = 5;

export function underWaySection(files: readonly FileUnderWay[], { wording }: Visit): Shown {
  if (files.length === 0) return '';
  const { say, count } = wording;
  return section(
    say('Being taken now'),
    html`${table(
      say('Being taken now'),
      [
        { title: say('Name') },
        { title: say('Format') },
        { title: say('Lines so far'), isNumber: true },
        { title: say('Begun') },
        { title: say('By') },
        { title: say('State') },
      ],
      files.map((file) => [
        file.name,
        FORMAT_NAMES[file.format],
        count(file.lineNumber),
        moment(wording, file.beganAt),
        file.takenBy,
        file.isLeft
          ? badge('wait', say('Its process ended: give the file again'))
          : badge('plain', say('Nothing of it counts before its end')),
      ]),
    )}${
      files.length >= MOST_UNDER_WAY_SHOWN &&
      html`<p class="note">${say('Only the first {count} are shown.', { count: count(MOST_UNDER_WAY_SHOWN) })}</p>`
    }`,
  );
}

/** The days that no file is about. */
export function coverageSection(coverages: readonly FileCoverage[], { wording }: Visit): Shown {
  if (coverages.length === 0) return '';
  const { say, count, day } = wording;
  const shown = coverages.slice(0, MOST_COVERAGES_SHOWN);
  return section(
    say('Days with a file'),
    html`<p class="note">${say(
      'Of the last 45 days, up to yesterday: business days without a file, behind the first that has one. Ask the acquirer for them; their money is judged when they come.',
    )}</p>${table(
      say('Days with a file'),
      [
        { title: say('Format') },
        { title: say('Establishment') },
        { title: say('State') },
        { title: say('Days without a file') },
        { title: say('Days with one'), isNumber: true },
        { title: say('First') },
        { title: say('Last') },
      ],
      shown.map((one) => [
        FORMAT_NAMES[one.format],
        one.establishment,
        one.missing.length === 0
          ? badge('good', say('Complete'))
          : badge('bad', say('{count} missing', { count: count(one.missing.length) })),
        html`<span class="why">${missingDays(one, wording)}</span>`,
        count(one.coveredDays),
        day(one.first),
        day(one.last),
      ]),
    )}${
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

/** What the importer says of a whole file, and what helps then. */
const WHOLE: Readonly<Record<string, string>> = {
  'a file of this number was taken with another content, and this one does not say that it was sent anew':
    'Ask the acquirer which of the two is right, and for that one as sent anew.',
  'it was sent anew, and there is not exactly one taken file of its days that it replaces':
    'Take the first file of these days before it, or ask the acquirer which file it replaces.',
  'it changed while it was read': 'Give it again when its upload has ended.',
};

export function refusedSection(refused: readonly ListedRefusal[], visit: Visit): Html {
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
  const rows = refused.map((file) => [
    file.name,
    file.takenAs === null
      ? badge('bad', say('Refused'))
      : html`${badge('good', say('Taken since'))} ${link(filePath(file.takenAs), count(file.takenAs))}`,
    html`<span class="why">${whyRefused(file, wording)}</span>`,
    html`<span class="why">${whatToDo(file, wording)}</span>`,
    moment(wording, file.refusedAt),
    count(file.times),
    count(file.sizeBytes),
    file.refusedBy,
    html`<code>${file.sha256.slice(0, 12)}</code>`,
  ]);
  return section(
    say('Refused files'),
    html`${table(
      say('Refused files'),
      [
        { title: say('Name') },
        { title: say('State') },
        { title: say('Why') },
        { title: say('What to do') },
        { title: say('When') },
        { title: say('Times'), isNumber: true },
        { title: say('Bytes'), isNumber: true },
        { title: say('By') },
        { title: say('SHA-256') },
      ],
      rows,
    )}${
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
