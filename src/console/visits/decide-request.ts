import { timingSafeEqual } from 'node:crypto';
import type { Audit, AuditEvent } from '../../audit/audit-event.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { Merchant } from '../../merchants/merchant.ts';
import { errorFields } from '../../platform/log.ts';
import type { Database, Reader } from '../../platform/postgres/database.ts';
import { isUuid } from '../../values/ids.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import { matchPath } from '../parts/paths.ts';
import { type Action, mayUse, type Visit } from '../parts/screen.ts';
import { mayEnter } from '../parts/user.ts';
import {
  findHands,
  findRequest,
  finishRequest,
  freeRequest,
  insertDecision,
  listRequests,
} from '../second-person/requests.sql.ts';
import {
  approvalFault,
  declineFault,
  type FoundRequest,
  isOneHand,
  MOST_REQUESTS_SHOWN,
  requestText,
  type SecondPersonDecision,
  stateOf,
} from '../second-person/second-person.ts';
import type { Decided, ShownRequest } from '../second-person/waiting-screens.ts';
import { isNewcomer } from '../users/links.sql.ts';
import { actorName } from '../users/user.ts';
import { holdPlaces, isUnderWay, type Places } from './console-actions.sql.ts';
import { endOf } from './sent-form.ts';
import { placesOf, type TryTools, tryAction } from './start-action.ts';

export type DecideRequestTools = TryTools & {
  readonly database: Database;
  readonly audit: Audit;
  readonly keyring: Pick<Keyring, 'fingerprints'>;
  readonly actions: readonly Action<ConsoleTools>[];
  readonly findMerchant: (merchantId: string) => Promise<Merchant | null>;
};

type Wanted = Pick<SecondPersonDecision, 'decision' | 'reason'> & { readonly requestId: string };

/**
 * Approves or declines a request to a second person. The decision is written first; what was approved is then
 * done once.
 */
export async function decideRequest(
  tools: DecideRequestTools,
  visit: Visit,
  wanted: Wanted,
): Promise<Decided> {
  const { requestId } = wanted;
  const whose = visit.merchantId === '' ? null : visit.merchantId;
  const found = isUuid(requestId) ? await findRequest(tools.database, requestId, whose) : null;
  const asked = found === null ? null : askedFor(tools.actions, found);
  if (found === null || asked === null) return { fault: 'unknownId' };
  if (wanted.decision === 'declined') {
    const fault = declineFault(found, mayUse(asked.action, visit.user), visit.user);
    if (fault !== null) return { fault };
    const declined = await insertDecided(tools, visit, found, wanted);
    return declined.isMade ? DONE : { fault: 'decided' };
  }
  const fault = await faultOf(tools, visit, found, asked.action);
  if (fault !== null) return { fault };
  const there = await visitThere(tools, visit, found, asked.parameters);
  if (there === null) return { fault: 'unknownId' };
  const before = await changeOf(tools, there, found, asked.action);
  if (before !== null) return before;
  const places = placesOf(there, asked.action, requestId);
  const approved = await insertDecided(tools, visit, found, wanted, places);
  if (approved.isBehindAnother) return { fault: 'underWay' };
  if (!approved.isMade) return { fault: 'decided' };
  // From here on others see the request under way. What they did earlier is looked at once more.
  const form = { ...found.request.fields, reason: found.request.reason };
  const work = async () =>
    (await changeOf(tools, there, found, asked.action)) ?? tryAction(tools, asked.action, there, form);
  const done = await work().catch(async (error) => {
    // Nothing was written before the error, so the request waits again.
    await freeRequest(tools.database, requestId);
    await recordEnd(tools, visit, found, { action: 'console.refuse', status: 503 });
    throw error;
  });
  if ('fault' in done) {
    await freeRequest(tools.database, requestId);
    await recordEnd(tools, visit, found, { action: 'console.refuse', status: 409 });
  } else await noteOutcome(tools, visit, found, done);
  return done;
}

const DONE = { ok: true, status: 200, body: null } as const;

function askedFor(actions: readonly Action<ConsoleTools>[], { request }: FoundRequest) {
  for (const action of actions) {
    const parameters = matchPath(action.path, request.path.replace(/^\/console/, ''));
    if (parameters !== null && action.moves !== undefined) return { action, parameters };
  }
  return null;
}

async function changeOf(
  { consoleTools }: DecideRequestTools,
  there: Visit,
  { request: { fields, amount, standing } }: FoundRequest,
  action: Action<ConsoleTools>,
): Promise<Decided | null> {
  const moved = await action.moves?.(there, fields, consoleTools);
  if (moved?.ok === false) return moved;
  const isSame = moved?.body?.amount === amount && moved.body.standing === standing;
  return isSame ? null : { fault: 'changed' };
}

async function faultOf(
  { database, keyring }: DecideRequestTools,
  { user }: Visit,
  found: FoundRequest,
  action: Action<ConsoleTools>,
) {
  const { request, requester, seal } = found;
  const isSealed = keyring
    .fingerprints(requestText(request))
    .some(({ print }) => print.length === seal.length && timingSafeEqual(print, seal));
  if (!isSealed) return 'altered';
  const mayBoth = [user, requester].every(
    (person) =>
      mayUse(action, person) && (request.merchantId === null || mayEnter(person, request.merchantId)),
  );
  const hands = await findHands(database, [user.userId, requester.userId]);
  return approvalFault(found, {
    user,
    isOneHand: isOneHand(hands.get(user.userId), hands.get(requester.userId)),
    isNewcomer: await isNewcomer(database, user.userId),
    isRequesterNew: await isNewcomer(database, requester.userId),
    mayBoth,
  });
}

/**
 * The visit in which the approved action is done: in the name of the person who approves, with the request's
 * id as its key.
 */
async function visitThere(
  { findMerchant }: DecideRequestTools,
  visit: Visit,
  { request: { requestId, path } }: FoundRequest,
  parameters: Readonly<Record<string, string>>,
): Promise<Visit | null> {
  const { merchantId } = parameters;
  const merchant = merchantId === undefined ? null : await findMerchant(merchantId);
  if (merchantId !== undefined && merchant === null) return null;
  return {
    ...visit,
    merchantId: merchant?.merchantId ?? '',
    accountNumbers: merchant?.accountNumbers ?? [],
    parameters,
    path,
    ask: visit.askFor(merchant, requestId),
  };
}

/**
 * Writes the decision. Of several people who decide at once, only the first succeeds. `places`: the paths
 * that the action acts on, checked like those of people's forms.
 */
async function insertDecided(
  { audit }: DecideRequestTools,
  visit: Visit,
  { request, requester }: FoundRequest,
  { decision, reason, requestId }: Wanted,
  places: Places | null = null,
): Promise<{ readonly isMade: boolean; readonly isBehindAnother: boolean }> {
  const { operation, amount, path, fields } = request;
  const event: AuditEvent = {
    action: decision === 'approved' ? 'console.approve' : 'console.decline',
    outcome: 'success',
    actor: actorName(visit.user),
    origin: visit.address,
    resource: path.replace('/console/', ''),
    detail: {
      ...fields,
      operation,
      amount,
      request: requestId,
      requestedBy: actorName(requester),
      asked: request.reason,
      reason,
    },
  };
  return audit.transaction(
    async (tx) => {
      if (places !== null) await holdPlaces(tx, places);
      // No decision is written: nothing has begun that others would wait for if this process ended now.
      if (places !== null && (await isUnderWay(tx, places))) {
        tx.record(event);
        tx.record(endEvent(visit, request, { action: 'console.refuse', status: 409 }));
        return { isMade: false, isBehindAnother: true };
      }
      const isMade = await insertDecision(tx, { requestId, userId: visit.user.userId, decision, reason });
      if (isMade) tx.record(event);
      return { isMade, isBehindAnother: false };
    },
    { merchantId: visit.merchantId },
  );
}

const LONGEST_REFUSAL = 1_000;

type RequestEnd = { readonly action: 'console.refuse' | 'console.unknown'; readonly status: number };

function endEvent(
  { user, address }: Visit,
  { requestId, operation, path }: FoundRequest['request'],
  { action, status }: RequestEnd,
): AuditEvent {
  return {
    action,
    outcome: 'failure',
    actor: actorName(user),
    origin: address,
    resource: path.replace('/console/', ''),
    detail: { operation, status, request: requestId },
  };
}

/**
 * Audits that an approved request was refused, or that its outcome is unknown. If this entry is missing, the
 * request was done, or its outcome is unknown.
 */
async function recordEnd(
  { audit, log }: Pick<DecideRequestTools, 'audit' | 'log'>,
  visit: Visit,
  { request }: FoundRequest,
  end: RequestEnd,
): Promise<void> {
  await audit
    .record(endEvent(visit, request, end), visit.merchantId)
    .catch((error) => log.error(errorFields(error), 'what became of an approval could not be written'));
}

/** Writes down how the approved action ended. It stays done even if this fails. */
async function noteOutcome(
  tools: DecideRequestTools,
  visit: Visit,
  found: FoundRequest,
  done: Awaited<ReturnType<typeof tryAction>>,
): Promise<void> {
  const { database, log } = tools;
  const { requestId } = found.request;
  const end = endOf(done);
  if (!done.ok)
    await recordEnd(tools, visit, found, {
      action: end === null ? 'console.unknown' : 'console.refuse',
      status: done.status,
    });
  try {
    if (end === 'free') await freeRequest(database, requestId);
    const why = done.ok ? null : done.errors.map(({ description }) => description).join(' ');
    if (end === 'done' || end === 'refused')
      await finishRequest(database, requestId, end === 'done' ? null : (why ?? '').slice(0, LONGEST_REFUSAL));
  } catch (error) {
    log.error(errorFields(error), 'what became of an approved request could not be noted');
  }
}

export async function listWaiting(
  { reader, actions }: { readonly reader: Reader; readonly actions: readonly Action<ConsoleTools>[] },
  { merchantId, user, wording }: Visit,
): Promise<readonly ShownRequest[]> {
  const found = await listRequests(reader, merchantId === '' ? null : merchantId, MOST_REQUESTS_SHOWN);
  const waiting = found.filter((one) => stateOf(one) === 'waiting');
  const hands = await findHands(reader, [user.userId, ...waiting.map((one) => one.requester.userId)]);
  return found.map((one) => {
    const action = askedFor(actions, one)?.action ?? null;
    const may = action !== null && mayUse(action, user);
    // Whether somebody is new, and what the requester may do, is only checked when the button is pressed.
    const decider = {
      user,
      isOneHand: isOneHand(hands.get(user.userId), hands.get(one.requester.userId)),
      isNewcomer: false,
      isRequesterNew: false,
      mayBoth: may,
    };
    const fault = approvalFault(one, decider);
    return {
      ...one,
      title: action?.title ?? one.request.operation,
      says: action?.saysOf?.(one.request.fields, wording) ?? null,
      mayApprove: fault === null,
      isOneHand: fault === 'oneHand',
      mayDecline: declineFault(one, may, user) === null,
    };
  });
}
