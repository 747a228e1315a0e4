import fs from 'node:fs';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { promisify } from 'node:util';
import pg from 'pg';

/**
 * Preloaded into a service (`NODE_OPTIONS=--import`): counts what the process does to the world,
 * and at step N does to
 * it what the order says. A step stands before and after each SQL statement, socket write, socket
 * read, timer and file
 * write, so that "killed between any two things" is a number.
 *
 * `FAULTS_CONTROL` names two files: `<it>.order`, read at the start and at each SIGUSR2, and
 * `<it>.log`, to which a line
 * is appended, synchronously, before anything happens.
 */
type Order = { readonly action: 'kill' | 'pause' | 'cut' | 'none'; readonly step: number };

const control = process.env.FAULTS_CONTROL as string;
// What is counted must not be used for counting.
const { appendFileSync, readFileSync } = fs;

let order: Order | null = null;
let count = 0;
/** The last step at which something was done: a stopped process counts on when it wakes. */
let isDone = false;

const acquirerPort = new URL(process.env.PARCELA_ACQUIRER_URL ?? 'http://127.0.0.1').port;
/** `rede=4711,cielo=4712` */
const acquirers = new Map(
  (process.env.FAULTS_ACQUIRERS ?? '').split(',').map((pair) => {
    const [name = '', port = ''] = pair.split('=');
    return [port, name];
  }),
);
const bankPort = new URL(process.env.PARCELA_BANK_URL ?? 'http://127.0.0.1').port;
const pixPort = new URL(process.env.PARCELA_PIX_URL ?? 'http://127.0.0.1').port;
const databaseSockets = new Set<net.Socket>();

function report(event: string, what: string): void {
  appendFileSync(`${control}.log`, `${JSON.stringify({ event, step: count, what })}\n`);
}

function takeOrder(): void {
  let text: string;
  try {
    text = readFileSync(`${control}.order`, 'utf8');
  } catch {
    return;
  }
  const wanted = JSON.parse(text) as Order;
  if (wanted.action === 'none') {
    order = null;
    report('disarmed', '');
    return;
  }
  count = 0;
  isDone = false;
  report('armed', wanted.action);
  order = wanted;
}

function step(what: string, socket: net.Socket | null = null): void {
  if (order === null) return;
  count += 1;
  if (isDone || count !== order.step) return;
  isDone = true;
  report('hit', what);
  if (order.action === 'kill') process.kill(process.pid, 'SIGKILL');
  if (order.action === 'pause') process.kill(process.pid, 'SIGSTOP');
  if (order.action === 'cut') {
    const isOfDatabase = socket !== null && databaseSockets.has(socket);
    for (const cut of isOfDatabase ? [socket] : databaseSockets) cut.destroy();
  }
}

function nameOf(socket: net.Socket): string {
  if (databaseSockets.has(socket)) return 'database';
  if ('server' in socket && socket.server) return 'caller';
  if (typeof (socket as { fd?: unknown }).fd === 'number') return 'output';
  const port = String(socket.remotePort);
  if (port === acquirerPort) return 'acquirer';
  return acquirers.get(port) ?? (port === bankPort || port === pixPort ? 'bank' : 'merchant');
}

// biome-ignore lint/suspicious/noExplicitAny: it takes values of every shape.
type Wrapped = any;

function wrap(owner: object, name: string, around: (original: Wrapped) => Wrapped): void {
  const held = owner as Record<string, Wrapped>;
  const original = held[name];
  if (typeof original !== 'function') throw new Error(`there is no ${name} to count`);
  held[name] = around(original);
}

function countSockets(): void {
  const Connection = (pg as Wrapped).Connection;
  wrap(
    Connection.prototype,
    'connect',
    (original) =>
      function (this: { stream: net.Socket }, ...given: unknown[]) {
        const { stream } = this;
        databaseSockets.add(stream);
        stream.once('close', () => databaseSockets.delete(stream));
        step('database connect', stream);
        return original.apply(this, given);
      },
  );
  wrap(
    net.Socket.prototype,
    '_writeGeneric',
    (original) =>
      function (this: net.Socket, ...given: unknown[]) {
        const name = nameOf(this);
        step(`${name} write`, this);
        const result = original.apply(this, given);
        step(`${name} written`, this);
        return result;
      },
  );
  wrap(
    net.Socket.prototype,
    'push',
    (original) =>
      function (this: net.Socket, ...given: unknown[]) {
        step(`${nameOf(this)} read`, this);
        return original.apply(this, given);
      },
  );
  // A server's sockets are read by the parser itself.
  wrap(
    http.Server.prototype,
    'emit',
    (original) =>
      function (this: http.Server, ...given: unknown[]) {
        if (given[0] === 'request') step('caller read');
        return original.apply(this, given);
      },
  );
}

function countStatements(): void {
  wrap(
    pg.Client.prototype,
    'query',
    (original) =>
      function (this: pg.Client, ...given: unknown[]) {
        const wanted = given[0] as { name?: string; text?: string } | string;
        const name = typeof wanted === 'string' ? wanted : (wanted.name ?? wanted.text ?? '');
        const socket = (this as Wrapped).connection.stream as net.Socket;
        step(`sql asked ${name}`, socket);
        const result = original.apply(this, given);
        // Before the caller gets it: the answer is there, and unseen.
        const answered = () => step(`sql answered ${name}`, socket);
        result?.then?.(answered, answered);
        return result;
      },
  );
}

function countTimers(): void {
  for (const name of ['setTimeout', 'setInterval', 'setImmediate']) {
    wrap(globalThis, name, (original) => {
      const counted = (call: (...given: unknown[]) => unknown, ...rest: unknown[]) =>
        original(
          (...given: unknown[]) => {
            step(`timer ${name}`);
            return call(...given);
          },
          ...rest,
        );
      return Object.assign(counted, { [promisify.custom]: original[promisify.custom] });
    });
  }
}

function countFiles(): void {
  for (const name of ['write', 'writeSync', 'writev', 'writeFile', 'writeFileSync', 'rename', 'renameSync']) {
    wrap(fs, name, (original) => counted(name, original));
  }
  for (const name of ['writeFile', 'rename', 'open']) {
    wrap(fs.promises, name, (original) => counted(name, original));
  }
  syncBuiltinESMExports();
}

function counted(name: string, original: Wrapped): Wrapped {
  return Object.assign(
    function (this: unknown, ...given: unknown[]) {
      step(`file ${name}`);
      return original.apply(this, given);
    },
    { [promisify.custom]: original[promisify.custom] },
  );
}

countSockets();
countStatements();
countTimers();
countFiles();
process.on('SIGUSR2', takeOrder);
takeOrder();
