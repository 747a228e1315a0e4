import { LARGE_SKEW_SECONDS, SMALL_SKEW_SECONDS } from '../../platform/clock-skew.ts';
import {
  type AnswerTime,
  isCurrent,
  type PeerHealth,
  type ProcessReport,
  peerHealth,
  SLOW_MILLISECONDS,
} from '../../platform/process-reports/process-report.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { emptyState, type Figure, link, moment, quotation, table } from '../parts/page-parts.ts';
import { AUDIT, DIFFERENCES, pathOf, ROUTING, UNRESOLVED, withQuery } from '../parts/paths.ts';
import { reasonIn } from '../parts/reason-in.ts';
import type { Visit } from '../parts/screen.ts';
import { badge, type StateLook, stateBadge, type Tone } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import { type Health, type Integrity, KIND_WORDS } from './health.ts';

type Page = { readonly path: string; readonly title: string };

/** The routing page shows the address of each peer. */
const WAYS: Page = { path: ROUTING, title: 'Routing' };

const PEERS: Readonly<
  Record<string, { readonly name: string; readonly silence: string; readonly leadsTo: Page }>
> = {
  acquirer: {
    name: 'Acquirer',
    silence:
      'Cards are not charged, and what was under way is unknown until it answers: then it is resolved by itself. Look at the bridge.',
    leadsTo: { path: UNRESOLVED, title: 'Unresolved' },
  },
  bank: {
    name: 'Bank of the boletos',
    silence:
      'New boletos are refused, to be asked for again, or wait; those that are registered can be paid. Look at the bridge.',
    leadsTo: { path: UNRESOLVED, title: 'Unresolved' },
  },
  pix: {
    name: 'Bank of Pix',
    silence:
      'New Pix are refused, to be asked for again, or wait; what is paid meanwhile is told late. Look at the bank, and the way to it.',
    leadsTo: { path: UNRESOLVED, title: 'Unresolved' },
  },
  antifraud: {
    name: 'Anti-fraud provider',
    silence:
      'Sales get the verdict of PARCELA_ANTIFRAUD_WHEN_SILENT. Look at the provider, and the way to it.',
    leadsTo: WAYS,
  },
};

const PEER_STATES = {
  answers: { tone: 'good', text: 'Is answering' },
  some: { tone: 'wait', text: 'Answers in part' },
  inPart: { tone: 'wait', text: 'Answers in part' },
  silent: { tone: 'bad', text: 'Away' },
  notAsked: { tone: 'plain', text: 'Not asked lately' },
} as const satisfies Record<PeerHealth['state'], StateLook>;

const isKind = (text: string): text is keyof typeof KIND_WORDS => Object.hasOwn(KIND_WORDS, text);

/** If the feed's newest page is older, payouts and chargebacks arrive late. */
const OLD_FEED_SECONDS = 15 * 60;
const isOldFeed = (age: number | null): age is number => age !== null && age > OLD_FEED_SECONDS;
/** Reports are nightly: up to one night without a report is usual. */
const OLD_REPORT_MILLISECONDS = 2 * 24 * 60 * 60 * 1_000;
const MANY_WAITING = 20;

function peersOf(processes: readonly ProcessReport[]): PeerHealth[] {
  const reported = processes.flatMap((one) => one.peers.map(({ peer }) => peer)).sort();
  // Peers of another version come after ours, under the names that it gives them.
  return [...new Set([...Object.keys(PEERS), ...reported])].flatMap(
    (peer) => peerHealth(processes, peer) ?? [],
  );
}

export const peerName = (peer: string, { say }: Wording) => say(PEERS[peer]?.name ?? peer);

export function peerFigures(processes: readonly ProcessReport[], wording: Wording): Figure[] {
  const { say, duration } = wording;
  return peersOf(processes).flatMap((one): Figure[] => {
    const { tone, text } = PEER_STATES[one.state];
    const name = peerName(one.peer, wording);
    const isShort = tone !== 'good' && tone !== 'plain';
    const { feedAgeSeconds: age, answersIn = [] } = one;
    const slow = answersIn.filter(({ milliseconds }) => milliseconds >= SLOW_MILLISECONDS);
    return [
      ...(isShort ? [[name, say(text), tone, meaning(one, wording)] as const] : []),
      ...(slow.length === 0 ? [] : [[name, timesText(slow, wording), 'wait', say(SLOW)] as const]),
      ...(isOldFeed(age) ? [[name, duration(age), 'wait', say(OLD_FEED)] as const] : []),
    ];
  });
}

const SLOW =
  'It answers slowly: in the slowest process, half of the calls that somebody waits for take this long at least. Look at who answers, and at the network up to it.';
const OLD_FEED = 'Its newest change is that old: what happens there arrives late.';

function timesText(times: readonly AnswerTime[], { language }: Wording): string {
  const locale = language === 'pt' ? 'pt-BR' : 'en-GB';
  const text = (unit: 'second' | 'millisecond', value: number) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: 1 }).format(value);
  return times
    .map(({ provider, milliseconds: all }) => {
      const time = all < 1_000 ? text('millisecond', all) : text('second', all / 1_000);
      return `${time.replaceAll(' ', '\u00a0')} (${provider})`;
    })
    .join(', ');
}

/** Processes that report no more: they were killed, or do not reach the database. */
export function quietFigure(processes: readonly ProcessReport[], { say, count }: Wording): Figure[] {
  const quiet = processes.filter((one) => !isCurrent(one));
  if (quiet.length === 0) return [];
  const hosts = [...new Set(quiet.map(({ host }) => host))].join(', ');
  const what = say(
    'They were killed, or do not reach the database: {hosts}. After a day they are forgotten.',
    {
      hosts,
    },
  );
  return [[say('Processes without a sign'), count(quiet.length), 'wait', what]];
}

export function peerTable(processes: readonly ProcessReport[], { wording }: Visit): Html {
  const { say, duration } = wording;
  const peers = peersOf(processes);
  if (peers.length === 0)
    return emptyState(
      say('No process has reported yet.'),
      say('Each writes down every ten seconds how those answer whom it asks.'),
    );
  return table(say('Whom we ask'), peers, [
    { title: say('Who'), cell: ({ peer }) => say(PEERS[peer]?.name ?? peer) },
    { title: say('State'), cell: ({ state }) => stateBadge(PEER_STATES, state, wording) },
    { title: say('Since'), cell: ({ since }) => moment(wording, since) },
    {
      title: say('Last answer'),
      cell: ({ answeredAt, answersIn = [] }) =>
        html`${moment(wording, answeredAt)} ${answersIn.length > 0 && html`<small>${say('Answers in {time}', { time: timesText(answersIn, wording) })}</small>`}`,
    },
    {
      title: say('Circuit'),
      cell: ({ awayFor, awayProviders }) => {
        if (awayFor.length === 0) return say('Closed: all is asked');
        const open = circuitText(awayFor, wording);
        return awayProviders.length === 0 ? open : `${open} (${awayProviders.join(', ')})`;
      },
    },
    {
      title: say('Age of its changes'),
      cell: ({ feedAgeSeconds: age }) =>
        isOldFeed(age) ? badge('wait', duration(age)) : age === null ? '–' : duration(age),
    },
    { title: say('What it means'), cell: (one) => meaning(one, wording) },
  ]);
}

/** The effect of open circuits on sales: only payments go elsewhere, and only where they can. */
function circuitText(awayFor: readonly string[], { say }: Wording): string {
  const unknown = awayFor.filter((kind) => kind !== 'payment');
  const kinds = unknown.map((kind) => (isKind(kind) ? say(KIND_WORDS[kind]) : kind)).join(', ');
  return [
    unknown.length === 0
      ? ''
      : say('What is unknown ({kinds}) is asked about now and then; new sales are sent to it all the same.', {
          kinds,
        }),
    awayFor.includes('payment')
      ? say('New payments go to another acquirer where a rule names one, and to it where none does.')
      : '',
  ]
    .filter((text) => text !== '')
    .join(' ');
}

const UNKNOWN_SILENCE = 'What needs it waits or fails until it answers.';
const PART_SILENT =
  'Some calls get no clear answer, and others do: what needs the former waits or fails meanwhile.';
const SOME_SILENT = 'Some processes get no answer: look at their way to it.';

function meaning(
  { peer, state, reason, awayFor }: Pick<PeerHealth, 'peer' | 'state' | 'reason' | 'awayFor'>,
  wording: Wording,
): Shown {
  const { say } = wording;
  const { silence, leadsTo } = PEERS[peer] ?? { silence: UNKNOWN_SILENCE, leadsTo: WAYS };
  const pointed = (text: string, { path, title }: Page) =>
    html`<span class="why">${say(text)} ${link(pathOf(path), say(title))}${whyText(reason, wording)}</span>`;
  switch (state) {
    case 'answers':
      return say('Nothing is to be done.');
    case 'notAsked':
      return say('Nobody has needed it lately.');
    case 'some':
      return pointed(SOME_SILENT, WAYS);
    case 'inPart':
      return pointed(awayFor.length === 0 ? PART_SILENT : silence, leadsTo);
    case 'silent':
      return pointed(silence, leadsTo);
  }
}

function whyText(reason: string | null, wording: Wording): Shown {
  if (reason === null) return '';
  return html`. ${wording.say('The last time')}: ${quotation(reasonIn(reason, wording))}`;
}

export function integrityFigures(
  { integrity: { report, isAnyDifferent, audit }, readAt }: Pick<Health, 'integrity' | 'readAt'>,
  { isBroken, seesAudit }: { readonly isBroken: boolean; readonly seesAudit: boolean },
  wording: Wording,
): Figure[] {
  return [
    reportFigure({ report, isAnyDifferent }, readAt, wording),
    auditFigure(audit, { isBroken, seesAudit }, wording),
  ];
}

function reportFigure(
  { report, isAnyDifferent }: Pick<Integrity, 'report' | 'isAnyDifferent'>,
  readAt: number,
  wording: Wording,
): Figure {
  const { say, count, day } = wording;
  const name = say('Books, feed, files and ledger');
  if (report === null)
    return [
      name,
      link(pathOf(DIFFERENCES), '–'),
      'wait',
      say('No day was verified yet: a process with the role reconciliation does it every night.'),
    ];
  const { charges, differences, madeAt, isSealed } = report;
  const isOld = readAt - madeAt > OLD_REPORT_MILLISECONDS;
  const checked = say('{charges} charges checked on {day}, {differences} differ', {
    charges: count(charges),
    day: day(report.day),
    differences: count(differences),
  });
  return [
    name,
    link(pathOf(DIFFERENCES), isAnyDifferent && differences === 0 ? say('Differs') : count(differences)),
    !isSealed || differences > 0 || isAnyDifferent ? 'bad' : isOld ? 'wait' : 'good',
    html`${checked}; ${isSealed ? say('sealed') : say('its seal is not ours: it was altered')}, ${moment(wording, madeAt)}.${isAnyDifferent && html` ${say('Something differs now.')}`}${
      isOld && html` ${say('No later night was verified: a process with the role reconciliation must run.')}`
    }`,
  ];
}

function auditFigure(
  audit: Integrity['audit'],
  { isBroken, seesAudit }: { readonly isBroken: boolean; readonly seesAudit: boolean },
  wording: Wording,
): Figure {
  const { say } = wording;
  const isBad = isBroken || audit?.isWhole === false;
  const word = isBad ? say('Altered') : say('Whole');
  return [
    say('Chain of the audit log'),
    seesAudit ? link(withQuery(pathOf(AUDIT), { action: 'audit.verify' }), word) : word,
    isBad ? 'bad' : audit === null ? 'wait' : 'good',
    html`${
      isBroken
        ? say('A process has read an entry that was altered: run parcela audit verify.')
        : say('New entries are verified every minute.')
    } ${
      audit === null
        ? say('All of it was not verified lately: run parcela audit verify.')
        : html`${say('All of it was verified by {actor} at', { actor: audit.by })} ${moment(wording, audit.verifiedAt)}.`
    }`,
  ];
}

export function databaseFigure(
  server: Health['server'],
  processes: readonly ProcessReport[],
  wording: Wording,
): Figure {
  const { say, count } = wording;
  const current = processes.filter(isCurrent);
  const waiting = current.reduce((sum, { connections }) => sum + connections.waiting, 0);
  const [tone, role]: readonly [Tone, string] = server.isReadOnly
    ? ['bad', say('It takes no writes: it is a standby, or read-only.')]
    : server.hasSynchronousStandby
      ? server.logReaders > 0
        ? ['good', say('A primary with a synchronous standby: none of its commits is on one machine only.')]
        : ['bad', say('Its synchronous standby is away: no commit ends.')]
      : server.logReaders > 0
        ? ['wait', say('Replicated without a synchronous standby: a failover may lose payments.')]
        : ['plain', say('One server without a standby.')];
  const isBusy = waiting > MANY_WAITING;
  return [
    say('Database'),
    sizeText(server.sizeBytes, wording),
    server.doubt !== null ? 'bad' : isBusy && tone !== 'bad' ? 'wait' : tone,
    html`${role} ${server.doubt !== null && html`${quotation(server.doubt)} `}${say(
      '{waiting} statements wait for a connection; migration {version}.',
      { waiting: count(waiting), version: server.schemaVersion },
    )} ${say('Its free space is known to its server alone.')}`,
  ];
}

function sizeText(bytes: number, { language }: Wording): string {
  const [unit, size] = bytes >= 2 ** 30 ? (['gigabyte', 2 ** 30] as const) : (['megabyte', 2 ** 20] as const);
  const format = { style: 'unit', unit, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language === 'pt' ? 'pt-BR' : 'en-GB', format).format(bytes / size);
}

export function processTable(processes: readonly ProcessReport[], { wording }: Visit): Html {
  const { say, count } = wording;
  if (processes.length === 0)
    return emptyState(
      say('No process has reported yet.'),
      say('Each writes down every ten seconds how those answer whom it asks.'),
    );
  const versions = new Set(processes.filter(isCurrent).map(({ version }) => version));
  return html`${table(say('Processes'), processes, [
    { title: say('Where'), cell: (one) => `${one.host} (${one.pid})` },
    {
      title: say('State'),
      cell: (one) => html`${processState(one, wording)} ${wrongClock(one, wording)}`,
    },
    { title: say('Version'), cell: (one) => one.version },
    { title: say('Cell'), cell: (one) => one.cell ?? '–' },
    { title: say('Roles'), cell: (one) => html`<code>${one.roles.join(', ')}</code>` },
    { title: say('Began'), cell: (one) => moment(wording, one.startedAt) },
    { title: say('Last report'), cell: (one) => moment(wording, one.reportedAt) },
    {
      title: say('Connections'),
      isNumber: true,
      cell: (one) => `${count(one.connections.used)} / ${count(one.connections.most)}`,
    },
    { title: say('Statements waiting'), isNumber: true, cell: (one) => count(one.connections.waiting) },
  ])}${
    versions.size > 1 &&
    html`<p class="note">${say('Several versions run beside each other: replace the processes of the older one.')}</p>`
  }`;
}

/** Null: the clock of the process's machine is right. The times on the page are the database's. */
function wrongClock({ clockAheadSeconds: ahead }: ProcessReport, { say, duration }: Wording): Html | null {
  const seconds = Math.abs(ahead);
  if (seconds < SMALL_SKEW_SECONDS) return null;
  // The machine's clock is judged by the database's, not the other way round.
  const text = say(ahead > 0 ? '{time} behind the database' : '{time} ahead of the database', {
    time: duration(seconds),
  });
  return badge(seconds < LARGE_SKEW_SECONDS ? 'wait' : 'bad', text);
}

function processState(one: ProcessReport, { say }: Wording): Html {
  if (!isCurrent(one)) return badge('plain', say('Not heard of'));
  if (one.heldBecause !== null) return badge('bad', say('Held'));
  return badge('good', say('Works'));
}
