import { CIELO, CIELO_03 } from '../kit/files/file-cielo.ts';
import { deskAnswer, UNKNOWN_PATH } from '../kit/sales/desk.ts';
import { type Answer, jsonOf, type Question, type Respond } from '../kit/sales/server.ts';
import {
  type Hosts,
  INVALID_BRAND,
  keptCardAnswer,
  NOT_FOUND,
  refused,
  tokenAnswer,
  UNAUTHORIZED,
} from './answers.ts';
import { binAnswer } from './bin.ts';
import type { Cielo } from './cielo.ts';
import { wholeOf } from './fields.ts';
import { readCheck, readKeptCard, readSale } from './requests.ts';

/** `/command` and `/query` stand for the two hosts; without them the method tells which is meant. */
const PATH = /^(.*?)(\/command|\/query)?\/1\/(sales|zeroauth|cardBin|card|RecurrentPayment)(?:\/(.+))?$/;
const MERCHANT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LARGEST_AMOUNT = 999_999_999_999;
const WRONG_METHOD: Answer = {
  status: 405,
  body: { Message: 'The requested resource does not support the method' },
};

type Asker = {
  readonly cielo: Cielo;
  readonly merchantId: string;
  readonly hosts: Hosts;
  readonly respond: Respond;
};

/** Leads a request to what Cielo does. */
export function route(cielo: Cielo, question: Question, respond: Respond): void {
  const path = question.path.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
  if (path.includes('/simulator')) {
    cielo.advance();
    const answer = deskAnswer(deskOf(cielo), { ...question, path });
    cielo.house.afterDurable(() => respond(answer ?? UNKNOWN_PATH, null));
    return;
  }
  const [isThere, prefix = '', host = '', resource = '', rest = ''] = PATH.exec(path) ?? [];
  const merchantId = merchantOf(cielo, question);
  const root = `http://${question.headers.host ?? ''}${prefix}`;
  const hosts =
    host === '' ? { command: root, query: root } : { command: `${root}/command`, query: `${root}/query` };
  const isReading = question.method === 'GET';
  if (isThere === undefined) respond(NOT_FOUND, null);
  else if (typeof merchantId !== 'string') respond(merchantId, null);
  else if (host !== '' && (host === '/query') !== isReading) respond(WRONG_METHOD, null);
  else answerAt({ cielo, merchantId, hosts, respond }, question, [resource, ...rest.split('/')]);
}

function deskOf({ house, keys }: Cielo) {
  return { name: 'parcela-cielo-simulator', house, keys, formats: { cielo03: CIELO_03, cielo04: CIELO } };
}

function answerAt(
  asker: Asker,
  question: Question,
  [resource, first = '', second = '', third = '']: string[],
): void {
  const { cielo, merchantId, hosts, respond } = asker;
  const { method, query } = question;
  if (resource === 'cardBin') {
    respond(method === 'GET' ? binAnswer(first) : WRONG_METHOD, null);
  } else if (resource === 'card') {
    respond(cardAnswer(asker, question, first), null);
  } else if (resource === 'RecurrentPayment') {
    respond(recurrenceAnswer(asker, question, first, second), null);
  } else if (resource === 'zeroauth') {
    if (method === 'POST') check(asker, question);
    else respond(WRONG_METHOD, null);
  } else if (method === 'POST' && first === '') authorize(asker, question);
  else if (method === 'GET' && first === '') {
    const reference = query.get('merchantOrderId') ?? query.get('MerchantOrderId') ?? '';
    cielo.findOrder(merchantId, reference, respond);
  } else if (method === 'GET' && first === 'acquirerTid')
    cielo.find(merchantId, { tid: second }, hosts, respond);
  else if (method === 'GET' && second === '') cielo.find(merchantId, { id: first }, hosts, respond);
  else if (method === 'PUT')
    command(asker, query, first === 'OrderId' ? [first, second, third] : ['', first, second]);
  else respond(WRONG_METHOD, null);
}

function command(
  { cielo, merchantId, hosts, respond }: Asker,
  query: URLSearchParams,
  [by = '', name = '', act = '']: string[],
): void {
  const text = query.get('amount') ?? query.get('Amount');
  const amount = text === null || text === '' ? null : wholeOf(text, LARGEST_AMOUNT);
  if (text !== null && text !== '' && amount === null) respond(refused(108), null);
  else if (by === 'OrderId' && act === 'void') cielo.voidNewest(merchantId, name, amount, hosts, respond);
  else if (by === '' && act === 'void') cielo.void(merchantId, name, amount, hosts, respond);
  else if (by === '' && act === 'capture') cielo.capture(merchantId, name, amount, hosts, respond);
  else respond(NOT_FOUND, null);
}

function cardAnswer({ cielo, merchantId, hosts }: Asker, { method, body }: Question, token: string): Answer {
  if (method === 'GET') {
    const card = cielo.cards.card(merchantId, token);
    return card === null ? NOT_FOUND : keptCardAnswer(card);
  }
  if (method !== 'POST') return WRONG_METHOD;
  const card = readKeptCard(jsonOf(body), merchantId);
  return typeof card === 'number' ? refused(card) : tokenAnswer(cielo.cards.keep(card), hosts);
}

function recurrenceAnswer(
  { cielo, merchantId, hosts }: Asker,
  { method, body }: Question,
  id: string,
  what: string,
): Answer {
  cielo.advance();
  const { recurrences, house, cards } = cielo;
  if (method === 'GET' && what === '') return recurrences.find(merchantId, id, hosts);
  if (method !== 'PUT' || what === '') return WRONG_METHOD;
  return recurrences.change(merchantId, id, [what, jsonOf(body)], house.now, (json) =>
    readSale(json, (token) => cards.card(merchantId, token)),
  );
}

function authorize({ cielo, merchantId, hosts, respond }: Asker, { body }: Question): void {
  const sale = readSale(jsonOf(body), (token) => cielo.cards.card(merchantId, token));
  if (typeof sale === 'number') respond(refused(sale), null);
  else cielo.authorize(merchantId, sale, hosts, respond);
}

function check({ cielo, merchantId, respond }: Asker, { body }: Question): void {
  const card = readCheck(jsonOf(body), (token) => cielo.cards.card(merchantId, token));
  if (card === null) respond(INVALID_BRAND, null);
  else if (typeof card === 'number') respond(refused(card), null);
  else cielo.check(merchantId, card, respond);
}

/** Who asks, or what is wrong with what it says of itself. */
function merchantOf({ keys }: Cielo, { headers }: Question): string | Answer {
  const [merchantId, key] = [headers.merchantid, headers.merchantkey];
  if (typeof merchantId !== 'string' || merchantId === '') return refused(101);
  if (!MERCHANT_ID.test(merchantId)) return refused(114);
  if (typeof key !== 'string' || key === '') return refused(131);
  return keys.accepts(merchantId, key) ? merchantId : UNAUTHORIZED;
}
