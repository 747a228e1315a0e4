import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import {
  type Fields,
  faultOfCancellation,
  faultOfCharge,
  faultOfNames,
  faultOfVerification,
  isFields,
} from './malformed.ts';
import { type Acquirer, type Charge, type Names, standIn } from './stand-in.ts';

/**
 * A skeleton of a bridge (docs/acquirer-protocol.md): everything but the acquirer, which is a stand-in. It keeps
 * one table, in which each request is noted before the acquirer is asked, and each answer before it is given.
 */
const TABLE = `create table if not exists entries (
  kind text not null,
  merchant_id text not null,
  reference text not null,
  charge text,
  request text not null,
  state text not null,
  amount integer,
  asked_at integer not null,
  acquirer_id text,
  answer text,
  primary key (kind, merchant_id, reference)
) strict`;

type Kind = 'charge' | 'verification' | 'cancellation';
/** `asking`: the acquirer was asked, and its answer is not known. The others are booked. */
type State = 'asking' | 'approved' | 'declined' | 'undone' | 'pending' | 'canceled' | 'refused';
type Entry = {
  readonly kind: Kind;
  readonly merchant_id: string;
  readonly reference: string;
  /** Of a cancellation: which charge it gives back. */
  readonly charge: string | null;
  /** A hash of what a repetition must have again. It is made of the card, so it has a key. */
  readonly request: string;
  readonly state: State;
  readonly amount: number | null;
  readonly asked_at: number;
  readonly acquirer_id: string | null;
  /** As it was first given, JSON. */
  readonly answer: string | null;
};
type Reply = { readonly status: number; readonly body: object };

const LARGEST_BODY = 64 * 1_024;
const reply = (status: number, body: object): Reply => ({ status, body });
const error = (status: number, name: string): Reply => reply(status, { error: name });
const malformed = (field: string): Reply => reply(400, { error: 'malformed', field });
const UNKNOWN = error(503, 'unknown');

const ABOUT = {
  name: 'skeleton',
  // False once it moves real money.
  simulator: true,
  protocol: 1,
  capabilities: { captureLater: false, listCharges: false, customer: false, threeDSecure: false },
};

export type BridgeOptions = {
  readonly file: string;
  readonly acquirer: Acquirer;
  /** Of the hashes of requests; it must outlive the process. */
  readonly key: string;
  /** Milliseconds after which the acquirer surely books nothing more that was sent before. */
  readonly horizon: number;
  readonly port: number;
  /** `normal` outlives a kill of the process, and not of the machine: for tests alone. */
  readonly sync: 'full' | 'normal';
};

export class Bridge {
  readonly #options: BridgeOptions;
  readonly #database: DatabaseSync;
  /** One request of a charge after the other, so that an undo never overtakes its authorization. */
  readonly #lines = new Map<string, Promise<unknown>>();

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#database = new DatabaseSync(options.file);
    this.#database.exec(`pragma journal_mode = wal; pragma synchronous = ${options.sync}`);
    this.#database.exec(TABLE);
  }

  close(): void {
    this.#database.close();
  }

  async answer(method: string, path: string, query: URLSearchParams, body: unknown): Promise<Reply> {
    const [, name, reference] = /^\/([a-z]+)(?:\/([^/]+))?$/.exec(path) ?? [];
    if (method === 'GET' && path === '/about') return reply(200, ABOUT);
    if (method === 'GET' && name === 'charges' && reference !== undefined) {
      const merchantId = query.get('merchantId') ?? '';
      return merchantId === ''
        ? malformed('merchantId')
        : this.#find(merchantId, decodeURIComponent(reference));
    }
    if (method !== 'POST' || reference !== undefined) return error(404, 'unknownPath');
    switch (name) {
      case 'authorizations':
        return this.#checked(body, faultOfCharge, (fields) => this.#charge('charge', fields));
      case 'verifications':
        return this.#checked(body, faultOfVerification, (fields) =>
          this.#charge('verification', { ...fields, amount: 0, installments: 1 }),
        );
      case 'undos':
        return this.#checked(body, faultOfNames, (fields) => this.#undo(fields));
      case 'cancellations':
        return this.#checked(body, faultOfCancellation, (fields) => this.#cancel(fields));
      default:
        return error(404, 'unknownPath');
    }
  }

  #checked(
    body: unknown,
    faultOf: (fields: Fields) => string | null,
    work: (fields: Fields) => Promise<Reply>,
  ): Promise<Reply> {
    if (!isFields(body)) return Promise.resolve(malformed(''));
    const fault = faultOf(body);
    if (fault !== null) return Promise.resolve(malformed(fault));
    return this.#inLine(`${body.merchantId} ${body.reference}`, () => work(body));
  }

  #inLine<T>(key: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#lines.get(key) ?? Promise.resolve()).then(work, work);
    const tail = done
      .catch(() => {})
      .then(() => {
        if (this.#lines.get(key) === tail) this.#lines.delete(key);
      });
    this.#lines.set(key, tail);
    return done;
  }

  async #charge(kind: 'charge' | 'verification', fields: Fields): Promise<Reply> {
    const { merchantId, reference, amount, installments, card } = fields as Charge;
    const request = this.#hash([
      amount,
      installments,
      card.number,
      card.expirationMonth,
      card.expirationYear,
    ]);
    const known = this.#entry(kind, merchantId, reference);
    if (known === null) {
      this.#note({ kind, merchantId, reference, charge: null, request, state: 'asking', amount });
      const answer = await this.#options.acquirer.authorize(
        acquirerReference({ kind, reference }),
        fields as Charge,
      );
      return this.#book(kind, merchantId, reference, amount, answer);
    }
    if (known.state === 'undone') return error(409, 'undone');
    if (known.request !== request) return error(409, 'referenceReused');
    const settled = await this.#settled(known);
    return settled.answer === null ? UNKNOWN : reply(200, JSON.parse(settled.answer));
  }

  /** Books what the acquirer answered. Null: no clear answer came, and nothing is booked. */
  #book(kind: Kind, merchantId: string, reference: string, amount: number, answer: Answered): Reply {
    if (answer === null) return UNKNOWN;
    const { outcome, id, ...told } = answer;
    const body = { reference, outcome, amount, ...told };
    this.#change({ kind, merchantId, reference, state: outcome, acquirerId: id, answer: body });
    return reply(200, body);
  }

  /** An entry whose answer was lost is looked up. Not found proves nothing before the horizon is over. */
  async #settled(entry: Entry): Promise<Entry> {
    if (entry.state !== 'asking' || entry.kind === 'cancellation') return entry;
    const { kind, merchant_id: merchantId, reference, amount } = entry;
    const found = await this.#options.acquirer.find(merchantId, acquirerReference(entry));
    if (found !== 'notFound') this.#book(kind, merchantId, reference, amount ?? 0, found);
    return this.#entry(kind, merchantId, reference) as Entry;
  }

  async #undo(fields: Fields): Promise<Reply> {
    const { merchantId, reference } = fields as Names;
    const known = this.#entry('charge', merchantId, reference);
    if (known === null) {
      this.#note({
        kind: 'charge',
        merchantId,
        reference,
        charge: null,
        request: '',
        state: 'undone',
        amount: null,
      });
      return reply(200, { reference, status: 'undone' });
    }
    if (known.state === 'undone' || known.state === 'declined')
      return reply(200, { reference, status: known.state });
    if (this.#cancellationsOf(merchantId, reference).length > 0) return error(409, 'canceled');
    const settled = await this.#settled(known);
    if (settled.state === 'declined') return reply(200, { reference, status: 'declined' });
    if (settled.state === 'asking' && Date.now() - settled.asked_at < this.#options.horizon) return UNKNOWN;
    if (settled.state === 'approved' && !(await this.#options.acquirer.void(String(settled.acquirer_id))))
      return UNKNOWN;
    this.#change({
      kind: 'charge',
      merchantId,
      reference,
      state: 'undone',
      acquirerId: settled.acquirer_id,
      answer: null,
    });
    return reply(200, { reference, status: 'undone' });
  }

  async #cancel(fields: Fields): Promise<Reply> {
    const {
      merchantId,
      reference: charge,
      cancellationReference: reference,
      amount,
    } = fields as Cancellation;
    const request = this.#hash([charge, amount]);
    const known = this.#entry('cancellation', merchantId, reference);
    if (known !== null && known.request !== request) return error(409, 'referenceReused');
    if (known !== null && (known.state === 'canceled' || known.state === 'refused'))
      return reply(200, JSON.parse(String(known.answer)));
    const of = this.#entry('charge', merchantId, charge);
    const settled = of === null ? null : await this.#settled(of);
    if (known === null) {
      if (settled?.state === 'asking') return UNKNOWN;
      const reason = this.#whyNot(settled, amount);
      const refused = { cancellationReference: reference, outcome: 'refused', reason };
      const state = reason === null ? 'asking' : 'refused';
      this.#note({ kind: 'cancellation', merchantId, reference, charge, request, state, amount });
      if (reason !== null) {
        this.#change({
          kind: 'cancellation',
          merchantId,
          reference,
          state,
          acquirerId: null,
          answer: refused,
        });
        return reply(200, refused);
      }
    }
    const key = acquirerReference({ kind: 'cancellation', reference });
    const outcome = await this.#options.acquirer.refund(String(settled?.acquirer_id), key, amount);
    if (outcome === null) return UNKNOWN;
    const before = this.#givenBack(merchantId, charge);
    const body =
      outcome === 'failed'
        ? { cancellationReference: reference, outcome: 'refused', reason: 'failed' }
        : {
            cancellationReference: reference,
            outcome,
            amount,
            canceledAmount: before + (outcome === 'canceled' ? amount : 0),
          };
    const state = outcome === 'failed' ? 'refused' : outcome;
    this.#change({ kind: 'cancellation', merchantId, reference, state, acquirerId: null, answer: body });
    return reply(200, body);
  }

  #whyNot(charge: Entry | null, amount: number): 'unknownCharge' | 'notApproved' | 'exceedsRemaining' | null {
    if (charge === null) return 'unknownCharge';
    if (charge.state !== 'approved') return 'notApproved';
    const held = this.#cancellationsOf(charge.merchant_id, charge.reference);
    const left = held.reduce((rest, one) => rest - Number(one.amount), Number(charge.amount));
    return amount > left ? 'exceedsRemaining' : null;
  }

  async #find(merchantId: string, reference: string): Promise<Reply> {
    const known = this.#entry('charge', merchantId, reference);
    if (known === null) return error(404, 'notFound');
    const { state, answer } = await this.#settled(known);
    if (state === 'asking') return UNKNOWN;
    const booked = answer === null ? {} : (JSON.parse(answer) as Fields);
    const canceledAmount = this.#givenBack(merchantId, reference);
    const isGone = state === 'approved' && canceledAmount === booked.amount;
    const names = { networkTransactionId: null, transactionLinkId: null, tid: null };
    const nothing = { authorizationCode: null, nsu: null, ...names };
    return reply(200, {
      ...{ amount: null, ...nothing, responseCode: null, adviceCode: null, authorizedAt: null },
      ...booked,
      ...{ reference, canceledAmount, status: isGone ? 'canceled' : state, outcome: undefined },
    });
  }

  #entry(kind: Kind, merchantId: string, reference: string): Entry | null {
    const wanted = 'select * from entries where kind = ? and merchant_id = ? and reference = ?';
    return (this.#database.prepare(wanted).get(kind, merchantId, reference) as Entry | undefined) ?? null;
  }

  /** Those that were done, or may be: their amount is no longer left. */
  #cancellationsOf(merchantId: string, charge: string): Entry[] {
    const wanted = `select * from entries where kind = 'cancellation' and merchant_id = ? and charge = ? and state <> 'refused'`;
    return this.#database.prepare(wanted).all(merchantId, charge) as Entry[];
  }

  #givenBack(merchantId: string, charge: string): number {
    const done = this.#cancellationsOf(merchantId, charge).filter(({ state }) => state === 'canceled');
    return done.reduce((sum, { amount }) => sum + Number(amount), 0);
  }

  #note(entry: Noted): void {
    const { kind, merchantId, reference, charge, request, state, amount } = entry;
    this.#database
      .prepare('insert into entries values (?, ?, ?, ?, ?, ?, ?, ?, null, null)')
      .run(kind, merchantId, reference, charge, request, state, amount, Date.now());
  }

  #change({ kind, merchantId, reference, state, acquirerId, answer }: Changed): void {
    this.#database
      .prepare(
        'update entries set state = ?, acquirer_id = ?, answer = ? where kind = ? and merchant_id = ? and reference = ?',
      )
      .run(state, acquirerId, answer === null ? null : JSON.stringify(answer), kind, merchantId, reference);
  }

  #hash(parts: readonly unknown[]): string {
    return createHmac('sha256', this.#options.key).update(JSON.stringify(parts)).digest('hex');
  }
}

type Cancellation = Names & { readonly cancellationReference: string; readonly amount: number };
type Noted = Names & Pick<Entry, 'kind' | 'charge' | 'request' | 'state' | 'amount'>;
type Changed = Names &
  Pick<Entry, 'kind' | 'state'> & { readonly acquirerId: string | null; readonly answer: object | null };
type Answered = Awaited<ReturnType<Acquirer['authorize']>>;

/** The last 16 characters of ours: every acquirer takes as many, and its files name the sale by them. */
function acquirerReference({ kind, reference }: Pick<Entry, 'kind' | 'reference'>): string {
  const digits = reference.replaceAll('-', '').slice(-16);
  return kind === 'verification' ? `V${digits.slice(-15)}` : digits;
}

/** Undefined: it is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length <= LARGEST_BODY) parts.push(part);
  }
  return length > LARGEST_BODY ? undefined : Buffer.concat(parts).toString('utf8');
}

async function answerRequest(bridge: Bridge, request: IncomingMessage): Promise<Reply> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bridge');
  const text = await readBody(request);
  if (text === undefined) return error(413, 'tooLarge');
  let body: unknown;
  try {
    body = text === '' ? undefined : JSON.parse(text);
  } catch {
    return malformed('');
  }
  return bridge.answer(request.method ?? 'GET', pathname, searchParams, body);
}

function send(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export async function openBridge(
  options: BridgeOptions,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const bridge = new Bridge(options);
  const server = createServer((request, response) => {
    // Nothing of a request is logged: it has a card number.
    answerRequest(bridge, request).then(
      (answer) => send(response, answer),
      () => send(response, UNKNOWN),
    );
  });
  await new Promise<void>((resolve) => server.listen(options.port, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      // The listener first: who cannot connect knows that nothing was asked.
      await new Promise((resolve) => server.close(resolve));
      bridge.close();
    },
  };
}

if (import.meta.main) {
  const { BRIDGE_FILE = 'bridge.sqlite', BRIDGE_KEY = '', BRIDGE_PORT = '8081' } = process.env;
  if (BRIDGE_KEY === '') throw new Error('BRIDGE_KEY must be a secret of your own');
  const own = { file: BRIDGE_FILE, key: BRIDGE_KEY, port: Number(BRIDGE_PORT), sync: 'full' } as const;
  const bridge = await openBridge({ ...own, acquirer: standIn(), horizon: 60_000 });
  process.stdout.write(`the bridge listens on port ${bridge.port}\n`);
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void bridge.close());
}
