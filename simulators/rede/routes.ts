import { REDE_EEFI } from '../kit/files/file-rede-eefi.ts';
import { REDE_EEVC } from '../kit/files/file-rede-eevc.ts';
import { deskAnswer, UNKNOWN_PATH } from '../kit/sales/desk.ts';
import { type Answer, jsonOf, type Question, type Respond } from '../kit/sales/server.ts';
import { type Asked, INVALID_CLIENT, NO_SUCH_GRANT, refused, UNAUTHORIZED } from './answers.ts';
import type { Rede } from './rede.ts';
import { readCapture, readRefund, readSale } from './requests.ts';
import { isOfStatement, statementAnswer } from './statement.ts';

/** What stands before is the host's: `/erede/v2` in production, `/v2` in the sandbox. */
const TRANSACTIONS = /^(.*)\/(v1|v2)\/transactions(?:\/([^/]+)(?:\/(refunds)(?:\/([^/]+))?)?)?$/i;
const TOKEN = /\/oauth2\/token$/;
const CREDENTIALS = /^Basic ([A-Za-z0-9+/=]+)$/i;
const BEARER = /^Bearer (\S+)$/i;
const MERCHANT_ID = /^[A-Za-z0-9-]{1,64}$/;

/** Leads a request to what Rede does. */
export function route(rede: Rede, question: Question, respond: Respond): void {
  const { method } = question;
  const path = question.path.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
  if (path.includes('/simulator')) {
    rede.house.advance();
    const answer =
      tokensAnswer(rede, { ...question, path }) ?? deskAnswer(deskOf(rede), { ...question, path });
    rede.house.afterDurable(() => respond(answer ?? UNKNOWN_PATH, null));
    return;
  }
  if (method === 'POST' && TOKEN.test(path)) giveToken(rede, question, respond);
  else if (method === 'GET' && isOfStatement(path)) {
    rede.house.advance();
    const merchantId = merchantOf(rede, question);
    respond(
      merchantId === null ? UNAUTHORIZED : statementAnswer(rede, merchantId, { ...question, path }),
      null,
    );
  } else if (!answerTransactions(rede, { ...question, path }, respond)) respond(UNKNOWN_PATH, null);
}

/** False: there is nothing at that path. */
function answerTransactions(rede: Rede, question: Question, respond: Respond): boolean {
  const { path, headers } = question;
  const [isThere, prefix = '', version = '', tid = null, refunds = null, refundId = null] =
    TRANSACTIONS.exec(path) ?? [];
  if (isThere === undefined) return false;
  const merchantId = merchantOf(rede, question);
  if (merchantId === null) {
    respond(UNAUTHORIZED, null);
    return true;
  }
  const asked: Asked = {
    isOpened: headers['transaction-response'] === 'brand-return-opened',
    base: `http://${headers.host ?? ''}${prefix}/${version}/transactions`,
  };
  const fault = faultOfBody(question);
  if (fault !== null) {
    respond(fault, null);
    return true;
  }
  const named = { tid, isRefunds: refunds !== null, refundId };
  return answerTransaction({ rede, merchantId, asked, respond }, question, named);
}

/** What is sent must be JSON, and be called so. */
function faultOfBody({ method, headers, body }: Question): Answer | null {
  if (method === 'GET') return null;
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) return refused(415, '169');
  return jsonOf(body) === null ? refused(400, '167') : null;
}

type Asker = {
  readonly rede: Rede;
  readonly merchantId: string;
  readonly asked: Asked;
  readonly respond: Respond;
};

function deskOf({ house, keys }: Rede) {
  const formats = { redeEevc: REDE_EEVC, redeEefi: REDE_EEFI };
  return { name: 'parcela-rede-simulator', house, keys, formats };
}

/** False: there is nothing at that path. */
function answerTransaction(
  { rede, merchantId, asked, respond }: Asker,
  { method, query, body }: Question,
  {
    tid,
    isRefunds,
    refundId,
  }: { readonly tid: string | null; readonly isRefunds: boolean; readonly refundId: string | null },
): boolean {
  const refuse = (code: string): void => respond(refused(400, code), null);
  if (method === 'POST' && tid === null) {
    const sale = readSale(jsonOf(body));
    if (typeof sale === 'string') refuse(sale);
    else rede.authorize(merchantId, sale, asked, respond);
  } else if (method === 'GET' && tid === null && query.has('reference'))
    rede.find(merchantId, { reference: query.get('reference') ?? '' }, asked, respond);
  else if (tid === null && method === 'GET') refuse('87');
  else if (tid === null) return false;
  else if (method === 'GET' && isRefunds) rede.findRefunds(merchantId, tid, refundId, asked, respond);
  else if (method === 'GET') rede.find(merchantId, { tid }, asked, respond);
  else if (method === 'POST' && isRefunds && refundId === null) {
    const refund = readRefund(jsonOf(body));
    if (typeof refund === 'string') refuse(refund);
    else rede.refund(merchantId, tid, refund, asked, respond);
  } else if (method === 'PUT' && !isRefunds) {
    const capture = readCapture(jsonOf(body));
    if (typeof capture === 'string') refuse(capture);
    else rede.capture(merchantId, tid, capture.amount, asked, respond);
  } else return false;
  return true;
}

function giveToken(rede: Rede, { headers, body }: Question, respond: Respond): void {
  const credentials = credentialsOf(headers.authorization);
  const grant = new URLSearchParams(body).get('grant_type');
  if (credentials === null) respond(INVALID_CLIENT, null);
  else if (grant !== 'client_credentials') respond(NO_SUCH_GRANT, null);
  else rede.giveToken(credentials.merchantId, credentials.key, respond);
}

/** Version 1 takes the credentials themselves, version 2 a token alone. */
function merchantOf({ tokens, keys, house }: Rede, { path, headers }: Question): string | null {
  const [, token] = BEARER.exec(headers.authorization ?? '') ?? [];
  if (token !== undefined) return tokens.merchantOf(token, house.now);
  const credentials = path.includes('/v1/') ? credentialsOf(headers.authorization) : null;
  return credentials !== null && keys.accepts(credentials.merchantId, credentials.key)
    ? credentials.merchantId
    : null;
}

function credentialsOf(header = ''): { readonly merchantId: string; readonly key: string } | null {
  const [, encoded = ''] = CREDENTIALS.exec(header) ?? [];
  const [merchantId = '', ...key] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return MERCHANT_ID.test(merchantId) && key.length > 0 ? { merchantId, key: key.join(':') } : null;
}

function tokensAnswer({ tokens }: Rede, { method, path, body }: Question) {
  if (method !== 'POST' || !path.endsWith('/simulator/tokens/expire')) return null;
  const merchantId = (jsonOf(body) as { merchantId?: unknown } | null)?.merchantId;
  if (typeof merchantId !== 'string')
    return { status: 400, body: { error: 'malformed', field: 'merchantId' } };
  return { status: 200, body: { expired: tokens.expire(merchantId) } };
}
