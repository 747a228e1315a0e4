import type { Asked } from '../parts/asked.ts';
import { html } from '../parts/html.ts';
import { OPERATION_DONE, operationRefused } from '../parts/operation-refused.ts';
import { actionForm, facts, moment } from '../parts/page-parts.ts';
import { pathOf, USER, USERS, userPath } from '../parts/paths.ts';
import { type Action, type Form, type Screen, screen, type Visit } from '../parts/screen.ts';
import { ENTRY_STATES, stateBadge } from '../parts/states.ts';
import { isRole, ROLE_WORDS, ROLES, type User } from '../parts/user.ts';
import type { Wording } from '../parts/wording.ts';
import type { Invited, WantedUser } from '../users/invite-user.ts';
import type { ListedUser, UserRefusal } from '../users/user.ts';

type Refusing<Made> = Promise<Made | { readonly refusal: UserRefusal }>;

export type UserActionTools = {
  readonly findUser: (name: string) => Promise<ListedUser | null>;
  readonly hasProvider: boolean;
  readonly inviteUser: (visit: Visit, wanted: WantedUser) => Refusing<Invited>;
  readonly inviteByIdentity: (visit: Visit, wanted: WantedUser) => Refusing<User>;
  readonly recoverUser: (visit: Visit, name: string) => Refusing<Invited>;
  readonly recoverByIdentity: (visit: Visit, name: string) => Refusing<User>;
  readonly disableUser: (visit: Visit, name: string) => Refusing<User>;
};

export const OF_ADMINS = { roles: ['admin'], of: 'operator' } as const;

/** How a user signs in who does not by a passkey. */
export const IDENTITY_WORDS = {
  invited: 'Invited through the organization',
  bound: 'Through the organization',
} as const;

const WAYS = { link: 'By a link, with a passkey', oidc: 'Through the organization' } as const;

function wayField({ wording: { say } }: Visit) {
  const choices = Object.entries(WAYS).map(([way, words]) => [way, say(words)] as const);
  return { name: 'by', label: say('Signs in'), isRequired: true, choices };
}

export function inviteForm(visit: Visit, hasProvider: boolean) {
  const { say } = visit.wording;
  return actionForm(visit, INVITE, {
    about: say('The link is shown once, and works once, for a day.'),
    fields: [
      {
        name: 'name',
        label: say('Name'),
        hint: say('Such as an address of e-mail, in small letters.'),
        isRequired: true,
        mostCharacters: 60,
      },
      {
        name: 'role',
        label: say('Role'),
        isRequired: true,
        choices: ROLES.map((role) => [role, say(ROLE_WORDS[role])] as const),
      },
      {
        name: 'merchant',
        label: say('Merchant'),
        hint: say('Empty: the user sees all merchants.'),
        mostCharacters: 20,
      },
      ...(hasProvider ? [wayField(visit)] : []),
    ],
  });
}

export function userState({ disabledAt }: Pick<ListedUser, 'disabledAt'>, wording: Wording) {
  return stateBadge(ENTRY_STATES, disabledAt === null ? 'open' : 'lockedOut', wording);
}

type ShownUser = ListedUser & { readonly hasProvider: boolean };

export const USER_PAGES: readonly Screen<UserActionTools>[] = [
  screen<UserActionTools, ShownUser>({
    ...OF_ADMINS,
    path: USER,
    title: 'User',
    async read({ parameters: { name = '' } }, { findUser, hasProvider }) {
      const user = await findUser(name);
      return user === null ? 'notFound' : { ...user, hasProvider };
    },
    view(user, visit) {
      const { wording } = visit;
      const { say } = wording;
      const isOther = user.userId !== visit.user.userId;
      return html`<p class="headline"><strong>${user.name}</strong> ${userState(user, wording)}</p>
${facts([
  [say('Role'), say(ROLE_WORDS[user.role])],
  [say('Merchant'), user.merchantId ?? say('All')],
  [say('Passkeys'), user.passkeys],
  [say('Signs in'), user.identity === 'none' ? null : say(IDENTITY_WORDS[user.identity])],
  [say('Since'), moment(wording, user.createdAt)],
  [say('Seen'), moment(wording, user.seenAt)],
  [say('Locked out at'), moment(wording, user.disabledAt)],
])}
${isOther && user.disabledAt === null && forms(user, visit)}
${!isOther && html`<p class="note">${say('Another administrator recovers you or locks you out.')}</p>`}`;
    },
  }),
];

function forms({ name, hasProvider }: ShownUser, visit: Visit) {
  const { say } = visit.wording;
  const values = { name };
  return html`${actionForm(visit, RECOVER, {
    values,
    about: say('For lost passkeys: ends all sessions, takes the passkeys away and gives a new link.'),
    fields: hasProvider ? [wayField(visit)] : [],
  })}${actionForm(visit, DISABLE, {
    values,
    about: say('At once and for good; the name stays taken.'),
    isGrave: true,
  })}`;
}

const REFUSALS: Readonly<Record<UserRefusal, { readonly status: 400 | 404 | 409; readonly text: string }>> = {
  userNameMalformed: {
    status: 400,
    text: 'A name has 1 to 60 small letters, digits or . _ @ + -, and begins with a letter or digit.',
  },
  userExists: { status: 409, text: 'Another user has this name.' },
  tooManyUsers: {
    status: 409,
    text: 'There are as many users as there may be of one merchant, or of the operator. Lock out those who left.',
  },
  userUnknown: { status: 404, text: 'There is no such user.' },
  userDisabled: { status: 409, text: 'The user is locked out for good.' },
  merchantUnknown: { status: 404, text: 'There is no such merchant.' },
};

function refusedBecause({ wording }: Visit, refusal: UserRefusal): Asked<never> {
  const { status, text } = REFUSALS[refusal];
  return operationRefused(status, wording.say(text));
}

/** `token`: of a link; null: the way in is the identity provider. */
type Entry = { readonly user: User; readonly token: string | null };

/** The link, which is nowhere afterwards. */
function reveal(answered: unknown, { wording: { say } }: Visit) {
  const { user, token } = answered as Entry;
  if (token === null)
    return html`<div class="message good" role="status"><p>${say('{name} signs in through the organization, for the first time within seven days.', { name: user.name })}</p></div>`;
  return html`<div class="message good" role="status"><p>${say('The link of {name}: put your origin in front of it, and send it by a way of your own.', { name: user.name })}</p>
<p><code>/console/links/${token}</code></p></div>`;
}

type Ways = {
  readonly link: () => Refusing<Invited>;
  readonly oidc: () => Refusing<User>;
};

/** By the way in that the form names; where there is no choice, a link. */
async function entryBy(
  visit: Visit,
  { by = 'link' }: Form,
  hasProvider: boolean,
  ways: Ways,
): Promise<Asked<Entry>> {
  if (by === 'link') {
    const made = await ways.link();
    return 'refusal' in made ? refusedBecause(visit, made.refusal) : { ok: true, status: 200, body: made };
  }
  if (by !== 'oidc' || !hasProvider)
    return operationRefused(409, visit.wording.say('There is no such way to sign in here.'));
  const user = await ways.oidc();
  if ('refusal' in user) return refusedBecause(visit, user.refusal);
  return { ok: true, status: 200, body: { user, token: null } };
}

const isSelf = (visit: Visit) => visit.parameters.name === visit.user.name;
const toUser = ({ parameters: { name = '' } }: Visit) => userPath(name);

const INVITE: Action<UserActionTools> = {
  ...OF_ADMINS,
  path: `${USERS}/invite`,
  title: 'Invite a user',
  operation: 'user.invite',
  async perform(visit, form, { hasProvider, inviteUser, inviteByIdentity }) {
    const { name = '', role = '', merchant: merchantId = null } = form;
    if (!isRole(role)) return operationRefused(400, visit.wording.say('Choose a role.'));
    const wanted = { name, role, merchantId };
    return entryBy(visit, form, hasProvider, {
      link: () => inviteUser(visit, wanted),
      oidc: () => inviteByIdentity(visit, wanted),
    });
  },
  reveal,
  done: 'The user is invited.',
  next: () => pathOf(USERS),
};

const RECOVER: Action<UserActionTools> = {
  ...OF_ADMINS,
  path: `${USER}/recover`,
  title: 'Recover',
  operation: 'user.recover',
  async perform(visit, form, { hasProvider, recoverUser, recoverByIdentity }) {
    const { say } = visit.wording;
    if (isSelf(visit))
      return operationRefused(409, say('Another administrator recovers you or locks you out.'));
    const name = visit.parameters.name ?? '';
    return entryBy(visit, form, hasProvider, {
      link: () => recoverUser(visit, name),
      oidc: () => recoverByIdentity(visit, name),
    });
  },
  reveal,
  done: 'The user may come in anew.',
  next: toUser,
};

const DISABLE: Action<UserActionTools> = {
  ...OF_ADMINS,
  path: `${USER}/disable`,
  title: 'Lock out',
  operation: 'user.disable',
  isForHeld: true,
  async perform(visit, _form, { disableUser }) {
    const { say } = visit.wording;
    if (isSelf(visit))
      return operationRefused(409, say('Another administrator recovers you or locks you out.'));
    const made = await disableUser(visit, visit.parameters.name ?? '');
    return 'refusal' in made ? refusedBecause(visit, made.refusal) : OPERATION_DONE;
  },
  done: 'The user is locked out.',
  next: toUser,
};

export const USER_ACTIONS: readonly Action<UserActionTools>[] = [INVITE, RECOVER, DISABLE];
