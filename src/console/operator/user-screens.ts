import { type Html, html, type Shown } from '../parts/html.ts';
import { emptyState, filterForm, link, moment, table } from '../parts/page-parts.ts';
import { USERS, userPath, withQuery } from '../parts/paths.ts';
import { type Screen, screen, type Visit } from '../parts/screen.ts';
import { ROLE_WORDS } from '../parts/user.ts';
import type { UserFilter, UserPage } from '../users/user.ts';
import { IDENTITY_WORDS, inviteForm, OF_ADMINS, userState } from './user-actions.ts';

export type UserTools = {
  readonly listUsers: (filter: UserFilter) => Promise<UserPage>;
  /** Whether people may sign in through an identity provider. */
  readonly hasProvider: boolean;
};

type Found = UserPage & { readonly hasProvider: boolean };

export const USER_SCREENS: readonly Screen<UserTools>[] = [
  screen<UserTools, Found>({
    ...OF_ADMINS,
    path: USERS,
    title: 'Users',
    place: 8,
    async read({ query: { merchant = null, name = '', after = '' } }, { listUsers, hasProvider }) {
      const found = await listUsers({ merchantId: merchant, prefix: name.toLowerCase(), after });
      return { ...found, hasProvider };
    },
    view: (found, visit) =>
      html`${inviteForm(visit, found.hasProvider)}${filters(visit)}${userList(found, visit)}`,
  }),
];

function filters(visit: Visit): Html {
  const { say } = visit.wording;
  return filterForm(visit, [
    { name: 'name', label: say('Name begins with'), type: 'search', mostCharacters: 60 },
    { name: 'merchant', label: say('Merchant'), mostCharacters: 20 },
  ]);
}

function userList({ users, next }: UserPage, { wording, path, query }: Visit): Shown {
  const { say } = wording;
  if (users.length === 0)
    return emptyState(
      say('No user fits.'),
      say('The form above, or the command parcela user invite, makes one.'),
    );
  const rows = users.map((one) => [
    link(userPath(one.name), one.name),
    say(ROLE_WORDS[one.role]),
    one.merchantId ?? say('All'),
    one.identity === 'none' ? one.passkeys : say(IDENTITY_WORDS[one.identity]),
    moment(wording, one.seenAt),
    userState(one, wording),
  ]);
  const columns = [
    { title: say('Name') },
    { title: say('Role') },
    { title: say('Merchant') },
    { title: say('Passkeys'), isNumber: true },
    { title: say('Seen') },
    { title: say('State') },
  ];
  return html`${table(say('Users'), columns, rows)}${
    next !== null &&
    html`<nav class="pager" aria-label="${say('Pages of this list')}">${link(withQuery(path, { ...query, after: next }), say('Next'))}</nav>`
  }`;
}
