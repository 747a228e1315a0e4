import type { Audit } from '../audit/audit-event.ts';
import type { ModuleContext } from '../platform/module.ts';
import { NO_MERCHANT } from '../platform/postgres/batched-writes.ts';
import type { Reader } from '../platform/postgres/database.ts';
import { inviteByIdentity } from './identities/invite-by-identity.ts';
import type { ProviderSettings } from './identities/provider-settings.ts';
import { recoverByIdentity } from './identities/recover-by-identity.ts';
import type { Visit } from './parts/screen.ts';
import { changeRole } from './users/change-role.ts';
import { disableUser } from './users/disable-user.ts';
import { inviteUser, type WantedUser } from './users/invite-user.ts';
import { listUsers } from './users/list-users.ts';
import { recoverUser } from './users/recover-user.ts';
import { actorOf } from './users/user.ts';
import type { UserActionTools } from './users/user-actions.ts';
import type { UserTools } from './users/user-screens.ts';
import { findListedUser } from './users/users.sql.ts';

export type UserContext = Pick<ModuleContext, 'database' | 'lookUp'> & {
  readonly audit: Audit;
  readonly configuration: { readonly console: { readonly provider: ProviderSettings | null } };
};

const USERS_OF_PAGE = 100;

/**
 * Among whose users a page looks: those of its merchant; null, on the operator's pages: all. A merchant's
 * user reaches no others, whichever page it is.
 */
function ownerOf({ user, merchantId }: Visit): string | null {
  return user.merchantId ?? (merchantId === '' ? null : merchantId);
}

/** What pages about users read and do: the operations that the commands have. */
export function openUserTools(context: UserContext): UserTools & UserActionTools {
  const { database, audit, lookUp, configuration } = context;
  const toolsOf = (visit: Visit) => ({ database, audit, operator: actorOf(visit) });
  const read = <T>(visit: Visit, work: (reader: Reader, owner: string | null) => Promise<T>) => {
    const owner = ownerOf(visit);
    return lookUp(owner ?? NO_MERCHANT, (reader) => work(reader, owner));
  };
  const ofOwner = (visit: Visit, wanted: WantedUser) => ({
    ...wanted,
    merchantId: ownerOf(visit) ?? wanted.merchantId,
  });
  return {
    hasProvider: configuration.console.provider !== null,
    listUsers: (visit, filter) =>
      read(visit, (reader, owner) =>
        listUsers(reader, { ...filter, merchantId: owner ?? filter.merchantId }, USERS_OF_PAGE),
      ),
    findUser: (visit, name) => read(visit, (reader, owner) => findListedUser(reader, name, owner)),
    inviteUser: (visit, wanted) => inviteUser(toolsOf(visit), ofOwner(visit, wanted)),
    inviteByIdentity: (visit, wanted) => inviteByIdentity(toolsOf(visit), ofOwner(visit, wanted)),
    changeRole: (visit, wanted) => changeRole(toolsOf(visit), wanted, ownerOf(visit)),
    recoverUser: (visit, name) => recoverUser(toolsOf(visit), name, ownerOf(visit)),
    recoverByIdentity: (visit, name) => recoverByIdentity(toolsOf(visit), name, ownerOf(visit)),
    disableUser: (visit, name) => disableUser(toolsOf(visit), name, ownerOf(visit)),
  };
}
