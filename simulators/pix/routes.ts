import { FieldReader } from '../kit/field-reader.ts';
import { type Answer, INVALID_TOKEN, problem, UNKNOWN_PATH } from './answers.ts';
import type { Bank } from './bank.ts';
import type { Receiver } from './books.ts';
import type { Route } from './call.ts';
import { getCharge, listCharges, patchCharge, postCharge, putCharge } from './charges.ts';
import { spoken } from './dialect.ts';
import { momentOf } from './moments.ts';
import { AMOUNT } from './money.ts';
import { ORDERS, READINGS } from './orders.ts';
import { getPix, getRefund, listPix, putRefund } from './pixes.ts';
import { ROUTES_OF_RECURRENCE } from './recurrence-routes.ts';
import type { Fault, Step } from './script-step.ts';
import { insteadAfterwards, insteadOf } from './spoiled-answer.ts';
import { giveToken, TOKEN_PATH } from './token-endpoint.ts';
import { faultOf } from './triggers.ts';
import { deleteWebhook, getWebhook, listWebhooks, putWebhook } from './webhooks.ts';

/** Gives an answer, once; spoiled in the way of the fault, if there is one. */
export type Respond = (answer: Answer, fault: Fault | null) => void;

export type Asked = {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
  /** An instant: the receiver's time is at least that. */
  readonly now: string | undefined;
  /** For whom of a client's customers it is: each has a time and books of its own. */
  readonly clock?: string | undefined;
  readonly body: string;
};

/** Below this path stands the standard's API. */
const BASE = '/api/v2';

/** By method and path; a colon stands for what the path names. */
const ROUTES: Readonly<Record<string, Route>> = {
  'PUT /cob/:': { scope: 'cob.write', act: putCharge('cob') },
  'PATCH /cob/:': { scope: 'cob.write', act: patchCharge('cob') },
  'GET /cob/:': { scope: 'cob.read', act: getCharge('cob') },
  'POST /cob': { scope: 'cob.write', act: postCharge('cob') },
  'GET /cob': { scope: 'cob.read', act: listCharges('cob') },
  'PUT /cobv/:': { scope: 'cobv.write', act: putCharge('cobv') },
  'PATCH /cobv/:': { scope: 'cobv.write', act: patchCharge('cobv') },
  'GET /cobv/:': { scope: 'cobv.read', act: getCharge('cobv') },
  'GET /cobv': { scope: 'cobv.read', act: listCharges('cobv') },
  'GET /pix/:': { scope: 'pix.read', act: getPix },
  'GET /pix': { scope: 'pix.read', act: listPix },
  'PUT /pix/:/devolucao/:': { scope: 'pix.write', act: putRefund },
  'GET /pix/:/devolucao/:': { scope: 'pix.read', act: getRefund },
  'PUT /webhook/:': { scope: 'webhook.write', act: putWebhook },
  'GET /webhook/:': { scope: 'webhook.read', act: getWebhook },
  'DELETE /webhook/:': { scope: 'webhook.write', act: deleteWebhook },
  'GET /webhook': { scope: 'webhook.read', act: listWebhooks },
  ...ROUTES_OF_RECURRENCE,
};

/** Words of paths; everything else in a path is a name. */
const WORDS = new Set(Object.keys(ROUTES).flatMap((key) => key.split(/[ /]/)));

/** Leads a request to what the bank does. */
export function route(bank: Bank, asked: Asked, respond: Respond): void {
  const [pathname = '', search = ''] = asked.url.split('?', 2);
  const searchParams = new URLSearchParams(search);
  const query = new FieldReader(Object.fromEntries(searchParams));
  if (pathname === TOKEN_PATH && asked.method === 'POST') {
    const { answer, fault } = giveToken(bank, asked);
    bank.afterDurable(() => respond(answer, fault));
  } else if (pathname.startsWith(`${BASE}/`))
    routeApi(bank, asked, { path: pathname.slice(BASE.length), query }, respond);
  else {
    const isPost = asked.method === 'POST';
    const known = isPost ? ORDERS : asked.method === 'GET' ? READINGS : {};
    const order = Object.hasOwn(known, pathname) ? known[pathname] : undefined;
    const answer = order?.(bank, isPost ? new FieldReader(jsonOf(asked.body)) : query) ?? UNKNOWN_PATH;
    bank.afterDurable(() => respond(answer, null));
  }
}

function routeApi(
  bank: Bank,
  asked: Asked,
  { path, query }: { path: string; query: FieldReader },
  respond: Respond,
): void {
  const parts = path.split('/').slice(1).map(decoded);
  const named = parts.map((part) => (WORDS.has(part) ? part : ':')).join('/');
  const found = ROUTES[`${asked.method} /${named}`];
  const token = bank.tokens.find(asked.authorization);
  const receiver = bank.receiverFor(token?.clientId ?? '', asked.clock ?? null);
  if (token === null || receiver === undefined) respond(INVALID_TOKEN, null);
  else if (found === undefined) respond(problem('NaoEncontrado'), null);
  else if (!token.scopes.includes(found.scope)) respond(problem('AcessoNegado'), null);
  else {
    const now = momentOf(asked.now);
    if (now !== null) bank.tellTime(receiver.clientId, now);
    const operation = `${asked.method} /${named.replaceAll('/:', '')}`;
    const names = parts.filter((_, index) => named.split('/')[index] === ':');
    const body = jsonOf(asked.body);
    const step =
      bank.scripts.next(receiver.clientId, operation) ?? stepByAmount(receiver, operation, names[0], body);
    bank.passTime(receiver);
    const work = () => act(bank, receiver, { found, names, query, body, step }, respond);
    if (step === null || step.delayMilliseconds === 0) work();
    else setTimeout(work, step.delayMilliseconds);
  }
}

/** What the amount of a new charge makes go wrong; a repetition is answered without it. */
function stepByAmount({ charges }: Receiver, operation: string, txid = '', body: unknown): Step | null {
  if (!['PUT /cob', 'PUT /cobv'].includes(operation) || charges.has(txid)) return null;
  const original = new FieldReader(body).objectOrNull('valor', (amount) =>
    amount.textOrNull('original', AMOUNT),
  );
  const fault = original === null ? null : faultOf(original);
  return fault === null ? null : { fault, problem: null, delayMilliseconds: 0, refund: null };
}

function act(
  bank: Bank,
  receiver: Receiver,
  {
    found,
    names,
    query,
    body,
    step,
  }: { found: Route; names: readonly string[]; query: FieldReader; body: unknown; step: Step | null },
  respond: Respond,
): void {
  const instead = insteadOf(step);
  if (instead !== null) {
    bank.afterDurable(() => respond(instead, step?.fault ?? null));
    return;
  }
  const answer = found.act({ bank, receiver, names, query, body, refund: step?.refund ?? 'settles' });
  const isFine = answer.status < 300 && answer.body !== null;
  const own = isFine ? { ...answer, body: spoken(answer.body ?? {}, receiver.dialect) } : answer;
  const given = insteadAfterwards(step) ?? own;
  bank.afterDurable(() => respond(given, step?.fault ?? null));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
