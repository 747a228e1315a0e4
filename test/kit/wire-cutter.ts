import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { canWrite } from '../../src/platform/postgres/run-transaction.ts';
import type { TestDatabaseAddress } from './database.ts';

/** Stands between a client and PostgreSQL, and breaks their connection where a test wants it broken. */
export type CuttingProxy = {
  /** PostgreSQL as seen through the proxy. */
  readonly address: TestDatabaseAddress;
  /** How often a connection was cut, by either of the next two. */
  readonly cuts: number;
  /** The next message with this text never reaches PostgreSQL, and its connection breaks. */
  cutBefore(text: string): void;
  /**
   * The next message with this text is carried out; the answer never reaches the client, and the connection
   * breaks. `behind`: the next on a connection that has sent this other text since.
   */
  cutAfter(text: string, behind?: string): void;
  /** The next message with this text is carried out, and its connection stays open without a word. */
  silenceAfter(text: string): void;
  /**
   * As `cutAfter`, and from that moment on it is as after `goAway`: its outcome is unknown until
   * `comeBack`.
   */
  loseAfter(text: string, behind?: string): void;
  /**
   * The next message with this text is held on its way, and its connection is broken for the
   * client. The promise gives, once the message is
   * held, the function that hands it over after all; that one resolves with PostgreSQL's answer.
   */
  hold(text: string): Promise<() => Promise<Buffer>>;
  /** What is written from now on, as `loseAfter` takes it; the function gives what there was so far. */
  recordWrites(): () => readonly SentWrite[];
  /** Sends `rollback` in the place of the next `commit`. */
  turnCommitIntoRollback(): void;
  /** Breaks all connections and refuses new ones, until `comeBack`. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  /** Takes connections and passes nothing on, as PostgreSQL under SIGSTOP, until `thaw`. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
};

/** A statement that writes by itself, or the `commit` behind one. */
export type SentWrite = { readonly text: string; readonly behind?: string };

/** The end of an answer: ReadyForQuery, which PostgreSQL sends after the commit. */
const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5]);
const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);
const SIMPLE_QUERY = 'Q'.charCodeAt(0);
const COMMIT = simpleQuery('commit');
const ROLLBACK = simpleQuery('rollback');

type Fault = {
  readonly kind: 'before' | 'after' | 'lost' | 'held' | 'silence' | 'rollback';
  readonly onHeld?: (handOver: () => Promise<Buffer>) => void;
  readonly text: string | Buffer;
  readonly behind?: string | undefined;
};

export async function openCuttingProxy(target: TestDatabaseAddress): Promise<CuttingProxy> {
  const wires = new Wires(target);
  const listener = createServer((client) => wires.connect(client));
  const port = await listenOn(listener, 0);
  const goAway = async () => {
    if (!listener.listening) return;
    const closed = new Promise((resolve) => listener.close(resolve));
    wires.breakAll();
    await closed;
  };
  const strike = (fault: Fault) => {
    wires.fault = fault;
  };
  return {
    address: { ...target, host: '127.0.0.1', port },
    get cuts() {
      return wires.cuts;
    },
    cutBefore: (text) => strike({ kind: 'before', text }),
    cutAfter: (text, behind) => strike({ kind: 'after', text, behind }),
    loseAfter: (text, behind) => strike({ kind: 'lost', text, behind }),
    hold: (text) => new Promise((resolve) => strike({ kind: 'held', text, onHeld: resolve })),
    recordWrites: wires.recorder.begin,
    silenceAfter: (text) => strike({ kind: 'silence', text }),
    turnCommitIntoRollback: () => strike({ kind: 'rollback', text: COMMIT }),
    goAway,
    comeBack: async () => {
      wires.comeBack();
      if (!listener.listening) await listenOn(listener, port);
    },
    freeze: () => wires.freeze(true),
    thaw: () => wires.freeze(false),
    close: goAway,
  };
}

/** All connections, and the fault that strikes the next message that it fits. */
class Wires {
  readonly recorder = openRecorder();
  fault: Fault | null = null;
  cuts = 0;
  isAway = false;
  /** How often it came back: what was struck before must not take the database away again. */
  returns = 0;
  readonly #target: TestDatabaseAddress;
  readonly #sockets = new Set<Socket>();
  #isFrozen = false;

  constructor(target: TestDatabaseAddress) {
    this.#target = target;
  }

  breakAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  comeBack(): void {
    this.fault = null;
    this.isAway = false;
    this.returns += 1;
  }

  freeze(isFrozen: boolean): void {
    this.#isFrozen = isFrozen;
    for (const socket of this.#sockets) this.#flow(socket);
  }

  #flow(socket: Socket): void {
    if (this.#isFrozen) socket.pause();
    else socket.resume();
  }

  connect(client: Socket): void {
    if (this.isAway) return void client.destroy();
    const server = connectTo(this.#target);
    const wire = new Wire(this, client, server, () => this.#sockets.delete(server));
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => wire.breakBoth());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        wire.breakBoth();
      });
    }
    client.on('data', (bytes: Buffer) => wire.onSent(bytes));
    server.on('data', (bytes: Buffer) => wire.onAnswered(bytes));
    for (const socket of [client, server]) this.#flow(socket);
  }
}

/** A client's connection and the one to PostgreSQL behind it. */
class Wire {
  readonly #wires: Wires;
  readonly #client: Socket;
  readonly #server: Socket;
  /** What is held outlives the wire. */
  readonly #letGoOfServer: () => void;
  readonly #record: (bytes: Buffer) => void;
  #answers: 'passed on' | 'after' | 'lost' | 'silence' = 'passed on';
  #holding: Fault | null = null;
  #held: Buffer | null = null;
  #hasSent: Fault | null = null;
  #struckAfterReturns = 0;

  constructor(wires: Wires, client: Socket, server: Socket, letGoOfServer: () => void) {
    this.#wires = wires;
    this.#client = client;
    this.#server = server;
    this.#letGoOfServer = letGoOfServer;
    this.#record = wires.recorder.follow();
  }

  breakBoth(): void {
    this.#client.destroy();
    if (this.#held === null) this.#server.destroy();
  }

  onSent(bytes: Buffer): void {
    this.#record(bytes);
    const { fault } = this.#wires;
    if (this.#holding !== null) {
      this.#keepBack(bytes, this.#holding);
      return;
    }
    if (fault?.behind === undefined || bytes.includes(fault.behind)) this.#hasSent = fault;
    if (fault === null || fault !== this.#hasSent || !bytes.includes(fault.text)) this.#server.write(bytes);
    else this.#strike(fault, bytes);
  }

  onAnswered(bytes: Buffer): void {
    if (this.#answers === 'passed on') this.#client.write(bytes);
    else if (this.#answers !== 'silence' && bytes.includes(READY_FOR_QUERY))
      this.#answers === 'lost' ? this.#lose() : this.#cut();
  }

  #strike(fault: Fault, bytes: Buffer): void {
    const { kind } = fault;
    this.#wires.fault = null;
    if (kind === 'rollback') this.#server.write(replaced(bytes, COMMIT, ROLLBACK));
    else if (kind === 'before') this.#cut();
    else if (kind === 'held') {
      this.#holding = fault;
      this.#keepBack(bytes, fault);
    } else {
      this.#answers = kind;
      this.#struckAfterReturns = this.#wires.returns;
      this.#server.write(bytes);
    }
  }

  /** Until the end of what belongs together. */
  #keepBack(bytes: Buffer, { onHeld }: Fault): void {
    const message = Buffer.concat([this.#held ?? Buffer.alloc(0), bytes]);
    this.#held = message;
    if (!message.subarray(-5).equals(SYNC) && message[0] !== SIMPLE_QUERY) return;
    this.#letGoOfServer();
    this.#client.destroy();
    onHeld?.(() => handOver(this.#server, message));
  }

  #cut(): void {
    this.#wires.cuts += 1;
    this.breakBoth();
  }

  #lose(): void {
    // The answer comes so late that nobody waits for it.
    if (this.#struckAfterReturns < this.#wires.returns) return void this.#cut();
    this.#wires.cuts += 1;
    this.#wires.isAway = true;
    this.#wires.breakAll();
  }
}

/** Sends what was held, and gives all that PostgreSQL answers. */
async function handOver(server: Socket, message: Buffer): Promise<Buffer> {
  const answers: Buffer[] = [];
  const answered = new Promise<void>((resolve) => {
    server.on('data', (answer: Buffer) => {
      answers.push(answer);
      if (answer.includes(READY_FOR_QUERY)) resolve();
    });
    server.on('close', () => resolve());
  });
  server.write(message);
  await answered;
  server.destroy();
  return Buffer.concat(answers);
}

/** Reads what clients send: which prepared statements they run that write, and where they commit. */
function openRecorder() {
  /** Whether a prepared statement writes, by its name. */
  const writing = new Map<string, boolean>();
  let writes: SentWrite[] = [];
  function follow() {
    let rest = Buffer.alloc(0);
    let isStarted = false;
    let inTransaction = false;
    let lastWrite = '';
    const read = (kind: string, body: string) => {
      const [first = '', second = ''] = body.split('\0', 2);
      if (kind === 'P') writing.set(first, canWrite(second));
      if (kind === 'Q' && first === 'begin') inTransaction = true;
      if (kind === 'B' && writing.get(second) === true) {
        lastWrite = `${second}\0`;
        if (!inTransaction) writes.push({ text: lastWrite });
      }
      if (kind === 'Q' && /\bcommit$/.test(first)) {
        if (lastWrite !== '') writes.push({ text: 'commit\0', behind: lastWrite });
        inTransaction = false;
        lastWrite = '';
      }
    };
    return (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      for (;;) {
        // The first message of a connection has no letter.
        const head = isStarted ? 1 : 0;
        if (rest.length < head + 4 || rest.length < head + rest.readUInt32BE(head)) return;
        const end = head + rest.readUInt32BE(head);
        if (isStarted) read(String.fromCharCode(rest[0] as number), rest.toString('latin1', 5, end));
        isStarted = true;
        rest = rest.subarray(end);
      }
    };
  }
  return {
    follow,
    begin: () => {
      const own: SentWrite[] = [];
      writes = own;
      return () => own;
    },
  };
}

function connectTo({ host, port }: TestDatabaseAddress): Socket {
  return host.startsWith('/')
    ? createConnection({ path: join(host, `.s.PGSQL.${port}`) })
    : createConnection({ host, port });
}

function listenOn(listener: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(port, '127.0.0.1', () => {
      listener.off('error', reject);
      const address = listener.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** The message of PostgreSQL's protocol that runs a text by itself. */
function simpleQuery(text: string): Buffer {
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.alloc(5);
  head.write('Q');
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

function replaced(bytes: Buffer, old: Buffer, replacement: Buffer): Buffer {
  const at = bytes.indexOf(old);
  return Buffer.concat([bytes.subarray(0, at), replacement, bytes.subarray(at + old.length)]);
}
