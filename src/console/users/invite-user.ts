import type { Actor, Audit } from '../../audit/audit-event.ts';
import { findMerchant } from '../../merchants/merchants.sql.ts';
import { newId, newSecret } from '../../platform/chance.ts';
import type { Database, Tx } from '../../platform/postgres/database.ts';
import type { Role, User } from '../parts/user.ts';
import { renewHand } from './hands.sql.ts';
import { insertLink, insertNewestLink, recoverByLink } from './links.sql.ts';
import { tokenHash } from './session.ts';
import { isUserName, type UserRefusal, userResource } from './user.ts';
import {
  findUserByName,
  insertUser,
  isStillAdmin,
  lockAdmins,
  lockUser,
  mayBeRecovered,
} from './users.sql.ts';

export type UserTools = { readonly database: Database; readonly audit: Audit; readonly operator: Actor };

/** `token`: the secret of a link that works once within a day. It is never shown again. */
export type Invited = { readonly user: User; readonly token: string };

export type WantedUser = { readonly name: string; readonly role: Role; readonly merchantId: string | null };

export async function inviteUser(
  tools: UserTools,
  wanted: WantedUser,
): Promise<Invited | { readonly refusal: UserRefusal }> {
  const token = newSecret();
  const { actor } = tools.operator;
  const made = await makeUser(tools, wanted, null, (tx, { userId }) =>
    insertLink(tx, tokenHash(token), userId, actor),
  );
  return 'refusal' in made ? made : { user: made, token };
}

/**
 * Creates a user in one commit with `letIn`, which gives a way to sign in. `by`: that way, if it is not a
 * passkey.
 */
export async function makeUser(
  { database, audit, operator }: UserTools,
  { name, role, merchantId }: WantedUser,
  by: string | null,
  letIn: (tx: Tx, user: User) => Promise<void>,
): Promise<User | { readonly refusal: UserRefusal }> {
  if (!isUserName(name)) return { refusal: 'userNameMalformed' };
  if (merchantId !== null && (await findMerchant(database, merchantId)) === null)
    return { refusal: 'merchantUnknown' };
  if ((await findUserByName(database, name, null)) !== null) return { refusal: 'userExists' };
  const user: User = { userId: newId(), name, role, merchantId };
  const event = {
    ...operator,
    action: 'user.invite',
    outcome: 'success',
    resource: userResource(user),
    detail: { name, role, ...(by !== null && { by }) },
  } as const;
  const { actor } = operator;
  const isMade = await audit.transaction(async (tx) => {
    await lockAdmins(tx, user, actor);
    if (!(await insertUser(tx, user, actor))) return false;
    await letIn(tx, user);
    tx.record(event);
    return true;
  });
  if (isMade) return user;
  if (!(await isStillAdmin(database, actor))) return { refusal: 'notAdministrator' };
  const isTaken = (await findUserByName(database, name, null)) !== null;
  return { refusal: isTaken ? 'userExists' : 'tooManyUsers' };
}

/**
 * Gives a user who has lost all passkeys a new link, on another person's word. `merchantId` null: the user
 * may be of any merchant, or of the operator.
 */
export async function recoverUser(
  tools: UserTools,
  name: string,
  merchantId: string | null,
): Promise<Invited | { readonly refusal: UserRefusal }> {
  const token = newSecret();
  const { actor } = tools.operator;
  const recovered = await recover(tools, { name, merchantId }, null, (tx, { userId }) =>
    recoverByLink(tx, tokenHash(token), userId, actor),
  );
  return 'refusal' in recovered ? recovered : { user: recovered, token };
}

/**
 * Replaces every way to sign in by that of `letIn`, in one commit. `by`: that way, if it is not a passkey.
 */
export async function recover(
  { database, audit, operator }: UserTools,
  { name, merchantId }: { readonly name: string; readonly merchantId: string | null },
  by: string | null,
  letIn: (tx: Tx, user: User) => Promise<void>,
): Promise<User | { readonly refusal: UserRefusal }> {
  const found = await findUserByName(database, name, merchantId);
  if (found === null) return { refusal: 'userUnknown' };
  if (found.isDisabled) return { refusal: 'userDisabled' };
  const { isDisabled: _, ...user } = found;
  const event = {
    ...operator,
    action: 'user.recover',
    outcome: 'success',
    resource: userResource(user),
    detail: { name, ...(by !== null && { by }) },
  } as const;
  const { actor } = operator;
  const isRecovered = await audit.transaction(async (tx) => {
    await lockAdmins(tx, user, actor);
    if (!(await mayBeRecovered(tx, user, actor))) return false;
    await letIn(tx, user);
    await renewHand(tx, user.userId, actor);
    tx.record(event);
    return true;
  });
  if (isRecovered) return user;
  return { refusal: (await isStillAdmin(database, actor)) ? 'userDisabled' : 'notAdministrator' };
}

/** The user of homologation's demo, who sees all merchants. */
const DEMO_USER = { name: 'demo', role: 'admin', merchantId: null } as const;
const MOST_LINKS = 10;

export async function createDemoLink(tools: UserTools): Promise<string> {
  const invited = await inviteUser(tools, DEMO_USER);
  if (!('refusal' in invited)) return invited.token;
  const found = await findUserByName(tools.database, DEMO_USER.name, null);
  if (found === null) throw new Error(`the demo user was refused: ${invited.refusal}`);
  const token = newSecret();
  const event = {
    ...tools.operator,
    action: 'user.invite',
    outcome: 'success',
    resource: userResource(found),
    detail: { name: found.name, role: found.role },
  } as const;
  await tools.audit.transaction(async (tx) => {
    if (!(await lockUser(tx, found.userId))) return;
    await insertNewestLink(tx, tokenHash(token), found.userId, tools.operator.actor, MOST_LINKS);
    tx.record(event);
  });
  return token;
}
