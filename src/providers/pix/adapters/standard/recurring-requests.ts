import { fieldsOf } from '../../../../platform/channels/answer-fields.ts';
import type { Instant } from '../../../../values/instant.ts';
import { addDays, saoPauloDay, startOfSaoPauloDay, utcText } from '../../../../values/instant.ts';
import type { FoundPix, PixBank, PixIssueAnswer, PixName, PixReceipt, PixRequest } from '../../pix-bank.ts';
import type {
  AuthorizationAnswer,
  AuthorizationName,
  AuthorizationRequest,
  CollectAnswer,
  CollectionRequest,
  FirstChargeName,
  FoundAuthorization,
  FoundCollection,
  FoundFirstCharge,
  FoundPaid,
  RecurringPix,
} from '../../recurring-pix.ts';
import { problemOf, unknown } from './charge-answers.ts';
import type { PixDialect } from './dialect.ts';
import {
  accountSentTo,
  bodyOfCollection,
  bodyOfRec,
  bodyOfSolicRec,
  codeOf,
  type FoundRec,
  faultOfRec,
  hasTry,
  readCollection,
  readRec,
  recIdOf,
  recsOfContract,
} from './recurring-answers.ts';
import {
  type Answered,
  foundBehind,
  isGone,
  otherStatus,
  type Sent,
  type StandardClient,
} from './standard-client.ts';

const isFine = (status: number) => status === 200 || status === 201;
/** 403 and 404 are faults of our permission or address, and no answer to what was asked. */
const isRefusal = (status: number) => [400, 409, 410, 422].includes(status);
const CONFLICT = 409;

type Asking = {
  readonly write: (method: 'POST' | 'PUT' | 'PATCH', sent: Sent) => Promise<Answered>;
  readonly read: (sent: Sent) => Promise<Answered>;
  readonly left: () => number;
};

/** Charges whose code authorizes too are charges by Pix. */
type Charges = Pick<PixBank, 'find' | 'remove'> & {
  issue(request: PixRequest & Pick<PixName, 'isRecurring'>, timeout: number): Promise<PixIssueAnswer>;
};

const recAt = (recId: string, query = ''): Sent => ({
  path: `/rec/${encodeURIComponent(recId)}${query}`,
  template: '/rec/{idRec}',
  isRecurring: true,
});
const cobrAt = ({ txid }: Pick<CollectionRequest, 'txid'>): Sent => ({
  path: `/cobr/${encodeURIComponent(txid)}`,
  template: '/cobr/{txid}',
  isRecurring: true,
});

/** Pix Automático by the central bank's API: docs/pix.md. */
export function recurringPix(client: StandardClient, dialect: PixDialect, charges: Charges): RecurringPix {
  const within = (merchantId: string, timeout: number): Asking => {
    const endsAt = performance.now() + timeout;
    const left = () => endsAt - performance.now();
    return {
      write: (method, sent) => client.write(merchantId, method, sent, left()),
      read: (sent) => client.read(merchantId, sent, left()),
      left,
    };
  };
  return {
    authorize: (request, timeout) => authorize(within(request.merchantId, timeout), charges, request),
    findAuthorization: (name, timeout) => findRec(within(name.merchantId, timeout), name),
    endAuthorization: (name, timeout) => endRec(within(name.merchantId, timeout), name),
    findFirstCharge: async (name, timeout) => firstOf(await charges.find(cobOf(name), timeout)),
    endFirstCharge: (name, timeout) => endFirst(within(name.merchantId, timeout), charges, name),
    collect: (request, timeout) => collect(within(request.merchantId, timeout), dialect, request),
    findCollection: (request, timeout) => findCobr(within(request.merchantId, timeout), request),
    endCollection: (request, timeout) => endCobr(within(request.merchantId, timeout), request),
  };
}

type Unmade = Exclude<AuthorizationAnswer, { kind: 'made' }>;
type Step<T> = { readonly kind: 'done'; readonly value: T } | Unmade;

/** What an answer says where it is not the one that was hoped for. */
function failed(answer: Answered): Unmade {
  if (answer.kind !== 'answer') return answer;
  const { status, body } = answer;
  if (!isRefusal(status)) return otherStatus(answer);
  return { kind: 'refused', reason: problemOf(body) || `answered ${status}` };
}

/** The first charge, the authorization, what is sent to the payer, and the code: each unless it is there. */
async function authorize(
  asking: Asking,
  charges: Charges,
  request: AuthorizationRequest,
): Promise<AuthorizationAnswer> {
  const { first } = request;
  const charged = await makeFirst(asking, charges, request);
  if (charged !== null) return charged;
  const rec = await findOrMakeRec(asking, request);
  if (rec.kind !== 'done') return rec;
  const recId = rec.value;
  const query = first === null ? '' : `?txid=${first.txid}`;
  const read = await asking.read(recAt(recId, query));
  if (read.kind !== 'answer' || read.status !== 200) return notRefused(failed(read));
  const fault = faultOfRec(read.body, request);
  if (fault !== null) return unknown(`the bank has the authorization with another ${fault}`);
  const unsent = await sendToPayer(asking, recId, request, read.body);
  if (unsent !== null) return unsent;
  const pixEmv = codeOf(read.body);
  return pixEmv === null ? unknown('the authorization has no QR code') : { kind: 'made', recId, pixEmv };
}

/** A question that only reads refuses nothing. */
function notRefused(answer: Unmade) {
  return answer.kind === 'refused' ? unknown(`the bank answered ${answer.reason}`) : answer;
}

const cobOf = ({ merchantId, txid, amount }: FirstChargeName): PixName => ({
  ...{ merchantId, txid, amount, hasDueDay: false },
  isRecurring: true,
});

const SHORTEST_SECONDS = 60;

/** Null: it is there. A repetition would count its seconds anew, so the bank's record is read first. */
async function makeFirst(
  asking: Asking,
  charges: Charges,
  { merchantId, first, payer }: AuthorizationRequest,
): Promise<Unmade | null> {
  if (first === null) return null;
  const name = cobOf({ ...first, merchantId });
  const found = await charges.find(name, asking.left());
  if (found.kind === 'waiting' || found.kind === 'paid') return null;
  if (found.kind === 'removed') return unknown('the first charge was taken away');
  if (found.kind !== 'notFound') return found;
  if (first.expiresInSeconds < SHORTEST_SECONDS) return unknown('no time is left to pay the first charge');
  const made = await charges.issue({ ...name, ...first, payer, due: null, description: null }, asking.left());
  return made.kind === 'issued' ? null : made;
}

async function findOrMakeRec(asking: Asking, request: AuthorizationRequest): Promise<Step<string>> {
  const name = { ...request, recId: null, documentNumber: request.payer.documentNumber };
  const found = await findOfContract(asking, name);
  if (found.kind !== 'done') return found;
  const [known] = found.value;
  if (known !== undefined) return { kind: 'done', value: known.recId };
  const made = await makeRec(asking, request);
  const isAnswered = made.kind === 'refused' || (made.kind === 'unknown' && made.cause !== 'silent');
  if (!isAnswered) return made;
  // It is believed where the bank has none: an earlier request may have made it.
  const again = await findOfContract(asking, name);
  if (again.kind !== 'done') return again;
  const [there] = again.value;
  return there === undefined ? made : { kind: 'done', value: there.recId };
}

/** Null: it was sent. */
async function sendToPayer(
  asking: Asking,
  recId: string,
  request: AuthorizationRequest,
  rec: unknown,
): Promise<Unmade | null> {
  const { payerAccount } = request;
  if (payerAccount === null) return null;
  const isSent = (body: unknown) => {
    const { ispb, account } = accountSentTo(body) ?? {};
    return ispb === payerAccount.ispb && account === payerAccount.account;
  };
  if (isSent(rec)) return null;
  const body = bodyOfSolicRec(recId, request);
  const sent = await asking.write('POST', {
    path: '/solicrec',
    template: '/solicrec',
    body,
    isRecurring: true,
  });
  if (sent.kind === 'answer' && isFine(sent.status)) return null;
  const refusal = failed(sent);
  if (refusal.kind !== 'refused') return refusal;
  const read = await asking.read(recAt(recId));
  if (read.kind !== 'answer' || read.status !== 200) return notRefused(failed(read));
  if (isSent(read.body)) return null;
  const isDoubtful = sent.kind === 'answer' && sent.status === CONFLICT;
  return isDoubtful ? notRefused(refusal) : refusal;
}

/** More than a receiver has of one payer in these days. */
const MOST_PAGES = 20;
const PAGE_SIZE = 100;

/** Live ones first. */
async function findOfContract(asking: Asking, name: AuthorizationName): Promise<Step<readonly FoundRec[]>> {
  const found: FoundRec[] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const path = `/rec?${queryOf(name, page)}`;
    const listed = await asking.read({ path, template: '/rec', isRecurring: true });
    if (listed.kind !== 'answer' || listed.status !== 200) return notRefused(failed(listed));
    const { recs, pages } = recsOfContract(listed.body, name.contract);
    found.push(...recs);
    if (page + 1 >= pages)
      return { kind: 'done', value: found.toSorted((one, other) => +other.isLive - +one.isLive) };
  }
  return unknown('the bank has too many authorizations of these days');
}

/** It was made between the first question and the end of its time. */
function queryOf({ requestedAt, expiresAt, documentNumber }: AuthorizationName, page: number): string {
  const dayOf = (moment: Instant, days: number) =>
    utcText(startOfSaoPauloDay(addDays(saoPauloDay(moment), days)));
  const query = new URLSearchParams({ inicio: dayOf(requestedAt, -1), fim: dayOf(expiresAt, 2) });
  if (documentNumber !== null) query.set(documentNumber.length === 11 ? 'cpf' : 'cnpj', documentNumber);
  query.set('paginacao.paginaAtual', String(page));
  query.set('paginacao.itensPorPagina', String(PAGE_SIZE));
  return query.toString();
}

async function makeRec(asking: Asking, request: AuthorizationRequest): Promise<Step<string>> {
  const placed = await asking.write('POST', { path: '/locrec', template: '/locrec', isRecurring: true });
  if (placed.kind !== 'answer' || !isFine(placed.status)) return conflictUnknown(placed);
  const { id } = fieldsOf(placed.body);
  if (typeof id !== 'number') return unknown('the place of an authorization has no id');
  const body = bodyOfRec(request, id);
  const made = await asking.write('POST', { path: '/rec', template: '/rec', body, isRecurring: true });
  if (made.kind !== 'answer' || !isFine(made.status)) return conflictUnknown(made);
  const recId = recIdOf(made.body);
  return recId === null
    ? unknown('the answer has no id of an authorization')
    : { kind: 'done', value: recId };
}

/** A conflict is with something: only what is there tells. */
function conflictUnknown(answer: Answered): Unmade {
  const isConflict = answer.kind === 'answer' && answer.status === CONFLICT;
  return isConflict ? notRefused(failed(answer)) : failed(answer);
}

async function findRec(asking: Asking, name: AuthorizationName): Promise<FoundAuthorization> {
  const ids = await idsOf(asking, name);
  if (ids.kind !== 'done') return notRefused(ids);
  const [recId] = ids.value;
  return recId === undefined ? { kind: 'notFound' } : readRecOf(asking, recId);
}

async function readRecOf(asking: Asking, recId: string): Promise<FoundAuthorization> {
  const answer = await asking.read(recAt(recId));
  if (answer.kind !== 'answer') return answer;
  if (isGone(answer.status)) return { kind: 'notFound' };
  return answer.status === 200 ? readRec(answer.body, recId) : otherStatus(answer);
}

async function idsOf(asking: Asking, name: AuthorizationName): Promise<Step<readonly string[]>> {
  if (name.recId !== null) return { kind: 'done', value: [name.recId] };
  const found = await findOfContract(asking, name);
  return found.kind === 'done' ? { kind: 'done', value: found.value.map(({ recId }) => recId) } : found;
}

/** All of its contract, if its answer was lost. What the bank does not end is over; its record says how. */
async function endRec(asking: Asking, name: AuthorizationName): Promise<FoundAuthorization> {
  const ids = await idsOf(asking, name);
  if (ids.kind !== 'done') return notRefused(ids);
  let ended: FoundAuthorization = { kind: 'notFound' };
  for (const recId of ids.value) {
    ended = await cancel(asking, recAt(recId), () => readRecOf(asking, recId));
    const isLive = ended.kind === 'found' && (ended.state === 'waiting' || ended.state === 'approved');
    if (isLive || (ended.kind !== 'found' && ended.kind !== 'notFound')) return ended;
  }
  return ended;
}

/** What the bank has tells whether it did. */
async function cancel<Found extends { readonly kind: string }>(
  asking: Asking,
  sent: Sent,
  read: () => Promise<Found>,
) {
  const answer = await asking.write('PATCH', { ...sent, body: { status: 'CANCELADA' } });
  if (answer.kind !== 'answer') return answer;
  const { status } = answer;
  const isRead = isFine(status) || isRefusal(status) || isGone(status);
  return isRead ? foundBehind(status, await read()) : otherStatus(answer);
}

function firstOf(found: FoundPix): FoundFirstCharge {
  if (found.kind === 'removed') return { kind: 'ended' };
  if (found.kind === 'waiting') return { kind: 'waiting' };
  return found.kind === 'paid' ? paidBy(found.receipts) : found;
}

function paidBy([receipt]: readonly PixReceipt[]): FoundPaid {
  if (receipt === undefined) return { kind: 'paid', payment: null };
  const { endToEndId, amount, receivedAt: paidAt } = receipt;
  return { kind: 'paid', payment: { endToEndId, amount, paidAt } };
}

/** A payment of the last second may still be on its way. */
const LAST_SECONDS = 300;

/** One that cannot be removed is paid, gone, or over by its own calendar: its record says which. */
async function endFirst(
  asking: Asking,
  charges: Charges,
  name: FirstChargeName & { readonly now: Instant },
): Promise<FoundFirstCharge> {
  const cob = cobOf(name);
  const answer = await charges.remove(cob, asking.left());
  if (answer.kind === 'removed' || answer.kind === 'over') return { kind: 'ended' };
  if (answer.kind === 'notConnected') return answer;
  if (answer.kind === 'refused')
    return answer.reason === 'paid' ? paidBy(answer.receipts) : { kind: 'notFound' };
  const found = await charges.find(cob, asking.left());
  // The bank did not say that it is gone when it was to take it away.
  if (found.kind === 'notFound') return answer;
  const isOver =
    found.kind === 'waiting' &&
    found.endsAt !== null &&
    found.endsAt + LAST_SECONDS * 1_000 < name.now &&
    answer.cause !== 'silent';
  if (isOver) return { kind: 'ended' };
  if (found.kind === 'waiting') return unknown('the bank does not take the first charge away');
  return found.kind === 'notConnected' ? unknown(found.reason, found.cause) : firstOf(found);
}

async function findCobr(asking: Asking, request: CollectionRequest): Promise<FoundCollection> {
  const answer = await asking.read(cobrAt(request));
  if (answer.kind !== 'answer') return answer;
  if (isGone(answer.status)) return { kind: 'notFound' };
  if (answer.status !== 200) return otherStatus(answer);
  const found = readCollection(answer.body, request);
  // The try before it failed, and this one is not there.
  const isUntried = request.attemptNumber > 1 && !hasTry(answer.body, request.attemptNumber);
  return found.kind === 'failed' && isUntried ? { kind: 'notFound' } : found;
}

async function endCobr(asking: Asking, request: CollectionRequest): Promise<FoundCollection> {
  return cancel(asking, cobrAt(request), () => findCobr(asking, request));
}

/** A refusal is believed where the bank has no such charge: an earlier try may have made it. */
async function collect(
  asking: Asking,
  { recurring }: PixDialect,
  request: CollectionRequest,
): Promise<CollectAnswer> {
  if (recurring === null) return unknown('Pix Automático is not switched on for this bank');
  if (request.attemptNumber > 1) return tryAgain(asking, request);
  const body = bodyOfCollection(request, recurring);
  const answer = await asking.write('PUT', { ...cobrAt(request), body });
  if (answer.kind !== 'answer') return answer;
  if (!isFine(answer.status) && !isRefusal(answer.status)) return otherStatus(answer);
  const found = await findCobr(asking, request);
  if (found.kind === 'notConnected') return unknown(found.reason, found.cause);
  if (found.kind !== 'notFound') return found;
  return isFine(answer.status) ? unknown('the bank does not show the charge') : conflictUnknown(answer);
}

/** A refusal is believed where the bank's record shows no such try: an earlier question may have made it. */
async function tryAgain(asking: Asking, request: CollectionRequest): Promise<CollectAnswer> {
  const { txid, attemptNumber, tryOn } = request;
  const before = await asking.read(cobrAt(request));
  if (before.kind !== 'answer') return before;
  if (before.status !== 200) return isGone(before.status) ? { kind: 'notFound' } : otherStatus(before);
  const found = readCollection(before.body, request);
  if (found.kind !== 'failed' || hasTry(before.body, attemptNumber)) return found;
  const sent = {
    ...cobrAt({ txid }),
    path: `/cobr/${txid}/retentativa/${tryOn}`,
    template: '/cobr/{txid}/retentativa/{data}',
  };
  const answer = await asking.write('POST', sent);
  if (answer.kind !== 'answer') return answer;
  if (!isFine(answer.status) && !isRefusal(answer.status)) return otherStatus(answer);
  const after = await asking.read(cobrAt(request));
  if (after.kind !== 'answer') return unknown(after.reason, after.cause);
  if (after.status !== 200) return otherStatus(after);
  const now = readCollection(after.body, request);
  if (now.kind !== 'failed' || hasTry(after.body, attemptNumber)) return now;
  return isFine(answer.status) ? unknown('the bank does not show the try') : conflictUnknown(answer);
}
