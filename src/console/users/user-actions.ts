import type { ConsoleTools } from '../open-console-tools.ts';
import { html, type Shown } from '../parts/html.ts';
import { actionForm, copyable } from '../parts/page-parts.ts';
import { pathOf, USER, USERS } from '../parts/paths.ts';
import {
  type Action,
  type Asked,
  type Form,
  OPERATION_DONE,
  operationRefused,
  refusedAs,
  type Visit,
} from '../parts/screen.ts';

import { ROLE_WORDS, ROLES_TO_GIVE, type Role, type User } from '../parts/user.ts';
import type { Invited } from './invite-user.ts';
import { USER_REFUSALS, type UserRefusal } from './user.ts';

type Refusing<Made> = Promise<Made | { readonly refusal: UserRefusal }>;

export type Side = keyof typeof USERS;

export const ofAdmins = (side: Side) => ({ roles: ['admin'], of: side }) as const;

const refusedBecause = (visit: Visit, refusal: UserRefusal) => refusedAs(visit, USER_REFUSALS[refusal]);

/** `token` null: the user signs in through the identity provider. */
type Entry = { readonly user: User; readonly token: string | null };

function reveal(answered: unknown, { origin, wording: { say } }: Visit) {
  const { user, token } = answered as Entry;
  if (token === null)
    return html`<div class="message good" role="status"><p>${say('{name} signs in through the organization, for the first time within seven days.', { name: user.name })}</p></div>`;
  return html`<div class="message good" role="status"><p>${say('The link of {name}: send it by a way of your own.', { name: user.name })}</p>
<p>${copyable(`${origin}/console/links/${token}`)}</p></div>`;
}

type Ways = {
  readonly link: () => Refusing<Invited>;
  readonly oidc: () => Refusing<User>;
};

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

const WAY_WORDS = { link: 'By a link, with a passkey', oidc: 'Through the organization' } as const;

function wayField({ wording: { say } }: Visit) {
  const choices = Object.entries(WAY_WORDS).map(([way, words]) => [way, say(words)] as const);
  return { name: 'by', label: say('Signs in'), isRequired: true, choices };
}

export function inviteForm(
  side: Side,
  { hasProvider }: Pick<ConsoleTools, 'hasProvider'>,
  visit: Visit,
  typed?: Form,
): Shown {
  const { say } = visit.wording;
  return actionForm(visit, USER_ACTIONS_OF[side].invite, {
    typed,
    about: say('The link is shown once, and works once, for a day.'),
    fields: [
      {
        name: 'name',
        label: say('Name'),
        hint: say('Such as an address of e-mail, in small letters.'),
        isRequired: true,
        mostCharacters: 60,
      },
      roleField(ROLES_TO_GIVE[side], visit),
      ...(side === 'operator' ? [merchantField(visit)] : []),
      ...(hasProvider ? [wayField(visit)] : []),
    ],
  });
}

export function roleForm(
  side: Side,
  { name, roles }: { readonly name: string; readonly roles: readonly Role[] },
  visit: Visit,
  typed?: Form,
): Shown {
  return actionForm(visit, USER_ACTIONS_OF[side].change, {
    typed,
    values: { name },
    about: visit.wording.say('It holds at once, where the user is signed in too.'),
    fields: [roleField(roles, visit)],
  });
}

export function recoverForm(
  side: Side,
  { name, hasProvider }: { readonly name: string; readonly hasProvider: boolean },
  visit: Visit,
  typed?: Form,
): Shown {
  const { say } = visit.wording;
  return actionForm(visit, USER_ACTIONS_OF[side].recover, {
    typed,
    values: { name },
    about: say('For lost passkeys: ends all sessions, takes the passkeys away and gives a new link.'),
    fields: hasProvider ? [wayField(visit)] : [],
  });
}

function roleField(roles: readonly Role[], { wording: { say } }: Visit) {
  const choices = roles.map((role) => [role, say(ROLE_WORDS[role])] as const);
  return { name: 'role', label: say('Role'), isRequired: true, choices };
}

function merchantField({ wording: { say } }: Visit) {
  const hint = say('Empty: the user sees all merchants.');
  return { name: 'merchant', label: say('Merchant'), hint, mostCharacters: 20 };
}

export const isSelf = ({ parameters, user }: Visit) => parameters.name === user.name;

function userActions(side: Side) {
  const toUser = ({ merchantId, parameters: { name = '' } }: Visit) =>
    pathOf(USER[side], { merchantId, name });
  const roleOf = (form: Form) => ROLES_TO_GIVE[side].find((one) => one === form.role);
  const invite: Action<ConsoleTools> = {
    ...ofAdmins(side),
    path: `${USERS[side]}/invite`,
    title: 'Invite a user',
    operation: 'user.invite',
    async perform(visit, form, { hasProvider, inviteUser, inviteByIdentity }) {
      const { name = '', merchant: merchantId = null } = form;
      const role = roleOf(form);
      if (role === undefined) return operationRefused(400, visit.wording.say('Choose a role.'));
      const wanted = { name, role, merchantId };
      return entryBy(visit, form, hasProvider, {
        link: () => inviteUser(visit, wanted),
        oidc: () => inviteByIdentity(visit, wanted),
      });
    },
    reveal,
    again: (visit, typed, tools) => inviteForm(side, tools, visit, typed),
    done: 'The user is invited.',
    next: ({ merchantId }) => pathOf(USERS[side], { merchantId }),
  };
  const change: Action<ConsoleTools> = {
    ...ofAdmins(side),
    path: `${USER[side]}/role`,
    title: 'Change the role',
    operation: 'user.change',
    async perform(visit, form, { changeRole }) {
      if (isSelf(visit)) return ofAnother(visit);
      const role = roleOf(form);
      if (role === undefined) return operationRefused(400, visit.wording.say('Choose a role.'));
      const made = await changeRole(visit, { name: visit.parameters.name ?? '', role });
      return 'refusal' in made ? refusedBecause(visit, made.refusal) : OPERATION_DONE;
    },
    again(visit, typed) {
      const { name = '' } = visit.parameters;
      return isSelf(visit) ? '' : roleForm(side, { name, roles: ROLES_TO_GIVE[side] }, visit, typed);
    },
    done: 'The user has another role.',
    next: toUser,
  };
  const recover: Action<ConsoleTools> = {
    ...ofAdmins(side),
    path: `${USER[side]}/recover`,
    title: 'Recover',
    operation: 'user.recover',
    async perform(visit, form, { hasProvider, recoverUser, recoverByIdentity }) {
      if (isSelf(visit)) return ofAnother(visit);
      const name = visit.parameters.name ?? '';
      return entryBy(visit, form, hasProvider, {
        link: () => recoverUser(visit, name),
        oidc: () => recoverByIdentity(visit, name),
      });
    },
    reveal,
    again(visit, typed, { hasProvider }) {
      const { name = '' } = visit.parameters;
      return isSelf(visit) ? '' : recoverForm(side, { name, hasProvider }, visit, typed);
    },
    done: 'The user may come in anew.',
    next: toUser,
  };
  const disable: Action<ConsoleTools> = {
    ...ofAdmins(side),
    path: `${USER[side]}/disable`,
    title: 'Lock out',
    operation: 'user.disable',
    isForHeld: true,
    async perform(visit, _form, { disableUser }) {
      if (isSelf(visit)) return ofAnother(visit);
      const made = await disableUser(visit, visit.parameters.name ?? '');
      return 'refusal' in made ? refusedBecause(visit, made.refusal) : OPERATION_DONE;
    },
    done: 'The user is locked out.',
    next: toUser,
  };
  return { invite, change, recover, disable };
}

export const BY_ANOTHER = 'Another administrator changes your role, recovers you or locks you out.';

function ofAnother({ wording }: Visit): Asked<never> {
  return operationRefused(409, wording.say(BY_ANOTHER));
}

export const USER_ACTIONS_OF = {
  operator: userActions('operator'),
  merchant: userActions('merchant'),
} as const;

const { operator, merchant } = USER_ACTIONS_OF;

export const USER_ACTIONS: readonly Action<ConsoleTools>[] = [
  ...[operator.invite, operator.change, operator.recover, operator.disable],
  ...[merchant.invite, merchant.change, merchant.recover, merchant.disable],
];
