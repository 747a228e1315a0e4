import type { Visit } from '../parts/screen.ts';
import type { User } from '../parts/user.ts';

export type Person = Pick<User, 'name' | 'merchantId'>;

/** The names of the operator's users are for the operator's users. */
export function nameShown({ name, merchantId }: Person, { user, wording }: Visit): string {
  return user.merchantId !== null && merchantId === null ? wording.say('The operator') : name;
}
