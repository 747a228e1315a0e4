import { inviteByIdentity, recoverByIdentity } from '../../console/identities/open-by-identity.ts';
import { isRole, ROLES, type Role, type User } from '../../console/parts/user.ts';
import { changeRole } from '../../console/users/change-role.ts';
import { disableUser } from '../../console/users/disable-user.ts';
import { type Invited, inviteUser, recoverUser } from '../../console/users/invite-user.ts';
import { USER_REFUSALS, type UserRefusal } from '../../console/users/user.ts';
import { listUsers } from '../../console/users/users.sql.ts';
import { utcText } from '../../values/instant.ts';
import { type Command, type CommandOutcome, option, required, table } from '../command.ts';
import { spokenText } from '../refusals.ts';

const NAME_OPTION = required('--name NAME', 'of the user, such as an address of e-mail in small letters');

const ROLE_OPTION = required('--role ROLE', `one of ${ROLES.join(', ')}`, {
  check: (value) => (isRole(value) ? null : `must be one of ${ROLES.join(', ')}`),
});

const OIDC_SWITCH = {
  name: 'oidc',
  description: 'signs in through the identity provider (PARCELA_CONSOLE_OIDC_ISSUER): no link is given',
} as const;

export const USER_COMMANDS: readonly Command[] = [
  {
    words: ['user', 'invite'],
    summary: 'make a user of the console, and a link that lets this user in once',
    options: [
      NAME_OPTION,
      ROLE_OPTION,
      option('--merchant ID', 'the only merchant that this user sees; without it: all'),
    ],
    switches: [OIDC_SWITCH],
    opens: 'audited',
    async run(given, tools) {
      const wanted = {
        name: given.one('name') ?? '',
        role: given.one('role') as Role,
        merchantId: given.one('merchant'),
      };
      return given.has('oidc')
        ? invitedOutcome(await inviteByIdentity(tools, wanted), 'is invited')
        : linkOutcome(await inviteUser(tools, wanted), 'is invited');
    },
  },
  {
    words: ['user', 'list'],
    summary: 'list the users of the console',
    options: [
      option('--merchant ID', 'only those of this merchant'),
      option('--after NAME', 'only names behind this one, for the next page'),
    ],
    opens: 'database',
    async run(given, tools) {
      const filter = { merchantId: given.one('merchant'), prefix: '', after: given.one('after') ?? '' };
      const { users, next } = await listUsers(tools.database, filter, USERS_OF_PAGE);
      const rows = users.map((one) => [
        one.name,
        one.role,
        one.merchantId ?? 'all',
        one.identity === 'none' ? String(one.passkeys) : one.identity,
        one.seenAt === null ? '-' : utcText(one.seenAt),
        one.disabledAt === null ? 'open' : 'locked out',
      ]);
      return {
        lines: [
          ...table(['NAME', 'ROLE', 'MERCHANT', 'PASSKEYS', 'SEEN', 'STATE'], rows),
          next !== null && `More: --after ${next}`,
        ],
        json: { items: users, next },
      };
    },
  },
  {
    words: ['user', 'change'],
    summary: 'give a user another role, at once',
    options: [NAME_OPTION, ROLE_OPTION],
    opens: 'audited',
    async run(given, tools) {
      const wanted = { name: given.one('name') ?? '', role: given.one('role') as Role };
      const changed = await changeRole(tools, wanted, null);
      if ('refusal' in changed) return refused(changed.refusal);
      const { name, role } = changed;
      return { lines: [`User ${name} has the role ${role}.`], json: changed };
    },
  },
  {
    words: ['user', 'recover'],
    summary: 'let a user in anew whose passkeys are lost: ends all that the user had, and gives a link',
    options: [NAME_OPTION],
    switches: [OIDC_SWITCH],
    opens: 'audited',
    async run(given, tools) {
      const name = given.one('name') ?? '';
      return given.has('oidc')
        ? invitedOutcome(await recoverByIdentity(tools, name, null), 'may come in anew')
        : linkOutcome(await recoverUser(tools, name, null), 'may come in anew');
    },
  },
  {
    words: ['user', 'disable'],
    summary: 'lock a user out at once, for good',
    options: [NAME_OPTION],
    opens: 'audited',
    async run(given, tools) {
      const disabled = await disableUser(tools, given.one('name') ?? '', null);
      if ('refusal' in disabled) return refused(disabled.refusal);
      return { lines: [`User ${disabled.name} is locked out.`], json: disabled };
    },
  },
];

const USERS_OF_PAGE = 1_000;

function refused(refusal: UserRefusal): CommandOutcome {
  const option =
    refusal === 'merchantUnknown' ? '--merchant' : refusal.startsWith('role') ? '--role' : '--name';
  return { option, message: `${option}: ${spokenText(USER_REFUSALS[refusal])}` };
}

function invitedOutcome(made: User | { readonly refusal: UserRefusal }, says: string): CommandOutcome {
  if ('refusal' in made) return refused(made.refusal);
  const { name } = made;
  return {
    lines: [`User ${name} ${says}: through the identity provider, for the first time within 7 days.`],
    json: { ...made, path: null },
  };
}

function linkOutcome(made: Invited | { readonly refusal: UserRefusal }, says: string): CommandOutcome {
  if ('refusal' in made) return refused(made.refusal);
  const { user, token } = made;
  const path = `/console/links/${token}`;
  return {
    lines: [`User ${user.name} ${says}: the link works once, for a day.`, `  ${path}`],
    json: { ...user, path },
  };
}
