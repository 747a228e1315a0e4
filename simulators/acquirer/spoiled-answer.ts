import type { ServerResponse } from 'node:http';
import { sendFile } from '../kit/files/sent-file.ts';
import type { Answer } from './answers.ts';
import type { Fault } from './script-step.ts';

/** How long a silent answer holds its connection. */
const SILENCE_MILLISECONDS = 60_000;
const GARBAGE = Buffer.from([0x00, 0xff, 0xfe, 0x7b, 0x22, 0x6f, 0x75, 0x74, 0x63, 0x6f, 0x6d, 0x1b, 0x0a]);
const ANOTHER_REFERENCE = '00000000-0000-7000-8000-000000000000';

export function sendAnswer(response: ServerResponse, { status, body, file }: Answer): void {
  if (file === undefined) sendBytes(response, status, JSON.stringify(body));
  else sendFile(response, file);
}

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
      sendBytes(response, 200, GARBAGE);
      return;
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'wrongAmount': {
      const { amount } = answer.body as { amount?: number };
      sendAnswer(response, { ...answer, body: { ...answer.body, amount: (amount ?? 0) + 1 } });
      return;
    }
    case 'wrongReference':
      sendAnswer(response, { ...answer, body: { ...answer.body, reference: ANOTHER_REFERENCE } });
      return;
    case 'duplicate':
      sendAnswer(response, answer);
      socket.write(rawAnswer(answer));
      return;
  }
}

/** Acts unless the asker goes first. */
function later(response: ServerResponse, milliseconds: number, act: () => void): void {
  const timer = setTimeout(act, milliseconds);
  response.once('close', () => clearTimeout(timer));
}

function sendBytes(response: ServerResponse, status: number, body: string | Buffer): void {
  response.writeHead(status, [
    'content-type',
    'application/json',
    'content-length',
    String(Buffer.byteLength(body)),
  ]);
  response.end(body);
}

/** The whole answer as it travels, for a second one behind the first on the same connection. */
function rawAnswer({ status, body }: Answer): string {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  return `HTTP/1.1 ${status} OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`;
}
