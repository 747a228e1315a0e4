import {
  type Database,
  type Reader,
  type Row,
  statement,
  type Tx,
} from '../../platform/postgres/database.ts';
import { column, firstOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { readForm } from '../parts/screen.ts';
import { ROLES } from '../parts/user.ts';
import { findReachedHands } from '../users/hands.sql.ts';
import {
  DECISIONS,
  type FoundRequest,
  type Hands,
  handsOf,
  MOST_HANDS,
  MOST_WAITING,
  OUTCOMES,
  REQUEST_MILLISECONDS,
  type SecondPersonDecision,
  type SecondPersonRequest,
} from './second-person.ts';

const INSERT = statement(
  'console_requests.insert',
  `insert into console_requests (request_id, merchant_id, requested_by, operation, path, fields, reason, amount,
     standing, requested_at, expires_at, seal)
   select $1, $2, $3, $4, $5, $6, $7, $8, $9, to_timestamp($10::double precision / 1000),
     to_timestamp($11::double precision / 1000), $12
   where (select count(*) from console_requests r
          where r.requested_by = $3 and r.expires_at > now()
            and not exists (select from console_decisions d where d.request_id = r.request_id)) < $13
   returning request_id`,
);

export async function insertRequest(tx: Tx, request: SecondPersonRequest, seal: Buffer): Promise<boolean> {
  const { requestId, merchantId, requestedBy, operation, path, fields, reason, amount, standing } = request;
  const { requestedAt, expiresAt } = request;
  const inserted = await tx.query(INSERT, [
    ...[requestId, merchantId, requestedBy, operation, path, JSON.stringify(fields), reason, amount],
    ...[standing, requestedAt, expiresAt, seal, MOST_WAITING],
  ]);
  return inserted.length === 1;
}

const REQUEST = rowCodec<SecondPersonRequest>(
  {
    requestId: column.text(),
    merchantId: column.nullable(column.text()),
    requestedBy: column.text(),
    operation: column.text(),
    path: column.text(),
    fields: column.parsedBy(readForm),
    reason: column.text(),
    amount: column.money(),
    standing: column.text(),
    requestedAt: column.instant(),
    expiresAt: column.instant(),
  },
  'r',
);
const FOUND = rowCodec({
  seal: column.bytes('r.seal'),
  now: column.instant('now()'),
  requester: column.text('u.name'),
  requesterRole: column.oneOf(ROLES, 'u.role'),
  requesterMerchant: column.nullable(column.text('u.merchant_id')),
  isRequesterLockedOut: column.boolean('u.disabled_at is not null'),
});
const DECISION = rowCodec({
  decision: column.oneOf(DECISIONS, 'd.decision'),
  decisionReason: column.text('d.reason'),
  decidedAt: column.instant('d.decided_at'),
  outcome: column.nullable(column.oneOf(OUTCOMES, 'd.outcome')),
  refusal: column.nullable(column.text('d.refusal')),
  decider: column.text('decider.name'),
  deciderMerchant: column.nullable(column.text('decider.merchant_id')),
});
const COLUMNS = `${REQUEST.columns}, ${FOUND.columns}, ${DECISION.columns}`;

const TABLES = `console_requests r join console_users u on u.user_id = r.requested_by
  left join console_decisions d on d.request_id = r.request_id
  left join console_users decider on decider.user_id = d.decided_by`;

const FIND = statement(
  'console_requests.find',
  `select ${COLUMNS} from ${TABLES} where r.request_id = $1 and ($2::text is null or r.merchant_id = $2)`,
);

/**
 * `merchantId` null: the request may be of any merchant or of the operator, as the operator's pages show
 * them.
 */
export async function findRequest(
  reader: Reader,
  requestId: string,
  merchantId: string | null,
): Promise<FoundRequest | null> {
  return firstOf(await reader.query(FIND, [requestId, merchantId]), parse);
}

const LIST_WAITING = statement(
  'console_requests.list_waiting',
  `select ${COLUMNS} from ${TABLES}
   where ($1::text is null or r.merchant_id = $1) and d.request_id is null and r.expires_at > now()
   order by r.requested_at limit $2`,
);

const LIST_OVER = statement(
  'console_requests.list_over',
  `select ${COLUMNS} from ${TABLES}
   where ($1::text is null or r.merchant_id = $1) and (d.request_id is not null or r.expires_at <= now())
   order by r.requested_at desc limit $2`,
);

/** Requests that wait, oldest first; then those decided or expired, newest first. At most `limit` of each. */
export async function listRequests(
  reader: Reader,
  merchantId: string | null,
  limit: number,
): Promise<FoundRequest[]> {
  const waiting = await reader.query(LIST_WAITING, [merchantId, limit]);
  const over = await reader.query(LIST_OVER, [merchantId, limit]);
  return [...waiting, ...over].map(parse);
}

const IS_WAITING = statement(
  'console_requests.is_waiting',
  `select exists (
     select from console_requests r
     where ($1::text is null or r.merchant_id = $1) and r.expires_at > now()
       and r.requested_at > now() - $2 * interval '1 millisecond'
       and not exists (select from console_decisions d where d.request_id = r.request_id)
   ) as is_waiting`,
);

/** Whether any request can still be decided. `merchantId` null: any at all; else of this merchant. */
export async function isAnythingWaiting(reader: Reader, merchantId: string | null): Promise<boolean> {
  const [row] = await reader.query(IS_WAITING, [merchantId, REQUEST_MILLISECONDS]);
  return row?.is_waiting === true;
}

export async function findHands(
  reader: Reader,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, Hands>> {
  const asked = [...new Set(userIds)];
  const most = MOST_HANDS * asked.length;
  const reached = await findReachedHands(reader, asked, most + 1);
  return reached.length > most ? new Map() : handsOf(reached);
}

const DECIDE = statement(
  'console_requests.decide',
  `insert into console_decisions (request_id, decided_by, decision, reason)
   select r.request_id, $2, $3, $4 from console_requests r where r.request_id = $1 and r.expires_at > now()
   on conflict (request_id) do nothing
   returning request_id`,
);

type NewDecision = Pick<SecondPersonDecision, 'decision' | 'reason'> & {
  readonly requestId: string;
  readonly userId: string;
};

/** False: the request was decided already, or has expired. */
export async function insertDecision(
  tx: Tx,
  { requestId, userId, decision, reason }: NewDecision,
): Promise<boolean> {
  return (await tx.query(DECIDE, [requestId, userId, decision, reason])).length === 1;
}

const FINISH = statement(
  'console_requests.finish',
  `update console_decisions set outcome = $2, refusal = $3 where request_id = $1 and outcome is null
   returning request_id`,
);

export async function finishRequest(
  database: Database,
  requestId: string,
  refusal: string | null,
): Promise<void> {
  await database.query(FINISH, [requestId, refusal === null ? 'done' : 'refused', refusal]);
}

const FREE = statement(
  'console_requests.free',
  'delete from console_decisions where request_id = $1 and outcome is null returning request_id',
);

/** Deletes the decision: a temporary error prevented the act, so the request waits again. */
export async function freeRequest(database: Database, requestId: string): Promise<void> {
  await database.query(FREE, [requestId]);
}

const FORGET = statement(
  'console_requests.forget',
  `delete from console_requests where request_id in
     (select request_id from console_requests where requested_at < now() - $2 * interval '1 day'
      order by requested_at limit $1)
   returning 1`,
);

/** Returns how many were deleted. The audit log keeps the outcome. */
export async function deleteOldRequests(database: Database, limit: number, days: number): Promise<number> {
  return (await database.query(FORGET, [limit, days])).length;
}

function parse(row: Row): FoundRequest {
  const request = REQUEST.parse(row);
  const { requester: name, requesterRole: role, requesterMerchant: merchantId, ...found } = FOUND.parse(row);
  return {
    ...found,
    request,
    requester: { userId: request.requestedBy, name, role, merchantId },
    decision: row.decision === null ? null : parseDecision(row),
  };
}

function parseDecision(row: Row): SecondPersonDecision {
  const { decider: name, deciderMerchant: merchantId, decisionReason: reason, ...said } = DECISION.parse(row);
  return { ...said, reason, decidedBy: { name, merchantId } };
}
