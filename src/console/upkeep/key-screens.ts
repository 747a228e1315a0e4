import { dueAt } from '../../keys/key-change.ts';
import { saoPauloDay } from '../../values/instant.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { moment, table } from '../parts/page-parts.ts';
import { KEYS } from '../parts/paths.ts';
import { type Screen, screen, type Visit } from '../parts/screen.ts';
import { type States, stateBadge } from '../parts/states.ts';
import { afterwards, type KeyDue, type KeyKind, type KeyState, keyDue, kindOfPurpose } from './key-due.ts';

export const KEY_SCREENS: readonly Screen<ConsoleTools>[] = [
  screen<ConsoleTools, readonly KeyState[]>({
    path: KEYS,
    roles: ['operator', 'admin'],
    of: 'operator',
    title: 'Keys',
    read: (_visit, { listKeys }) => listKeys(),
    view: keyPage,
  }),
];

const PURPOSE_WORDS: Readonly<Record<KeyKind, string>> = {
  card: 'Cards',
  keyPair: 'Private keys of pairs',
  secret: 'Secrets of webhooks',
  fingerprint: 'Fingerprints',
  audit: 'The audit log',
  id: 'Ids of requests with a key',
  rsa: 'Cards that merchants encrypt',
};

const STATES = {
  retired: { tone: 'plain', text: 'Retired' },
  overdue: { tone: 'bad', text: 'Older than a year' },
  soon: { tone: 'wait', text: 'Due within a month' },
  inUse: { tone: 'good', text: 'In use' },
} as const satisfies States<KeyDue>;

function keyPage(keys: readonly KeyState[], visit: Visit): Html {
  const { say, count } = visit.wording;
  const overdue = keys.filter((key) => keyDue(key, visit.now) === 'overdue');
  return html`${
    overdue.length > 0 &&
    html`<p class="message bad">${say(
      'Keys older than a year: {count}. Replace them now, while the service runs.',
      {
        count: count(overdue.length),
      },
    )} <code>parcela key rotate --kind all</code></p>`
  }
${keyTable(keys, visit)}
<p class="note">${say('No key itself is shown here. Keys are replaced by a command alone, on a machine that holds the key-encryption key: a person at a page could not keep its copy. key status counts what each has sealed, and knows the age of the key-encryption key.')}</p>`;
}

function keyTable(keys: readonly KeyState[], { wording, now }: Visit): Html {
  const { say, duration, day } = wording;
  const rows = keys.map((key) => ({ ...key, due: keyDue(key, now) }));
  return table(say('Keys'), rows, [
    { title: say('Id'), cell: ({ keyId }) => keyId },
    {
      title: say('Purpose'),
      cell: ({ purpose }) => html`${say(PURPOSE_WORDS[purpose])} <code>${kindOfPurpose(purpose)}</code>`,
    },
    { title: say('State'), cell: ({ due }) => stateBadge(STATES, due, wording) },
    {
      title: say('Due'),
      cell: (key) => {
        const at = key.due === 'retired' ? null : dueAt(key);
        return at === null ? '–' : day(saoPauloDay(at));
      },
    },
    {
      title: say('What is next'),
      cell: (key) => html`<span class="why">${nextStep(key, key.due, wording)}</span>`,
    },
    {
      title: say('Made'),
      cell: ({ createdAt }) =>
        html`${moment(wording, createdAt)} <small>${duration((now - createdAt) / 1_000)}</small>`,
    },
    { title: say('Retired at'), cell: ({ retiredAt }) => moment(wording, retiredAt) },
    { title: say('Wrapped by'), cell: ({ wrappedBy }) => html`<code>${wrappedBy.slice(0, 12)}</code>` },
  ]);
}

function nextStep({ purpose }: KeyState, due: KeyDue, { say }: Visit['wording']): Shown {
  if (due === 'retired') return say(afterwards(purpose));
  if (due === 'inUse') return say('Nothing is to be done.');
  const command = html`<code>parcela key rotate --kind ${kindOfPurpose(purpose)}</code>`;
  return due === 'soon'
    ? html`${say('Replace it before it is due:')} ${command}`
    : html`${say('Replace it now:')} ${command}`;
}
