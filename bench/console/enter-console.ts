import { inviteUser } from '../../src/console/users/invite-user.ts';
import { originOf, Visitor } from '../../test/console/visitor.ts';
import type { AuditedTools } from '../../test/kit/keys.ts';
import type { Auditor, Service } from '../../test/kit/service.ts';
import type { Filled } from './fill-console.ts';
import { findThings } from './found-things.ts';
import { OWNERS, type Owner, type Things } from './screen-cases.ts';

/** The operator, and a user of each merchant, each with all that a user may see. */
export type Visitors = {
  readonly operator: Visitor;
  readonly merchants: Readonly<Record<Owner, Visitor>>;
  readonly things: Readonly<Record<Owner, Things>>;
  /** Signs one more user of the operator's in. */
  enterOperator(title: string): Promise<Visitor>;
};

export async function enterConsole(
  tools: AuditedTools,
  auditor: Auditor,
  service: Pick<Service, 'gatewayUrl'>,
  merchantIds: Filled,
): Promise<Visitors> {
  // A kept database has the users of the runs before.
  const run = Date.now();
  const nameOf = (title: string) => `${title}-${run}`;
  const signIn = async (title: string, merchantId: string | null): Promise<Visitor> => {
    const name = nameOf(title);
    const invited = await inviteUser(tools, { name, role: 'admin', merchantId });
    if ('refusal' in invited) throw new Error(`${name} was not invited: ${invited.refusal}`);
    return new Visitor(originOf(service)).enter(`/console/links/${invited.token}`);
  };
  const merchants: Partial<Record<Owner, Visitor>> = {};
  const things: Partial<Record<Owner, Things>> = {};
  for (const owner of OWNERS) {
    merchants[owner] = await signIn(owner, merchantIds[owner]);
    things[owner] = await findThings(auditor, merchantIds[owner], nameOf(owner));
  }
  const enterOperator = (title: string) => signIn(title, null);
  return { operator: await enterOperator('operator'), merchants, things, enterOperator } as Visitors;
}
