import { LARGE_SKEW_SECONDS } from '../../platform/clock-skew.ts';
import type { HoldReason } from '../../platform/gate.ts';
import { MOST_COUNTED_OF_ALL } from '../../platform/pages.ts';
import { isCurrent } from '../../platform/process-reports/process-report.ts';
import { instant, saoPauloDay } from '../../values/instant.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import { approvalTable } from '../parts/approvals.ts';
import { type Html, html } from '../parts/html.ts';
import { emptyState, type Figure, figure, link, moment, section, table } from '../parts/page-parts.ts';
import {
  EXCEPTIONS,
  HEALTH,
  MERCHANTS,
  OVER_TIME,
  pathOf,
  ROUTING,
  UNRESOLVED,
  withQuery,
} from '../parts/paths.ts';
import { MAY_SEE_AUDIT, mayUse, OF_OPERATOR, type Screen, screen, type Visit } from '../parts/screen.ts';
import type { Wording } from '../parts/wording.ts';
import { EXCEPTION_WORDS } from '../reconciliation/exception-words.ts';
import { type Health, KIND_WORDS } from './health.ts';
import {
  databaseFigure,
  integrityFigures,
  peerFigures,
  peerTable,
  processTable,
  quietFigure,
} from './installation-view.ts';

/** A charge that is unresolved for longer should be looked at by a person. */
const LONG_UNRESOLVED_SECONDS = 15 * 60;

const HOLD_WORDS: Readonly<Record<HoldReason, string>> = {
  byHand: 'it was held by hand, until it is started without PARCELA_HOLD_WORK',
  restored: 'the database is a copy, or was restored: parcela restore show says what is to be done',
  unchecked: 'another server answers, and is being compared: for seconds only',
  unfit: 'the server could lose payments by its settings: parcela doctor names them',
  unwritable: 'the database takes no writes: its disk is full, or the server is a standby',
};

function healthPage(health: Health, visit: Visit): Html {
  const { wording } = visit;
  const { say } = wording;
  const { isAuditBroken } = health.processes.find((one) => isCurrent(one) && one.isAuditBroken) ?? {};
  const seesAudit = mayUse(MAY_SEE_AUDIT, visit.user);
  const all = [
    ...peerFigures(health.processes, wording),
    ...quietFigure(health.processes, wording),
    ...figures(health, wording),
    ...integrityFigures(health, { isBroken: isAuditBroken === true, seesAudit }, wording),
    databaseFigure(health.server, health.processes, wording),
  ];
  const wrong = (['bad', 'wait'] as const).flatMap((tone) => all.filter((one) => one[2] === tone));
  const messages = [...held(health, wording), ...wrongClocks(health, wording)];
  const isNothingWrong = messages.length + wrong.length === 0;
  return html`${section(say('What needs attention'), isNothingWrong ? emptyState(say('Nothing needs attention.'), say('What is away, late or differs stands here first.')) : html`${messages}${wrong.length > 0 && figureList(wrong)}`)}
${section(say('What is as it should be'), figureList(all.filter((one) => !wrong.includes(one))))}
${section(say('Whom we ask'), html`${peerTable(health.processes, visit)}<p>${link(pathOf(OVER_TIME), say('Over time'))}</p>`)}
${approvals(health, wording)}
${section(say('Unresolved'), unresolvedTable(health, wording))}
${section(say('Open exceptions of reconciliation'), exceptions(health, wording))}
${section(say('Processes'), processTable(health.processes, visit))}
<p class="note">${say('Read at')} ${moment(wording, health.readAt)}. ${say(
    'All of it stands in the database and is the same on every process; each writes down every ten seconds what it alone knows.',
  )}</p>`;
}

function approvals({ processes }: Health, wording: Wording): Html | false {
  const { say } = wording;
  const compared = approvalTable(processes, wording, 2);
  if (compared === null) return false;
  return section(
    say('Approvals by acquirer and brand'),
    html`${compared}<p>${link(pathOf(ROUTING), say('Routing'))}</p>`,
  );
}

const figureList = (all: readonly Figure[]) =>
  html`<dl class="figures">${all.map((one) => figure(...one))}</dl>`;

const isCut = (counted: number) => counted >= MOST_COUNTED_OF_ALL;

/** `counted`: the counts that the number is made of. If one of them is at its bound, there may be more. */
function countText(number: number, counted: readonly number[], { say, count }: Wording): string {
  return counted.some(isCut) ? say('{count} or more', { count: count(number) }) : count(number);
}

const isKnown = (reason: string): reason is HoldReason => Object.hasOwn(HOLD_WORDS, reason);

function held({ heldBecause, processes }: Health, { say }: Wording): Html[] {
  const current = processes.filter(isCurrent);
  const reasons = new Set(
    [heldBecause, ...current.map((one) => one.heldBecause)].filter((one) => one !== null),
  );
  return [...reasons].map((reason) => {
    // A process of another version may report a reason that this one does not know.
    const why = isKnown(reason) ? say(HOLD_WORDS[reason]) : `“${reason}”`;
    const count = current.filter((one) => one.heldBecause === reason).length;
    const all = current.length <= count || current.length === 0;
    const text = all
      ? say('Nothing is charged, resolved or sent now: {reason}', { reason: why })
      : say('{count} of {all} processes charge, resolve and send nothing now: {reason}', {
          count: Math.max(1, count),
          all: current.length,
          reason: why,
        });
    return html`<p class="message bad">${text}</p>`;
  });
}

function wrongClocks({ processes }: Health, { say }: Wording): Html[] {
  const hosts = processes
    .filter((one) => isCurrent(one) && Math.abs(one.clockAheadSeconds) >= LARGE_SKEW_SECONDS)
    .map((one) => one.host);
  return [...new Set(hosts)].map(
    (host) =>
      html`<p class="message bad">${say(
        'The clock of {host} is not that of the database: signatures of notifications, logins and times of the log are wrong. Let both follow a time server.',
        { host },
      )}</p>`,
  );
}

function figures(health: Health, wording: Wording): Figure[] {
  const { say } = wording;
  const { deliveries, merchants } = health;
  const { working, open, held } = deliveries.endpoints;
  const ofEndpoints = (number: number) => countText(number, [working + open + held], wording);
  const ofMerchants = (number: number) => countText(number, [merchants.inAll], wording);
  const exceptions = health.exceptions.reduce((sum, one) => sum + one.count, 0);
  const ofExceptions = health.exceptions.map((one) => one.count);
  const cents = health.exceptions.reduce((sum, one) => sum + one.cents, 0);
  const money = wording.money(cents);
  return [
    unresolvedFigure(health, wording),
    oldestDueFigure(health, wording),
    ...lostPixFigure(health, wording),
    [
      say('Notifications waiting'),
      countText(deliveries.waiting, [deliveries.waiting], wording),
      held > 0 ? 'bad' : open > 0 ? 'wait' : 'good',
      html`${say('Endpoints that work: {working}, that fail: {open}, held: {held}', {
        working: ofEndpoints(working),
        open: ofEndpoints(open),
        held: ofEndpoints(held),
      })}. ${say('Each merchant has its own on its page Notifications.')}`,
    ],
    [
      say('Open exceptions'),
      link(pathOf(EXCEPTIONS), countText(exceptions, ofExceptions, wording)),
      exceptions === 0 ? 'good' : 'wait',
      exceptions === 0
        ? say('between files and what was expected')
        : say('{money} between files and what was expected', {
            money: ofExceptions.some(isCut) ? say('{count} or more', { count: money }) : money,
          }),
    ],
    [
      say('Merchants'),
      link(pathOf(MERCHANTS), ofMerchants(merchants.inAll)),
      merchants.disabled + merchants.billingsHeld > 0 ? 'wait' : 'good',
      say('{disabled} locked out, {held} with billings held', {
        disabled: ofMerchants(merchants.disabled),
        held: ofMerchants(merchants.billingsHeld),
      }),
    ],
  ];
}

function unresolvedFigure(health: Health, wording: Wording): Figure {
  const { say, duration } = wording;
  const counts = health.unresolved.map((one) => one.count);
  const unresolved = health.unresolved.reduce((sum, one) => sum + one.count, 0);
  const oldest = Math.max(...health.unresolved.map((one) => one.oldestAge));
  return [
    say('Unresolved'),
    link(pathOf(UNRESOLVED), countText(unresolved, counts, wording)),
    unresolved === 0 ? 'good' : oldest > LONG_UNRESOLVED_SECONDS ? 'bad' : 'wait',
    unresolved === 0
      ? say('Every outcome is known')
      : say('the oldest for {time}', { time: duration(oldest) }),
  ];
}

/**
 * Pix that were paid for lost charges. Only a restore loses charges; without any, the figure is not shown.
 */
function lostPixFigure({ lostPix: { count, oldestAge } }: Health, wording: Wording): Figure[] {
  const { say, duration } = wording;
  if (count === 0) return [];
  const which = say('the oldest for {time}', { time: duration(oldestAge) });
  const what = say(
    'parcela resolve changes lists them. Give them back at the bank, or bring the charges back.',
  );
  return [[say('Paid by Pix for lost charges'), wording.count(count), 'bad', html`${which}. ${what}`]];
}

function oldestDueFigure({ oldestDueOn, readAt }: Health, { say, day }: Wording): Figure {
  const isLate = oldestDueOn !== null && oldestDueOn < saoPauloDay(instant(readAt));
  return [
    say('Oldest billing to charge'),
    oldestDueOn === null ? '–' : day(oldestDueOn),
    isLate ? 'bad' : 'good',
    oldestDueOn === null
      ? say('none waits')
      : isLate
        ? `${say('behind its day')}: ${say('a process with the role charging must run, and no merchant be held.')}`
        : say('on time'),
  ];
}

function unresolvedTable({ unresolved }: Health, wording: Wording): Html {
  const { say, count, duration } = wording;
  if (unresolved.every((one) => one.count === 0))
    return emptyState(
      say('Every outcome is known.'),
      say('What the acquirer or the bank does not answer appears here, and is asked for until it is known.'),
    );
  return table(say('Unresolved'), unresolved, [
    {
      title: say('Kind'),
      cell: (one) => link(withQuery(pathOf(UNRESOLVED), { kind: one.kind }), say(KIND_WORDS[one.kind])),
    },
    { title: say('How many'), isNumber: true, cell: (one) => countText(one.count, [one.count], wording) },
    { title: say('Oldest'), cell: (one) => (one.count === 0 ? '–' : duration(one.oldestAge)) },
    { title: say('Most tries'), isNumber: true, cell: (one) => count(one.mostTries) },
  ]);
}

function exceptions({ exceptions: open }: Health, wording: Wording): Html {
  const { say, duration, money } = wording;
  if (open.length === 0)
    return emptyState(
      say('No exception is open.'),
      say('Where a file of the acquirer differs from what was expected, it stands here.'),
    );
  return table(say('Open exceptions of reconciliation'), open, [
    {
      title: say('Class'),
      cell: (one) =>
        link(withQuery(pathOf(EXCEPTIONS), { class: one.class }), say(EXCEPTION_WORDS[one.class])),
    },
    { title: say('How many'), isNumber: true, cell: (one) => countText(one.count, [one.count], wording) },
    {
      title: say('Money'),
      isNumber: true,
      cell: (one) =>
        isCut(one.count) ? say('{count} or more', { count: money(one.cents) }) : money(one.cents),
    },
    { title: say('Oldest'), cell: (one) => duration(one.oldestAge) },
  ]);
}

const REFRESH_SECONDS = 10;

export const HEALTH_SCREENS: readonly Screen<ConsoleTools>[] = [
  screen<ConsoleTools, Health>({
    path: HEALTH,
    ...OF_OPERATOR,
    title: 'Health',
    refreshSeconds: REFRESH_SECONDS,
    read: (_visit, { findHealth }) => findHealth(),
    view: healthPage,
  }),
];
