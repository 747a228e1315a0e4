import type { TokenAnswer } from '../../../../platform/channels/access-token.ts';
import type { Channel } from '../../../../platform/channels/open-channel.ts';
import type { FeedRequest } from '../../../../platform/feeds/feed.ts';
import type { ObserveCall, Operation } from '../../../../platform/process-reports/peer-calls.ts';
import type {
  FoundPix,
  FoundPixRefund,
  PixBank,
  PixIssueAnswer,
  PixName,
  PixReceiptsAnswer,
  PixRefundAnswer,
  PixRefundRequest,
  PixRemoveAnswer,
  PixRequest,
  PixWindow,
} from '../../pix-bank.ts';
import {
  bodyOfCharge,
  bodyOfRefund,
  problemOf,
  readCharge,
  readRefund,
  refusalOf,
  unknown,
} from './charge-answers.ts';
import { listCharges, listReturned } from './charge-lists.ts';
import type { PixDialect } from './dialect.ts';
import { endOfRound, queryOf, readReceipts, windowOf, windowOfReturns } from './receipt-pages.ts';
import { recurringPix } from './recurring-requests.ts';
import {
  ALL_MERCHANTS,
  foundBehind,
  type HeadersOf,
  isGone,
  otherStatus,
  type Sent,
  StandardClient,
} from './standard-client.ts';

export const PIX_CONNECT_MILLISECONDS = 3_000;
/** A page of up to a thousand receipts, with what payers wrote. */
const LARGEST_PAGE_BYTES = 4 * 1024 * 1024;

export type PixBankOptions = {
  readonly observe: ObserveCall;
  /** Of the simulated bank, which is told a merchant's test clock. */
  readonly headersOf?: HeadersOf;
};

export type StandardPixBank = PixBank & {
  readonly authenticate: (timeoutMilliseconds: number) => Promise<TokenAnswer>;
};

/** The central bank's API for receivers: docs/pix.md. */
export function standardPixBank(
  url: string,
  channel: Channel,
  dialect: PixDialect,
  { observe, headersOf = () => ({}) }: PixBankOptions,
): StandardPixBank {
  const client = new StandardClient(url, channel, dialect, headersOf);
  const recurring = recurringPix(client, dialect, {
    issue: (request, timeout) => issue(client, dialect, request, timeout),
    find: (name, timeout) => find(client, name, timeout),
    remove: (name, timeout) => remove(client, name, timeout),
  });
  const observed = async <A extends { readonly kind: string }>(operation: Operation, asked: Promise<A>) => {
    const startedAt = performance.now();
    const answer = await asked;
    observe(operation, answer, (performance.now() - startedAt) / 1_000);
    return answer;
  };
  return {
    name: 'standard',
    recurring: dialect.recurring && { leadDays: dialect.recurring.leadDays },
    authorize: (request, timeout) => observed('authorize', recurring.authorize(request, timeout)),
    findAuthorization: (name, timeout) =>
      observed('findAuthorization', recurring.findAuthorization(name, timeout)),
    endAuthorization: (name, timeout) =>
      observed('endAuthorization', recurring.endAuthorization(name, timeout)),
    findFirstCharge: (name, timeout) => observed('findFirstCharge', recurring.findFirstCharge(name, timeout)),
    endFirstCharge: (name, timeout) => observed('endFirstCharge', recurring.endFirstCharge(name, timeout)),
    collect: (request, timeout) => observed('collect', recurring.collect(request, timeout)),
    findCollection: (request, timeout) =>
      observed('findCollection', recurring.findCollection(request, timeout)),
    endCollection: (request, timeout) => observed('endCollection', recurring.endCollection(request, timeout)),
    authenticate: (timeout) => client.token.get(timeout),
    issue: (request, timeout) => observed('issue', issue(client, dialect, request, timeout)),
    find: (name, timeout) => observed('find', find(client, name, timeout)),
    remove: (name, timeout) => observed('remove', remove(client, name, timeout)),
    refund: (request, timeout) => observed('refund', refund(client, request, timeout)),
    findRefund: (request, timeout) => observed('findRefund', findRefund(client, request, timeout)),
    receivedSince: (request, timeout) =>
      observed('receipts', receivedSince(client, dialect, request, timeout)),
    returnedSince: (request, timeout) =>
      observed('returns', returnedSince(client, dialect, request, timeout)),
    listCharges: (window, isDue, timeout) =>
      observed('list', listCharges(client, dialect, window, isDue, timeout)),
    listReturned: (window, timeout) => observed('list', listReturned(client, dialect, window, timeout)),
    close: () => client.close(),
  };
}

const CONFLICT = 409;
const isRefusal = (status: number) => status === 400 || status === CONFLICT || status === 422;

function chargeAt({
  txid,
  hasDueDay,
  isRecurring,
}: Pick<PixName, 'txid' | 'hasDueDay' | 'isRecurring'>): Sent {
  const resource = hasDueDay ? '/cobv' : '/cob';
  const at = { path: `${resource}/${encodeURIComponent(txid)}`, template: `${resource}/{txid}` };
  return isRecurring === true ? { ...at, isRecurring } : at;
}

/** A refusal is believed where the bank has no such charge: another try may have made it, which 409 says. */
async function issue(
  client: StandardClient,
  { key }: PixDialect,
  request: PixRequest & Pick<PixName, 'isRecurring'>,
  timeout: number,
): Promise<PixIssueAnswer> {
  const endsAt = performance.now() + timeout;
  const name = { ...request, hasDueDay: request.due !== null };
  const sent = { ...chargeAt(name), body: bodyOfCharge(request, key) };
  const answer = await client.write(request.merchantId, 'PUT', sent, timeout);
  if (answer.kind !== 'answer') return answer;
  const { status, body } = answer;
  if (status === 200 || status === 201) return issuedOf(readCharge(body, name));
  if (!isRefusal(status)) return otherStatus(answer);
  const found = await find(client, name, endsAt - performance.now());
  if (found.kind !== 'notFound') return issuedOf(found);
  if (status === CONFLICT) return unknown('the bank says that the charge is there, and does not find it');
  return { kind: 'refused', reason: refusalOf(body) };
}

function issuedOf(found: FoundPix): PixIssueAnswer {
  switch (found.kind) {
    case 'waiting':
    case 'paid':
      return found.pixEmv === null ? unknown(found.codeFault) : { kind: 'issued', pixEmv: found.pixEmv };
    case 'unknown':
      return found;
    case 'notConnected':
      // The charge itself was asked for, and its fate is not known.
      return unknown(found.reason, found.cause);
    case 'removed':
    case 'notFound':
      return unknown('the bank has taken the charge away');
  }
}

async function find(client: StandardClient, name: PixName, timeout: number): Promise<FoundPix> {
  const answer = await client.read(name.merchantId, chargeAt(name), timeout);
  if (answer.kind !== 'answer') return answer;
  if (answer.status === 200) return readCharge(answer.body, name);
  return isGone(answer.status) ? { kind: 'notFound' } : otherStatus(answer);
}

/** What the bank refuses to take away is paid, gone, or taken away before: its record says which. */
async function remove(client: StandardClient, name: PixName, timeout: number): Promise<PixRemoveAnswer> {
  const endsAt = performance.now() + timeout;
  const body = { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' };
  const answer = await client.write(name.merchantId, 'PATCH', { ...chargeAt(name), body }, timeout);
  if (answer.kind !== 'answer') return answer;
  const { status } = answer;
  if (status !== 200 && !isRefusal(status) && !isGone(status)) return otherStatus(answer);
  const found = foundBehind(
    status,
    status === 200 ? readCharge(answer.body, name) : await find(client, name, endsAt - performance.now()),
  );
  switch (found.kind) {
    case 'removed':
      return { kind: 'removed' };
    case 'paid':
      return { kind: 'refused', reason: 'paid', receipts: found.receipts };
    case 'notFound':
      return { kind: 'refused', reason: 'unknownPix' };
    case 'waiting':
      return found.isOver ? { kind: 'over' } : unknown('the bank does not take the charge away');
    case 'unknown':
      return found;
    case 'notConnected':
      return unknown(found.reason, found.cause);
  }
}

function refundAt({ endToEndId, refundId }: PixRefundRequest): Pick<Sent, 'path' | 'template'> {
  const path = `/pix/${encodeURIComponent(endToEndId)}/devolucao/${encodeURIComponent(refundId)}`;
  return { path, template: '/pix/{e2eid}/devolucao/{id}' };
}

/** What the bank refuses is read by its id: an earlier try may have made it. */
async function refund(
  client: StandardClient,
  request: PixRefundRequest,
  timeout: number,
): Promise<PixRefundAnswer> {
  const endsAt = performance.now() + timeout;
  const sent = { ...refundAt(request), body: bodyOfRefund(request) };
  const answer = await client.write(request.merchantId, 'PUT', sent, timeout);
  if (answer.kind !== 'answer') return answer;
  const { status, body } = answer;
  if (status === 200 || status === 201) {
    const accepted = readRefund(body, request);
    // Most are carried out in the moment after the answer.
    const now =
      accepted.kind === 'pending' ? await findRefund(client, request, endsAt - performance.now()) : null;
    return now?.kind === 'refunded' ? now : accepted;
  }
  if (!isRefusal(status) && !isGone(status)) return otherStatus(answer);
  const found = await findRefund(client, request, endsAt - performance.now());
  if (found.kind === 'notFound') {
    const under = status === CONFLICT ? 'conflict' : 'nothing';
    return { kind: 'refused', reason: problemOf(body) || `answered ${status}`, under };
  }
  return found.kind === 'notConnected' ? unknown(found.reason, found.cause) : found;
}

async function findRefund(
  client: StandardClient,
  request: PixRefundRequest,
  timeout: number,
): Promise<FoundPixRefund> {
  const answer = await client.read(request.merchantId, refundAt(request), timeout);
  if (answer.kind !== 'answer') return answer;
  if (answer.status === 200) return readRefund(answer.body, request);
  return isGone(answer.status) ? { kind: 'notFound' } : otherStatus(answer);
}

function receivedSince(
  client: StandardClient,
  dialect: PixDialect,
  request: FeedRequest,
  timeout: number,
): Promise<PixReceiptsAnswer> {
  const window = windowOf(request, dialect);
  return askReceipts(client, request, window, queryOf(window, dialect), timeout);
}

async function returnedSince(
  client: StandardClient,
  dialect: PixDialect,
  request: FeedRequest,
  timeout: number,
): Promise<PixReceiptsAnswer> {
  const window = windowOfReturns(request);
  const query = queryOf(window, dialect, { devolucaoPresente: 'true' });
  return endOfRound(await askReceipts(client, request, window, query, timeout));
}

async function askReceipts(
  client: StandardClient,
  { merchantId, until }: FeedRequest,
  window: PixWindow,
  query: string,
  timeout: number,
): Promise<PixReceiptsAnswer> {
  const sent = { path: `/pix?${query}`, template: '/pix' };
  const answer = await client.read(merchantId ?? ALL_MERCHANTS, sent, timeout, LARGEST_PAGE_BYTES);
  if (answer.kind !== 'answer') return unknown(answer.reason, answer.cause);
  return answer.status === 200 ? readReceipts(answer.body, window, until) : otherStatus(answer);
}
