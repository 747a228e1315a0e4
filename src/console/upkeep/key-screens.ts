import { CRYPTOPERIOD_MILLISECONDS } from '../../keys/cryptoperiod.ts';
import type { Instant } from '../../values/instant.ts';
import { type Html, html } from '../parts/html.ts';
import { badge, moment, table } from '../parts/page-parts.ts';
import { type Screen, screen, type Visit } from '../parts/screen.ts';

export type KeyState = {
  readonly keyId: string;
  readonly purpose: string;
  readonly wrappedBy: string;
  readonly createdAt: Instant;
  readonly retiredAt: Instant | null;
};

export type KeyTools = { readonly listKeys: () => Promise<readonly KeyState[]> };

export const KEY_SCREENS: readonly Screen<KeyTools>[] = [
  screen<KeyTools, readonly KeyState[]>({
    path: '/keys',
    roles: ['operator', 'admin'],
    of: 'operator',
    title: 'Keys',
    place: 7,
    read: (_visit, { listKeys }) => listKeys(),
    view: keyTable,
  }),
];

function keyTable(keys: readonly KeyState[], { wording, now }: Visit): Html {
  const { say, duration } = wording;
  const state = ({ createdAt, retiredAt }: KeyState) => {
    if (retiredAt !== null) return badge('plain', say('Retired'));
    return now - createdAt > CRYPTOPERIOD_MILLISECONDS
      ? badge('bad', say('Older than a year'))
      : badge('good', say('In use'));
  };
  return html`<p class="note">${say('No key itself is shown here. The command parcela key rotate replaces one, and key status counts what each has sealed.')}</p>
${table(
  say('Keys'),
  [
    { title: say('Id') },
    { title: say('Purpose') },
    { title: say('State') },
    { title: say('Age') },
    { title: say('Made') },
    { title: say('Retired at') },
    { title: say('Wrapped by') },
  ],
  keys.map((key) => [
    key.keyId,
    key.purpose,
    state(key),
    duration(Math.max(0, (now - key.createdAt) / 1_000)),
    moment(wording, key.createdAt),
    moment(wording, key.retiredAt),
    key.wrappedBy,
  ]),
)}`;
}
