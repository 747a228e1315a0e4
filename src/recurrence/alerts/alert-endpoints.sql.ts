import {
  type Audit,
  type AuditEvent,
  type AuditedTx,
  changedFields,
  type MerchantActor,
  merchantEvent,
} from '../../audit/audit-event.ts';

import type { KeyedRequest } from '../../idempotency/idempotency-key.ts';
import { isKeyTaken, keyValues, REMEMBER_KEYS } from '../../idempotency/idempotency-keys.sql.ts';
import type { Page, WantedPage } from '../../platform/pages.ts';
import { type BatchedWriteOptions, writeOneByOne } from '../../platform/postgres/batched-writes.ts';
import { type Reader, statement, type Tx } from '../../platform/postgres/database.ts';
import { pageOf, readPageOf } from '../../platform/postgres/page-of.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromOtherStates } from '../../platform/postgres/state-table.ts';
import { utcText } from '../../values/instant.ts';
import { searchText } from '../plans/plan.ts';
import { STAMPS, stamped } from '../plans/plans.sql.ts';
import { ALERT_EVENTS } from './alert.ts';
import {
  ALERT_ENDPOINT_MOVES,
  ALERT_ENDPOINT_STATES,
  type AlertEndpoint,
  type AlertEndpointFilter,
  type AlertEndpointMove,
  type AlertEndpointOrder,
  type AlertEndpointState,
  MOST_ACTIVE_ALERT_ENDPOINTS,
} from './alert-endpoint.ts';

/** One after the other: alert endpoints are few. */
const LIMITS = { rowsPerBatch: 1, statementsInFlight: 2, waitingCallers: 200 };

const ALERT_ENDPOINT = rowCodec(
  {
    merchantId: column.text(),
    alertEndpointId: column.text(),
    name: column.text(),
    description: column.text(),
    callbackUrl: column.text(),
    events: column.listOf(column.oneOf(ALERT_EVENTS)),
    state: column.oneOf(ALERT_ENDPOINT_STATES),
    ...STAMPS.fields,
  },
  'n',
);

/**
 * A merchant's alert endpoints that fit, each with what it is put in order by. They are as few as
 * the systems of a shop, so that all may be sorted.
 */
const FOUND = `found as materialized (
     select n.alert_endpoint_id,
       case $6
         when 'name' then n.search_name when 'description' then n.description when 'callbackUrl'
           then n.callback_url
         when 'state' then n.state when 'createdBy' then n.created_by when 'modifiedBy' then n.modified_by
       end collate "C" as text_key,
       case $6 when 'createdAt' then n.created_at when 'modifiedAt' then n.modified_at end as time_key
     from alert_endpoints n
     where n.merchant_id = $1 and n.state = any ($4::text[]) and strpos(n.search_name, $5) > 0
   )`;

/** What is not there comes last either way. */
const LIST = pageOf({
  name: 'notifiers.list',
  before: `${FOUND}, counted as (select count(*) as total from found)`,
  keys: 'select * from found',
  key: 'alert_endpoint_id',
  order: ['text_key nulls last', 'time_key nulls last', 'alert_endpoint_id'],
  shown: `${ALERT_ENDPOINT.columns} from page g cross join lateral (
       select * from alert_endpoints
       where merchant_id = $1 and alert_endpoint_id = g.alert_endpoint_id limit 1
     ) n`,
});

/**
 * A page of a merchant's alert endpoints and how many fit in all, both of one moment. Equal ones
 * are in the order of their ids.
 */
export async function listAlertEndpointPage(
  database: Reader,
  merchantId: string,
  { name, state }: Omit<AlertEndpointFilter, 'merchantId'>,
  wanted: WantedPage<AlertEndpointOrder>,
): Promise<Page<AlertEndpoint>> {
  const values = [state === null ? ALERT_ENDPOINT_STATES : [state], searchText(name), wanted.order.field];
  const { rows, total } = await readPageOf(database, LIST, merchantId, wanted, values);
  return { items: rows.map((row) => stamped(ALERT_ENDPOINT.parse(row))), total };
}

/**
 * One at a time makes an endpoint of a merchant active, so that the count sees all that did before.
 */
const TAKE_TURN = statement(
  'notifiers.take_turn',
  `select pg_advisory_xact_lock(hashtextextended('notifiers|' || $1::text, 0))`,
);

const OTHERS = rowCodec({ active: column.whole() });

/** How many others are active, as far as it matters. */
const COUNT_OTHERS = statement(
  'notifiers.count_others',
  `select count(*) as active from (
     select alert_endpoint_id from alert_endpoints
     where merchant_id = $1 and state = 'active' and alert_endpoint_id <> $2 order by alert_endpoint_id
       limit $3
   ) others`,
);

/**
 * The id is new for each caller: one that is there already was written by an earlier try, before a
 * lost connection.
 */
const INSERT = statement(
  'notifiers.insert',
  `with written as (
     insert into alert_endpoints (merchant_id, alert_endpoint_id, name, description, search_name,
       callback_url, endpoint, state, created_by, created_at, events)
     values ($1, $2, $3, $4, $5, $6, $7, 'active', $8, $9, $13::text[])
     on conflict do nothing
     returning merchant_id, alert_endpoint_id
   ), keyed as (
     select $10::bytea as key_hash, $11::bytea as body_fingerprint,
       $12::integer as body_fingerprint_key_id, merchant_id, alert_endpoint_id as resource_id from written
   ), ${REMEMBER_KEYS}
   select alert_endpoint_id from written`,
);

/**
 * An alert endpoint that does not exist yet, active; `request`: the one that asks for it, when it
 * brought a key.
 */
export type NewAlertEndpoint = {
  readonly notifier: Omit<AlertEndpoint, 'state' | 'modified'>;
  readonly registrar: MerchantActor;
  /** The server behind its address, as deliveries name it. */
  readonly endpoint: string;
  readonly request: KeyedRequest | null;
};

/** `keyUsed`: the request's key made another one. Nothing was written but in the first case. */
export type RegisterResult = 'written' | 'keyUsed' | 'tooManyActive';

export function alertEndpointsWrite(audit: Audit): BatchedWriteOptions<NewAlertEndpoint, RegisterResult> {
  const key = ({ notifier }: NewAlertEndpoint) => notifier.alertEndpointId;
  return {
    name: 'notifiers',
    isRefusal: (result) => result === 'tooManyActive',
    key,
    merchant: ({ notifier }) => notifier.merchantId,
    limits: LIMITS,
    write: (rows) => writeOneByOne(rows, key, (row) => insertAlertEndpoint(audit, row)),
  };
}

/** The endpoint and its audit entry in one commit. */
async function insertAlertEndpoint(audit: Audit, row: NewAlertEndpoint): Promise<RegisterResult> {
  const { merchantId, alertEndpointId, name, description, callbackUrl, created } = row.notifier;
  const key = [merchantId, alertEndpointId];
  const columns = [name, description, searchText(name), callbackUrl, row.endpoint, created.by];
  const stamped = [...key, ...columns, utcText(created.at)];
  const values = [...stamped, ...keyValues(row.request), row.notifier.events];
  const insert = async (tx: AuditedTx): Promise<RegisterResult> => {
    await tx.query(TAKE_TURN, [merchantId]);
    if (await areTooManyActive(tx, key)) return 'tooManyActive';
    const written = await tx.query(INSERT, values);
    if (written.length === 1) tx.record(alertEndpointRegistered(row.registrar, row.notifier));
    return 'written';
  };
  try {
    return await audit.transaction(insert, { merchantId });
  } catch (error) {
    if (isKeyTaken(error)) return 'keyUsed';
    throw error;
  }
}

/** Without this one. */
async function areTooManyActive(tx: Tx, key: readonly string[]): Promise<boolean> {
  const [others] = (await tx.query(COUNT_OTHERS, [...key, MOST_ACTIVE_ALERT_ENDPOINTS])).map(OTHERS.parse);
  return others !== undefined && others.active >= MOST_ACTIVE_ALERT_ENDPOINTS;
}

const LOCKED = rowCodec({ state: column.oneOf(ALERT_ENDPOINT_STATES) }, 'n');

const LOCK = statement(
  'notifiers.lock',
  `select ${LOCKED.columns} from alert_endpoints n where n.merchant_id = $1 and n.alert_endpoint_id = $2
    for no key update`,
);

/** One that is active again is due at once, and is notified of what it missed. */
const MOVE = statement(
  'notifiers.move',
  `update alert_endpoints set state = $3, modified_by = $4, modified_at = $5, expiries_alerted_on = null
   where merchant_id = $1 and alert_endpoint_id = $2
     and state in (${fromOtherStates(ALERT_ENDPOINT_MOVES, 'activate', 'deactivate')})`,
);

export type MoveResult = 'done' | 'notFound' | 'tooManyActive';

export function alertEndpointMovesWrite(audit: Audit): BatchedWriteOptions<AlertEndpointMove, MoveResult> {
  const key = ({ merchantId, alertEndpointId }: AlertEndpointMove) => `${merchantId}|${alertEndpointId}`;
  return {
    name: 'alertEndpointMoves',
    isRefusal: (result) => result !== 'done',
    key,
    merchant: ({ merchantId }) => merchantId,
    limits: LIMITS,
    write: (rows) =>
      writeOneByOne(rows, key, (row) =>
        audit.transaction((tx) => moveAlertEndpoint(tx, row), { merchantId: row.merchantId }),
      ),
  };
}

async function moveAlertEndpoint(tx: AuditedTx, move: AlertEndpointMove): Promise<MoveResult> {
  const { merchantId, alertEndpointId, state, actor, at } = move;
  const key = [merchantId, alertEndpointId];
  await tx.query(TAKE_TURN, [merchantId]);
  const [notifier] = (await tx.query(LOCK, key)).map(LOCKED.parse);
  if (notifier === undefined) return 'notFound';
  if (notifier.state === state) return 'done';
  if (state === 'active' && (await areTooManyActive(tx, key))) return 'tooManyActive';
  await tx.query(MOVE, [...key, state, actor.userName, utcText(at)]);
  tx.record(alertEndpointMoved(actor, alertEndpointId, notifier.state, state));
  return 'done';
}

/** The server alone: path and query of an address may hold a secret, a description a person. */
function alertEndpointRegistered(
  registrar: MerchantActor,
  notifier: Pick<AlertEndpoint, 'alertEndpointId' | 'name' | 'callbackUrl' | 'events'>,
): AuditEvent {
  const { alertEndpointId, name, callbackUrl } = notifier;
  const { origin: server } = new URL(callbackUrl);
  const detail = { name, server, events: notifier.events.join(', ') };
  return merchantEvent('notifier.register', registrar, `notifiers/${alertEndpointId}`, detail);
}

function alertEndpointMoved(
  actor: MerchantActor,
  alertEndpointId: string,
  before: AlertEndpointState,
  state: AlertEndpointState,
): AuditEvent {
  const changed = changedFields({ state: before }, { state });
  return merchantEvent('notifier.change', actor, `notifiers/${alertEndpointId}`, changed);
}
