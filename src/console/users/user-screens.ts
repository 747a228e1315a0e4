import type { ConsoleTools } from '../open-console-tools.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { actionForm, emptyState, facts, filterForm, link, realMoment, table } from '../parts/page-parts.ts';
import { pathOf, USER, USERS, withQuery } from '../parts/paths.ts';
import { type Screen, screen, type Visit } from '../parts/screen.ts';
import { ENTRY_STATES, stateBadge } from '../parts/states.ts';
import { ROLE_WORDS, ROLES_TO_GIVE } from '../parts/user.ts';
import { type Giver, type ListedUser, nameShown, type UserPage } from './user.ts';

import {
  BY_ANOTHER,
  inviteForm,
  isSelf,
  ofAdmins,
  recoverForm,
  roleForm,
  type Side,
  USER_ACTIONS_OF,
} from './user-actions.ts';

type Found = UserPage & Pick<ConsoleTools, 'hasProvider'>;
type FoundUser = ListedUser & Pick<ConsoleTools, 'hasProvider'>;

function listScreen(side: Side, title: string): Screen<ConsoleTools> {
  return screen<ConsoleTools, Found>({
    ...ofAdmins(side),
    path: USERS[side],
    title,
    async read(visit, { listUsers, hasProvider }) {
      const { merchant = null, name = '', after = '' } = visit.query;
      const found = await listUsers(visit, { merchantId: merchant, prefix: name.toLowerCase(), after });
      return { ...found, hasProvider };
    },
    view: (found, visit) =>
      html`${inviteForm(side, found, visit)}${filters(side, visit)}${userList(side, found, visit)}`,
  });
}

function userScreen(side: Side): Screen<ConsoleTools> {
  return screen<ConsoleTools, FoundUser>({
    ...ofAdmins(side),
    path: USER[side],
    title: 'User',
    async read(visit, { findUser, hasProvider }) {
      const user = await findUser(visit, visit.parameters.name ?? '');
      return user === null ? 'notFound' : { ...user, hasProvider };
    },
    view: (user, visit) => userPage(side, user, visit),
  });
}

export const USER_SCREENS: readonly Screen<ConsoleTools>[] = [
  listScreen('operator', 'All users'),
  userScreen('operator'),
  listScreen('merchant', 'Users'),
  userScreen('merchant'),
];

const IDENTITY_WORDS = {
  none: 'With a passkey',
  invited: 'Invited through the organization',
  bound: 'Through the organization',
} as const;

function filters(side: Side, visit: Visit): Html {
  const { say } = visit.wording;
  return filterForm(visit, [
    { name: 'name', label: say('Name begins with'), type: 'search', mostCharacters: 60 },
    ...(side === 'operator' ? [{ name: 'merchant', label: say('Merchant'), mostCharacters: 20 }] : []),
  ]);
}

function userList(side: Side, { users, next }: UserPage, visit: Visit): Shown {
  const { wording, path, query } = visit;
  const { say } = wording;
  if (users.length === 0)
    return emptyState(
      say('No user fits.'),
      side === 'operator'
        ? say('The form above, or the command parcela user invite, makes one.')
        : say('The form above makes one.'),
    );
  return html`${table(say('Users'), users, [
    {
      title: say('Name'),
      cell: ({ name }) => link(pathOf(USER[side], { merchantId: visit.merchantId, name }), name),
    },
    { title: say('Role'), cell: (one) => say(ROLE_WORDS[one.role]) },
    ...(side === 'operator'
      ? [{ title: say('Merchant'), cell: (one: ListedUser) => one.merchantId ?? say('All') }]
      : []),
    {
      title: say('Passkeys'),
      isNumber: true,
      cell: (one) => (one.identity === 'none' ? one.passkeys : say(IDENTITY_WORDS[one.identity])),
    },
    { title: say('Seen'), cell: (one) => realMoment(wording, one.seenAt) },
    { title: say('State'), cell: (one) => stateOf(one, visit) },
  ])}${
    next !== null &&
    html`<nav class="pager" aria-label="${say('Pages of this list')}">${link(withQuery(path, { ...query, after: next }), say('Next'))}</nav>`
  }`;
}

function stateOf({ disabledAt }: ListedUser, { wording }: Visit): Html {
  return stateBadge(ENTRY_STATES, disabledAt === null ? 'open' : 'lockedOut', wording);
}

function userPage(side: Side, user: FoundUser, visit: Visit): Html {
  const { wording } = visit;
  const { say } = wording;
  return html`<p class="headline"><strong>${user.name}</strong> ${stateOf(user, visit)}</p>
${facts([
  [say('Role'), say(ROLE_WORDS[user.role])],
  ...(side === 'operator' ? [[say('Merchant'), user.merchantId ?? say('All')] as const] : []),
  [say('Passkeys'), user.passkeys],
  [say('Signs in'), say(IDENTITY_WORDS[user.identity])],
  [say('Since'), realMoment(wording, user.createdAt)],
  [say('Let in by'), giversText('access', user, visit)],
  [say('Role given by'), giversText('role', user, visit)],
  [say('Seen'), realMoment(wording, user.seenAt)],
  [say('Locked out at'), realMoment(wording, user.disabledAt)],
])}
${!isSelf(visit) && user.disabledAt === null && forms(side, user, visit)}
${isSelf(visit) && html`<p class="note">${say(BY_ANOTHER)}</p>`}`;
}

function giversText(gift: Giver['gift'], { givers }: FoundUser, visit: Visit): string {
  const names = givers.filter((one) => one.gift === gift).map((one) => nameShown(one, visit));
  return names.length === 0 ? '–' : [...new Set(names)].join(', ');
}

function forms(side: Side, { name, role, hasProvider }: FoundUser, visit: Visit): Html {
  const { say } = visit.wording;
  const { disable } = USER_ACTIONS_OF[side];
  const others = ROLES_TO_GIVE[side].filter((one) => one !== role);
  return html`${roleForm(side, { name, roles: others }, visit)}${recoverForm(side, { name, hasProvider }, visit)}${actionForm(
    visit,
    disable,
    {
      values: { name },
      about: say('At once and for good; the name stays taken.'),
      isGrave: true,
    },
  )}`;
}
