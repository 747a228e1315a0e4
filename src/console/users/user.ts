import type { Actor } from '../../audit/audit-event.ts';
import { MERCHANT_UNKNOWN } from '../../merchants/refusals.ts';
import type { SpokenRefusal } from '../../platform/http/refusal.ts';
import { holdsCardNumber } from '../../values/card-number-in-text.ts';
import type { Instant } from '../../values/instant.ts';
import type { Visit } from '../parts/screen.ts';
import type { User } from '../parts/user.ts';

export type UserFilter = {
  readonly merchantId: string | null;
  readonly prefix: string;
  readonly after: string;
};

export type UserPage = { readonly users: readonly ListedUser[]; readonly next: string | null };

export const IDENTITY_STATES = ['none', 'invited', 'bound'] as const;

export type ListedUser = User & {
  readonly createdAt: Instant;
  readonly disabledAt: Instant | null;
  readonly passkeys: number;
  readonly identity: (typeof IDENTITY_STATES)[number];
  readonly seenAt: Instant | null;
  /** Who gave the user the present access or role. Empty: it was given on the command line. */
  readonly givers: readonly Giver[];
};

export type Giver = {
  readonly name: string;
  readonly merchantId: string | null;
  readonly gift: 'access' | 'role';
};

export function readGivers(value: unknown): readonly Giver[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

const NAME = /^[a-z0-9][a-z0-9._@+-]{0,59}$/;

/** The most users of each merchant, and of the operator. Disabled users do not count. */
export const MOST_USERS = 200;

/**
 * A name may be an e-mail address. It is in lower case, so that each has one spelling, and no card number,
 * which the audit log would mask.
 */
export function isUserName(text: string): boolean {
  return NAME.test(text) && !holdsCardNumber(text);
}

const OF_USER = 'user:';

/** The user's name in the audit log, and as the creator of things. No credential has such a name. */
export function actorName({ name }: Pick<User, 'name'>): string {
  return `${OF_USER}${name}`;
}

/** The user's name. Null: the actor is the command line, a credential or the service itself. */
export function userOfActor(actor: string): string | null {
  return actor.startsWith(OF_USER) ? actor.slice(OF_USER.length) : null;
}

export function actorOf({
  user,
  address,
}: {
  readonly user: Pick<User, 'name'>;
  readonly address: string;
}): Actor {
  return { actor: actorName(user), origin: address };
}

export function userResource({ userId, merchantId }: Pick<User, 'userId' | 'merchantId'>): string {
  return merchantId === null ? `users/${userId}` : `merchants/${merchantId}/users/${userId}`;
}

export const USER_REFUSALS = {
  userNameMalformed: {
    status: 400,
    text: 'A name has 1 to 60 small letters, digits or . _ @ + -, begins with a letter or digit, and holds no card number.',
  },
  userExists: { status: 409, text: 'Another user has this name.' },
  tooManyUsers: {
    status: 409,
    text: 'A merchant, and the operator, may have at most {most} users: lock out those who left.',
    most: MOST_USERS,
  },
  userUnknown: { status: 404, text: 'There is no such user.' },
  userDisabled: { status: 409, text: 'The user is locked out for good.' },
  roleUnchanged: { status: 409, text: 'The user has this role already.' },
  roleChanged: { status: 409, text: 'The role was changed meanwhile: look at it again.' },
  lastAdministrator: {
    status: 409,
    text: 'This is the only administrator who signs in: make another one before.',
  },
  notAdministrator: { status: 409, text: 'You are no administrator any more.' },
  merchantUnknown: MERCHANT_UNKNOWN,
} as const satisfies Record<string, SpokenRefusal>;

export type UserRefusal = keyof typeof USER_REFUSALS;

export type Person = Pick<User, 'name' | 'merchantId'>;

/** Hides names of operator users from merchants. */
export function nameShown({ name, merchantId }: Person, { user, wording }: Visit): string {
  return user.merchantId !== null && merchantId === null ? wording.say('The operator') : name;
}
