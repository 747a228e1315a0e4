import type { ServerResponse } from 'node:http';
import { dayAfter } from '../kit/days.ts';
import type { Answer } from './answers.ts';
import { barCodeOf, withWrongCheckDigit } from './bar-code.ts';
import type { Boleto } from './boletos.ts';
import type { Fault } from './script-step.ts';

/** How long a silent answer holds its connection. */
const SILENCE_MILLISECONDS = 60_000;
const GARBAGE = Buffer.from([0x00, 0xff, 0xfe, 0x7b, 0x22, 0x62, 0x61, 0x72, 0x43, 0x6f, 0x64, 0x1b, 0x0a]);

/** The answer as it is when the bank errs in this way. */
export function falseAnswer(answer: Answer, boleto: Boleto, fault: Fault | null): Answer {
  const { ourNumber, amount, dueOn } = boleto;
  const nextNumber = String((Number(ourNumber) + 1) % 1e11).padStart(11, '0');
  const barCode = barCodeOf(boleto);
  switch (fault) {
    case 'wrongCheckDigit':
      return changed(answer, { barCode: withWrongCheckDigit(barCode) });
    case 'wrongAmount':
      return changed(answer, { barCode: barCodeOf({ ...boleto, amount: amount + 1 }) });
    case 'wrongDueDay':
      return changed(answer, { barCode: barCodeOf({ ...boleto, dueOn: dayAfter(dueOn, 1) }) });
    case 'wrongBank':
      return changed(answer, { barCode: barCodeOf(boleto, '341') });
    case 'wrongNumber':
      return changed(answer, { ourNumber: nextNumber });
    default:
      return answer;
  }
}

function changed(answer: Answer, fields: object): Answer {
  return { ...answer, body: { ...answer.body, ...fields } };
}

export function sendAnswer(response: ServerResponse, { status, body, text }: Answer): void {
  if (text === undefined) sendBytes(response, status, JSON.stringify(body));
  else sendBytes(response, status, text, 'text/plain; charset=us-ascii');
}

/** Sends the answer in the way of the fault; one that is only false has been spoiled already. */
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
    case 'notFound':
      later(response, SILENCE_MILLISECONDS, () => socket.destroy());
      return;
    case 'late':
      later(response, lateMilliseconds, () => sendAnswer(response, answer));
      return;
    case 'garbage':
      sendBytes(response, 200, GARBAGE);
      return;
    case 'reset':
      socket.resetAndDestroy();
      return;
    default:
      sendAnswer(response, answer);
  }
}

/** Acts unless the asker goes first. */
function later(response: ServerResponse, milliseconds: number, act: () => void): void {
  const timer = setTimeout(act, milliseconds);
  response.once('close', () => clearTimeout(timer));
}

function sendBytes(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  type = 'application/json',
): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
