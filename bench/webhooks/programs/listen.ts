import { createServer, type Socket } from 'node:net';
import type { Arrivals, Asked } from '../listener.ts';

/**
 * The merchants' systems of a measurement, in a process of its own: a port for each target, answering 200
 * at once, or nothing while it hangs. It reads just enough of HTTP to tell where a request ends, so that it is no
 * bottleneck. Argument: how many ports.
 */

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
const END_OF_HEAD = '\r\n\r\n';

let arrivals: Arrivals = nothing();
let keepsIds = true;
/** By their place in the order of the ports. */
const hanging = new Set<number>();

function nothing(): Arrivals {
  return { count: 0, firstAt: 0, lastAt: 0, ids: [], times: [] };
}

function note(head: string): void {
  const now = Date.now();
  if (arrivals.count === 0) arrivals.firstAt = now;
  arrivals.count += 1;
  arrivals.lastAt = now;
  if (!keepsIds) return;
  arrivals.ids.push(/\r\nwebhook-id: ([^\r]*)/i.exec(head)?.[1] ?? '');
  arrivals.times.push(now);
}

/** One byte a character, so that a length is a length. */
function answerAll(target: number, socket: Socket): void {
  let unread = '';
  socket.setNoDelay(true);
  socket.setEncoding('latin1');
  socket.on('error', () => socket.destroy());
  socket.on('data', (text: string) => {
    unread += text;
    for (;;) {
      const end = unread.indexOf(END_OF_HEAD);
      if (end === -1) return;
      const head = unread.slice(0, end);
      const size = end + END_OF_HEAD.length + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (unread.length < size) return;
      unread = unread.slice(size);
      if (hanging.has(target)) continue;
      note(head);
      socket.write(ANSWER);
    }
  });
}

function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer(onSocket);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

process.on('message', (asked: Asked) => {
  process.send?.(asked.ask === 'take' ? arrivals : { ...arrivals, ids: [], times: [] });
  if (asked.ask === 'hang')
    for (const target of asked.targets) hanging[asked.hangs ? 'add' : 'delete'](target);
  if (asked.ask !== 'take') return;
  arrivals = nothing();
  keepsIds = asked.keepsIds;
});
process.on('disconnect', () => process.exit());

const ports = Array.from({ length: Number(process.argv[2]) }, (_, target) =>
  listen((socket) => answerAll(target, socket)),
);
process.send?.(await Promise.all(ports));
