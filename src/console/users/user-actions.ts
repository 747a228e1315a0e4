import { html } from '../parts/html.ts';
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

import { ROLES_TO_GIVE, type Role, type User } from '../parts/user.ts';
import type { Invited, WantedUser } from './invite-user.ts';
import { USER_REFUSALS, type UserRefusal } from './user.ts';

type Refusing<Made> = Promise<Made | { readonly refusal: UserRefusal }>;

/** Reaches users of the visit's merchant only, or all on the operator's pages. */
export type UserActionTools = {
  readonly hasProvider: boolean;
  readonly inviteUser: (visit: Visit, wanted: WantedUser) => Refusing<Invited>;
  readonly inviteByIdentity: (visit: Visit, wanted: WantedUser) => Refusing<User>;
  readonly changeRole: (
    visit: Visit,
    wanted: { readonly name: string; readonly role: Role },
  ) => Refusing<User>;
  readonly recoverUser: (visit: Visit, name: string) => Refusing<Invited>;
  readonly recoverByIdentity: (visit: Visit, name: string) => Refusing<User>;
  readonly disableUser: (visit: Visit, name: string) => Refusing<User>;
};

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
<p><code>${origin}/console/links/${token}</code></p></div>`;
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

export const isSelf = ({ parameters, user }: Visit) => parameters.name === user.name;

function userActions(side: Side) {
  const toUser = ({ merchantId, parameters: { name = '' } }: Visit) =>
    pathOf(USER[side], { merchantId, name });
  const roleOf = (form: Form) => ROLES_TO_GIVE[side].find((one) => one === form.role);
  const invite: Action<UserActionTools> = {
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
    done: 'The user is invited.',
    next: ({ merchantId }) => pathOf(USERS[side], { merchantId }),
  };
  const change: Action<UserActionTools> = {
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
    done: 'The user has another role.',
    next: toUser,
  };
  const recover: Action<UserActionTools> = {
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
    done: 'The user may come in anew.',
    next: toUser,
  };
  const disable: Action<UserActionTools> = {
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

export const USER_ACTIONS: readonly Action<UserActionTools>[] = [
  ...[operator.invite, operator.change, operator.recover, operator.disable],
  ...[merchant.invite, merchant.change, merchant.recover, merchant.disable],
];
