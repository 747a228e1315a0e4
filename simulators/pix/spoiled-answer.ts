import type { ServerResponse } from 'node:http';
import { type Answer, INVALID_TOKEN, problem } from './answers.ts';
import { checkSum } from './br-code.ts';
import { AMOUNT, centsOf, reaisOf } from './money.ts';
import type { Fault, Step } from './script-step.ts';

/** How long a silent answer holds its connection. */
const SILENCE_MILLISECONDS = 60_000;
const GARBAGE = Buffer.from([0x00, 0xff, 0xfe, 0x7b, 0x22, 0x74, 0x78, 0x69, 0x64, 0x1b, 0x0a]);

export const UNAVAILABLE = problem('ServicoIndisponivel');
/** Not of the standard; banks have limits. */
const TOO_MANY_REQUESTS: Answer = {
  status: 429,
  body: { type: 'about:blank', title: 'Limite de requisições excedido.', status: 429 },
  headers: { 'retry-after': '1' },
};

/** Not of the standard either: it is there already, or is being made. */
const CONFLICT: Answer = { status: 409, body: { type: 'about:blank', title: 'Conflito.', status: 409 } };

/** What is answered without doing anything; null: it is done. */
export function insteadOf(step: Step | null): Answer | null {
  if (step === null) return null;
  if (step.problem !== null) return problem(step.problem);
  switch (step.fault) {
    case 'silent':
    case 'unavailable':
      return UNAVAILABLE;
    case 'unauthorized':
      return INVALID_TOKEN;
    case 'tooManyRequests':
      return TOO_MANY_REQUESTS;
    case 'notFound':
      return problem('NaoEncontrado');
    case 'conflict':
      return CONFLICT;
    default:
      return null;
  }
}

/** What is answered when it was done; null: what came of it. */
export function insteadAfterwards(step: Step | null): Answer | null {
  if (step?.fault === 'booksButUnavailable') return UNAVAILABLE;
  return step?.fault === 'booksButConflict' ? CONFLICT : null;
}

export function sendAnswer(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  if (body === null) response.writeHead(status, { ...headers, 'content-length': 0 }).end();
  else sendBytes(response, status, Buffer.from(JSON.stringify(body)), headers);
}

/** Sends the answer in the way of the fault. */
export function sendSpoiledAnswer(
  response: ServerResponse,
  answer: Answer,
  fault: Fault,
  lateMilliseconds: number,
): void {
  const { socket } = response;
  // The asker has gone.
  if (socket === null) return;
  switch (fault) {
    case 'silent':
    case 'booksButSilent':
      later(response, SILENCE_MILLISECONDS, () => socket.destroy());
      return;
    case 'late':
      later(response, lateMilliseconds, () => sendAnswer(response, answer));
      return;
    case 'garbage':
      sendBytes(response, 200, GARBAGE, {});
      return;
    case 'reset':
      socket.resetAndDestroy();
      return;
    default:
      sendAnswer(response, { ...answer, body: answer.body === null ? null : falseBody(answer.body, fault) });
  }
}

/** The body as it is when the bank errs in this way. */
function falseBody(body: object, fault: Fault): object {
  const { pixCopiaECola, txid, valor } = body as Readonly<Record<string, unknown>>;
  const code = typeof pixCopiaECola === 'string' ? pixCopiaECola : '';
  switch (fault) {
    case 'wrongAmount':
      return { ...body, valor: otherAmount(valor) };
    case 'wrongTxid':
      return { ...body, txid: [...String(txid)].reverse().join('') };
    case 'wrongCheckSum':
      return { ...body, pixCopiaECola: code.slice(0, -4) + checkSum(code) };
    case 'wrongCodeAddress':
      return { ...body, pixCopiaECola: resealed(code.replace('pix.bank.invalid', 'pix.evil.invalid')) };
    case 'wrongCodeAmount':
      return { ...body, pixCopiaECola: resealed(code.replace('5303986', '530398654040.01')) };
    case 'withoutCode':
      return without(body, 'pixCopiaECola');
    case 'withoutPix':
      return without(body, 'pix');
    case 'repeatedItems':
      return eachList(body, (items) => items.flatMap((item) => [item, item]));
    case 'withoutNewest':
      return eachList(body, (items) => items.slice(0, -1));
    default:
      return body;
  }
}

function without(body: object, field: string): object {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));
}

function eachList(body: object, change: (items: readonly unknown[]) => unknown[]): object {
  const fields = Object.entries(body);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, Array.isArray(value) ? change(value) : value]),
  );
}

/** Of charges, and of authorizations. */
const AMOUNT_FIELDS = ['original', 'valorRec'];

function otherAmount(valor: unknown): unknown {
  if (typeof valor === 'string' && AMOUNT.test(valor)) return reaisOf(centsOf(valor) + 1);
  if (typeof valor !== 'object' || valor === null) return valor;
  const fields = Object.entries(valor).map(([name, value]) => [
    name,
    AMOUNT_FIELDS.includes(name) ? otherAmount(value) : value,
  ]);
  return Object.fromEntries(fields);
}

function resealed(code: string): string {
  const body = code.slice(0, -4);
  return body + checkSum(body);
}

/** Acts unless the asker goes first. */
function later(response: ServerResponse, milliseconds: number, act: () => void): void {
  const timer = setTimeout(act, milliseconds);
  response.once('close', () => clearTimeout(timer));
}

function sendBytes(
  response: ServerResponse,
  status: number,
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...headers,
    'content-length': bytes.length,
  });
  response.end(bytes);
}
