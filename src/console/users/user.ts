import type { Actor } from '../../audit/audit-event.ts';
import { holdsCardNumber } from '../../values/card-number-in-text.ts';
import type { Instant } from '../../values/instant.ts';
import type { Visit } from '../parts/screen.ts';
import type { User } from '../parts/user.ts';

/** Which users are listed: of a merchant (null: all), by the beginning of their names, behind a name. */
export type UserFilter = {
  readonly merchantId: string | null;
  readonly prefix: string;
  readonly after: string;
};

/** `next`: behind which name the next page begins; null: this is the last. */
export type UserPage = { readonly users: readonly ListedUser[]; readonly next: string | null };

export const IDENTITY_STATES = ['none', 'invited', 'bound'] as const;

export type ListedUser = User & {
  readonly createdAt: Instant;
  readonly disabledAt: Instant | null;
  readonly passkeys: number;
  /** At the operator's identity provider. */
  readonly identity: (typeof IDENTITY_STATES)[number];
  /** Of the newest session; null: there was none. */
  readonly seenAt: Instant | null;
  /** Of the hand that the user has; none: the command line let it in. */
  readonly givers: readonly Giver[];
};

export type Giver = {
  readonly name: string;
  /** Null: one of the operator's. */
  readonly merchantId: string | null;
  readonly gift: 'access' | 'role';
};

/** Undefined: it is no list. */
export function readGivers(value: unknown): readonly Giver[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

const NAME = /^[a-z0-9][a-z0-9._@+-]{0,59}$/;

/** Of one merchant, or of the operator; those who are locked out are not counted. */
export const MOST_USERS = 200;

/**
 * Such as an address of e-mail; never with capitals, so that a name is written in one way. No card's number:
 * the audit log would mask it.
 */
export function isUserName(text: string): boolean {
  return NAME.test(text) && !holdsCardNumber(text);
}

const OF_USER = 'user:';

/** In the audit log, and as the maker of what is made: no credential has such a name. */
export function actorName({ name }: Pick<User, 'name'>): string {
  return `${OF_USER}${name}`;
}

/** The name of the user whom the audit log names so; null: the command line, or what is no user. */
export function userOfActor(actor: string): string | null {
  return actor.startsWith(OF_USER) ? actor.slice(OF_USER.length) : null;
}

/** As the audit log names a user who does something on a page. */
export function actorOf({
  user,
  address,
}: {
  readonly user: Pick<User, 'name'>;
  readonly address: string;
}): Actor {
  return { actor: actorName(user), origin: address };
}

/** In the audit log. */
export function userResource({ userId, merchantId }: Pick<User, 'userId' | 'merchantId'>): string {
  return merchantId === null ? `users/${userId}` : `merchants/${merchantId}/users/${userId}`;
}

/** The refusals of commands about users. */
export type UserRefusal =
  | 'userNameMalformed'
  | 'userExists'
  | 'tooManyUsers'
  | 'userUnknown'
  | 'userDisabled'
  | 'roleUnchanged'
  | 'roleChanged'
  | 'lastAdministrator'
  | 'notAdministrator'
  | 'merchantUnknown';

export type Person = Pick<User, 'name' | 'merchantId'>;

/** The names of the operator's users are for the operator's users. */
export function nameShown({ name, merchantId }: Person, { user, wording }: Visit): string {
  return user.merchantId !== null && merchantId === null ? wording.say('The operator') : name;
}
