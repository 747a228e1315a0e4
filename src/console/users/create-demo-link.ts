import { newSecret } from '../../platform/chance.ts';
import { inviteUser, type UserTools } from './invite-user.ts';
import { insertNewestLink } from './links.sql.ts';
import { tokenHash } from './session.ts';
import { userResource } from './user.ts';
import { findUserByName, lockUser } from './users.sql.ts';

/** Of homologation: sees the demo merchant, and all others. */
const DEMO_USER = { name: 'demo', role: 'admin', merchantId: null } as const;
/** Of starts within a day: the links of older ones go. */
const MOST_LINKS = 10;

/** A link for this start by which a person enters the console of homologation. */
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
