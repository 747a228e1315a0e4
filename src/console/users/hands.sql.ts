import { newId } from '../../platform/chance.ts';
import { type Reader, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { userOfActor } from './user.ts';

/**
 * A hand is the access that a user was given; it knows by whom. Gives the user in `anew` the hand $3, from
 * the user named $2 alone.
 */
export const NEW_HAND = `hand as (
     insert into console_hands (hand_id, user_id) select $3::uuid, user_id from anew
   ), given as (
     insert into console_hand_givers (hand_id, given_by, gift)
     select $3::uuid, g.hand_id, 'access' from anew cross join console_users g where g.name = $2
   )`;

const RENEW = statement(
  'console_hands.renew',
  `with anew as (
     update console_users set hand_id = $3, role_given_at = case when $2::text is not null then role_given_at end
     where user_id = $1 returning user_id
   ), ${NEW_HAND}
   select user_id from anew`,
);

/**
 * Gives the user a new hand: those who gave access or a role earlier count no more. `actor`: who lets the
 * user in, by the name in the audit log.
 */
export async function renewHand(tx: Tx, userId: string, actor: string): Promise<void> {
  await tx.query(RENEW, [userId, userOfActor(actor), newId()]);
}

const REACHED = rowCodec({ ofUser: column.text('h.of_user'), userId: column.text('k.user_id') });

export type ReachedHand = RowOf<typeof REACHED>;

/**
 * Each user, with those who gave the user access or a role, those who gave it to them, and so on. `offset 0`
 * makes each lookup use the key.
 */
const FIND_REACHED = statement(
  'console_hands.find_reached',
  `with recursive hands (of_user, hand_id) as (
     select u.user_id, u.hand_id from console_users u where u.user_id = any($1::uuid[])
     union
     select h.of_user, g.given_by from hands h cross join lateral (
       select given_by from console_hand_givers where hand_id = h.hand_id offset 0
     ) g
   )
   select ${REACHED.columns} from hands h cross join lateral (
     select user_id from console_hands where hand_id = h.hand_id offset 0
   ) k limit $2`,
);

/** Users with the users behind their access. `limit`: the most rows for all users together. */
export async function findReachedHands(
  reader: Reader,
  userIds: readonly string[],
  limit: number,
): Promise<ReachedHand[]> {
  return (await reader.query(FIND_REACHED, [userIds, limit])).map(REACHED.parse);
}
