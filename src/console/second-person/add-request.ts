import type { Audit, AuditEvent } from '../../audit/audit-event.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import { newId } from '../../platform/chance.ts';
import { readClockOfDatabase } from '../../platform/database-time.sql.ts';
import type { Database, Tx } from '../../platform/postgres/database.ts';
import { cents } from '../../values/cents.ts';
import { instant } from '../../values/instant.ts';
import type { Moved, Visit } from '../parts/screen.ts';
import { actorName } from '../users/user.ts';
import { lockUser } from '../users/users.sql.ts';
import { insertRequest } from './requests.sql.ts';
import { REQUEST_MILLISECONDS, requestText, type SecondPersonRequest } from './second-person.ts';

export type AddRequestTools = {
  readonly database: Database;
  readonly audit: Audit;
  readonly keyring: Pick<Keyring, 'fingerprint'>;
};

/**
 * Writes a request to a second person, its audit entry and `beside` in one commit. False: too many requests
 * of the person wait already.
 */
export async function addRequest(
  { database, audit, keyring }: AddRequestTools,
  visit: Visit,
  moved: Moved,
  wanted: {
    readonly operation: string;
    readonly isOfOperator: boolean;
    readonly reason: string;
    /** The key of the form that asks, for the audit log. */
    readonly form: string;
    readonly beside: (tx: Tx) => Promise<unknown>;
  },
): Promise<boolean> {
  const requestedAt = instant(Math.floor(await readClockOfDatabase(database)));
  const { operation, isOfOperator, reason, form, beside } = wanted;
  const request: SecondPersonRequest = {
    requestId: newId(),
    merchantId: isOfOperator ? null : visit.merchantId,
    requestedBy: visit.user.userId,
    operation,
    path: visit.path,
    fields: moved.fields,
    reason,
    amount: cents(moved.amount),
    standing: moved.standing,
    requestedAt,
    expiresAt: instant(requestedAt + REQUEST_MILLISECONDS),
  };
  const asked = { operation, amount: moved.amount, request: request.requestId, reason, form };
  const event: AuditEvent = {
    action: 'console.request',
    outcome: 'success',
    actor: actorName(visit.user),
    origin: visit.address,
    resource: visit.path.replace('/console/', ''),
    // `asked` stands twice: last, it wins over fields of the same names; first, it is kept if the entry is
    // too long, because the last fields are cut first.
    detail: { ...asked, ...moved.fields, ...asked },
  };
  const { print } = keyring.fingerprint(requestText(request));
  return audit.transaction(
    async (tx) => {
      // The lock makes concurrent requests of a person see each other.
      if (!(await lockUser(tx, visit.user.userId))) return false;
      if (!(await insertRequest(tx, request, print))) return false;
      await beside(tx);
      tx.record(event);
      return true;
    },
    { merchantId: visit.merchantId },
  );
}
