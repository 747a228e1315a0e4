import { addDays, type Day, saoPauloDay, startOfSaoPauloDay, utcText } from '../../../../values/instant.ts';
import type {
  AuthorizationAnswer,
  AuthorizationName,
  AuthorizationRequest,
  CollectAnswer,
  CollectionRequest,
  FoundAuthorization,
  FoundCollection,
  RecurringPix,
} from '../../recurring-pix.ts';
import { bodyOfCharge, problemOf, unknown } from './charge-answers.ts';
import type { PixDialect } from './dialect.ts';
import { fieldsOf } from './receipt.ts';
import {
  bodyOfCollection,
  bodyOfRec,
  bodyOfSolicRec,
  codeOf,
  firstPaymentOf,
  hasTryOn,
  readCollection,
  readRec,
  recIdOf,
  recIdOfContract,
  wasSentToPayer,
} from './recurring-answers.ts';
import { type Answered, otherStatus, type Sent, type StandardClient } from './standard-client.ts';

/** How long after the first question an authorization that was made is looked for. */
const SEARCHED_DAYS = 60;
const isFine = (status: number) => status === 200 || status === 201;
const isRefusal = (status: number) => [400, 403, 404, 409, 410, 422].includes(status);

type Asking = {
  readonly write: (method: 'POST' | 'PUT' | 'PATCH', sent: Sent) => Promise<Answered>;
  readonly read: (sent: Sent) => Promise<Answered>;
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
export function recurringPix(client: StandardClient, dialect: PixDialect): RecurringPix {
  const within = (merchantId: string, timeout: number): Asking => {
    const endsAt = performance.now() + timeout;
    return {
      write: (method, sent) => client.write(merchantId, method, sent, endsAt - performance.now()),
      read: (sent) => client.read(merchantId, sent, endsAt - performance.now()),
    };
  };
  return {
    authorize: (request, timeout) => authorize(within(request.merchantId, timeout), dialect, request),
    findAuthorization: (name, timeout) => findRec(within(name.merchantId, timeout), name),
    endAuthorization: (name, timeout) => endRec(within(name.merchantId, timeout), name),
    collect: (request, timeout) => collect(within(request.merchantId, timeout), dialect, request),
    findCollection: (request, timeout) => findCobr(within(request.merchantId, timeout), request),
  };
}

type Step<T> = { readonly kind: 'done'; readonly value: T } | Exclude<AuthorizationAnswer, { kind: 'made' }>;

/** What an answer says where it is not the one that was hoped for. */
function failed(answer: Answered): Exclude<AuthorizationAnswer, { kind: 'made' }> {
  if (answer.kind !== 'answer') return answer;
  const { status, body } = answer;
  if (!isRefusal(status)) return otherStatus(answer);
  return { kind: 'refused', reason: problemOf(body) || `answered ${status}` };
}

/** The first charge, the authorization, what is sent to the payer, and the code: each unless it is there. */
async function authorize(
  asking: Asking,
  dialect: PixDialect,
  request: AuthorizationRequest,
): Promise<AuthorizationAnswer> {
  const { first, payer, merchantId, contract } = request;
  if (first !== null) {
    const charge = { ...first, merchantId, payer, due: null, description: null };
    const body = bodyOfCharge(charge, dialect.key);
    const made = await asking.write('PUT', { ...cobAt(first.txid), body });
    if (made.kind !== 'answer' || !isFine(made.status)) return failed(made);
  }
  const found = await findOfContract(asking, request);
  if (found.kind !== 'done') return found;
  const rec = found.value === null ? await makeRec(asking, request) : found;
  if (rec.kind !== 'done') return rec;
  const recId = rec.value;
  if (recId === null) return unknown(`the bank has no authorization ${contract}`);
  const query = first === null ? '' : `?txid=${first.txid}`;
  const read = await asking.read(recAt(recId, query));
  if (read.kind !== 'answer' || read.status !== 200) return notRefused(failed(read));
  if (request.payerAccount !== null && !wasSentToPayer(read.body)) {
    const body = bodyOfSolicRec(recId, request);
    const sent = await asking.write('POST', {
      path: '/solicrec',
      template: '/solicrec',
      body,
      isRecurring: true,
    });
    if (sent.kind !== 'answer' || !isFine(sent.status)) return failed(sent);
  }
  const pixEmv = codeOf(read.body);
  return pixEmv === null ? unknown('the authorization has no QR code') : { kind: 'made', recId, pixEmv };
}

/** A question that only reads refuses nothing. */
function notRefused(answer: Exclude<AuthorizationAnswer, { kind: 'made' }>) {
  return answer.kind === 'refused' ? unknown(`the bank answered ${answer.reason}`) : answer;
}

async function findOfContract(
  asking: Asking,
  { contract, payer, requestedAt }: AuthorizationRequest,
): Promise<Step<string | null>> {
  const day = saoPauloDay(requestedAt);
  const instantOf = (of: Day) => utcText(startOfSaoPauloDay(of));
  const query = new URLSearchParams({
    inicio: instantOf(addDays(day, -1)),
    fim: instantOf(addDays(day, SEARCHED_DAYS)),
    [payer.documentNumber.length === 11 ? 'cpf' : 'cnpj']: payer.documentNumber,
  });
  const listed = await asking.read({ path: `/rec?${query}`, template: '/rec', isRecurring: true });
  if (listed.kind !== 'answer' || listed.status !== 200) return notRefused(failed(listed));
  return { kind: 'done', value: recIdOfContract(listed.body, contract) };
}

async function makeRec(asking: Asking, request: AuthorizationRequest): Promise<Step<string | null>> {
  const placed = await asking.write('POST', { path: '/locrec', template: '/locrec', isRecurring: true });
  if (placed.kind !== 'answer' || !isFine(placed.status)) return failed(placed);
  const { id } = fieldsOf(placed.body);
  if (typeof id !== 'number') return unknown('the place of an authorization has no id');
  const body = bodyOfRec(request, id);
  const made = await asking.write('POST', { path: '/rec', template: '/rec', body, isRecurring: true });
  if (made.kind !== 'answer' || !isFine(made.status)) return failed(made);
  return { kind: 'done', value: recIdOf(made.body) };
}

const cobAt = (txid: string): Sent => ({
  path: `/cob/${encodeURIComponent(txid)}`,
  template: '/cob/{txid}',
  isRecurring: true,
});

async function findRec(asking: Asking, name: AuthorizationName): Promise<FoundAuthorization> {
  const answer = await asking.read(recAt(name.recId));
  if (answer.kind !== 'answer') return answer;
  if (answer.status === 404) return { kind: 'notFound' };
  if (answer.status !== 200) return otherStatus(answer);
  if (name.first === null) return readRec(answer.body, name, null);
  const charge = await asking.read(cobAt(name.first.txid));
  if (charge.kind !== 'answer') return charge;
  if (charge.status !== 200) return otherStatus(charge);
  const payment = firstPaymentOf(charge.body, name.first.amount);
  if (payment === null && fieldsOf(charge.body).status === 'CONCLUIDA')
    return unknown('the first charge is paid, and its Pix cannot be read');
  return readRec(answer.body, name, payment);
}

/** What the bank does not end is over, and its record says how. */
async function endRec(asking: Asking, name: AuthorizationName): Promise<FoundAuthorization> {
  const body = { status: 'CANCELADA' };
  const answer = await asking.write('PATCH', { ...recAt(name.recId), body });
  if (answer.kind !== 'answer') return answer;
  return isFine(answer.status) || isRefusal(answer.status) ? findRec(asking, name) : otherStatus(answer);
}

async function findCobr(asking: Asking, request: CollectionRequest): Promise<FoundCollection> {
  const answer = await asking.read(cobrAt(request));
  if (answer.kind !== 'answer') return answer;
  if (answer.status === 404) return { kind: 'notFound' };
  return answer.status === 200 ? readCollection(answer.body, request) : otherStatus(answer);
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
  const reason = problemOf(answer.body) || `answered ${answer.status}`;
  return isFine(answer.status) ? unknown('the bank does not show the charge') : { kind: 'refused', reason };
}

/** A refusal is believed where the bank's record shows no such try: an earlier question may have made it. */
async function tryAgain(asking: Asking, request: CollectionRequest): Promise<CollectAnswer> {
  const { txid, tryOn } = request;
  const before = await asking.read(cobrAt(request));
  if (before.kind !== 'answer') return before;
  if (before.status !== 200) return before.status === 404 ? { kind: 'notFound' } : otherStatus(before);
  const found = readCollection(before.body, request);
  if (found.kind !== 'failed' || hasTryOn(before.body, tryOn)) return found;
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
  if (now.kind !== 'failed' || hasTryOn(after.body, tryOn)) return now;
  if (isFine(answer.status)) return unknown('the bank does not show the try');
  return { kind: 'refused', reason: problemOf(answer.body) || `answered ${answer.status}` };
}
