import { html } from '../parts/html.ts';
import { ROLE_WORDS } from '../parts/layout.ts';
import { badge, emptyState, link, moment, table } from '../parts/page-parts.ts';
import { type Screen, screen } from '../parts/screen.ts';
import type { ListedUser } from '../users/user.ts';
import { inviteForm, userPath } from './user-actions.ts';

export type UserTools = { readonly listUsers: () => Promise<readonly ListedUser[]> };

export const USER_SCREENS: readonly Screen<UserTools>[] = [
  screen<UserTools, readonly ListedUser[]>({
    path: '/users',
    roles: ['admin'],
    of: 'operator',
    title: 'Users',
    place: 8,
    read: (_visit, { listUsers }) => listUsers(),
    view(users, visit) {
      const { wording } = visit;
      const { say } = wording;
      if (users.length === 0)
        return emptyState(say('There is no user yet.'), say('The command parcela user invite makes one.'));
      return html`${inviteForm(visit)}${table(
        say('Users'),
        [
          { title: say('Name') },
          { title: say('Role') },
          { title: say('Merchant') },
          { title: say('Passkeys'), isNumber: true },
          { title: say('Seen') },
          { title: say('State') },
        ],
        users.map((one) => [
          link(userPath(one.name), one.name),
          say(ROLE_WORDS[one.role]),
          one.merchantId ?? say('All'),
          one.passkeys,
          moment(wording, one.seenAt),
          one.disabledAt === null ? badge('good', say('Open')) : badge('bad', say('Locked out')),
        ]),
      )}`;
    },
  }),
];
