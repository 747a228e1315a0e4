import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { batchWrites } from '../../src/platform/postgres/batched-writes.ts';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { DatabaseUnavailable } from '../../src/platform/postgres/database-errors.ts';
import { startWork } from '../../src/platform/work/due-work.ts';
import { askLooks } from '../../src/platform/work/looks.sql.ts';
import { createWakeSignal } from '../../src/platform/work/wake-signal.ts';
import { instant } from '../../src/values/instant.ts';
import { type Delivering, deliverDue } from '../../src/webhooks/deliveries/deliver-due.ts';
import { accountEndpoint, type DeliveryToSend } from '../../src/webhooks/deliveries/delivery.ts';
import type { Posted } from '../../src/webhooks/deliveries/delivery-outcome.ts';
import { parseDeliveryToSend, SENDING, SENDING_JOINS } from '../../src/webhooks/deliveries/to-send.sql.ts';
import { triesWrite } from '../../src/webhooks/deliveries/tries.sql.ts';
import type { PostRequest } from '../../src/webhooks/posting/posting-result.ts';
import { createTestDatabase } from '../kit/database.ts';
import { type Auditor, openAuditor, until } from '../kit/service.ts';

const MERCHANT = 'loja';

export type Received = {
  readonly id: string;
  readonly body: string;
  readonly headers: Record<string, unknown>;
};

/** A merchant's system on loopback, which answers as it is set. */
export type MerchantSystem = {
  readonly url: string;
  readonly received: Received[];
  /** Most requests that it had at the same time. */
  mostAtOnce(): number;
  /** A status, with headers where wanted; or no answer until it is set to answer something else. */
  answer(what: Answer | ((body: string) => Answer)): void;
  close(): Promise<void>;
};

export type Answer =
  | number
  | { readonly status: number; readonly headers: Record<string, string> }
  | 'nothing';

export async function openMerchantSystem(first: Answer = 200): Promise<MerchantSystem> {
  const received: Received[] = [];
  const silent = new Set<() => void>();
  let answerTo: (body: string) => Answer = () => first;
  let now = 0;
  let most = 0;
  const server: Server = createServer(async (incoming, outgoing) => {
    now += 1;
    most = Math.max(most, now);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    received.push({ id: String(incoming.headers['webhook-id']), body, headers: incoming.headers });
    const reply = () => {
      const what = answerTo(body);
      if (what === 'nothing') return void silent.add(reply);
      silent.delete(reply);
      now -= 1;
      const { status, headers } = typeof what === 'number' ? { status: what, headers: {} } : what;
      outgoing.writeHead(status, headers).end();
    };
    outgoing.on('close', () => {
      if (silent.delete(reply)) now -= 1;
    });
    reply();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`,
    received,
    mostAtOnce: () => most,
    answer(what) {
      answerTo = typeof what === 'function' ? what : () => what;
      for (const reply of [...silent]) reply();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A sending of this process over the database of a test: two of them are two processes to each other. */
export type Engine = Delivering & {
  readonly news: { readonly change: string; readonly endpoint: string }[];
  readonly outcomes: string[];
  stop(): Promise<void>;
};

export type EngineOptions = {
  readonly tryMilliseconds?: number;
  /** Runs nothing by itself. */
  readonly isIdle?: boolean;
  /** Called with every request before it is sent. */
  readonly beforePost?: (request: PostRequest) => Promise<void>;
  /** The connection breaks once, just when a try was recorded. */
  readonly losesRecord?: boolean;
};

export type DeliverySetup = {
  readonly auditor: Auditor;
  startEngine(options?: EngineOptions): Engine;
  /** Registers a target of the merchant, new or again. */
  register(account: string, url: string): Promise<string>;
  /** Writes deliveries as a commit would; gives their numbers. */
  write(rows: readonly NewDelivery[]): Promise<number[]>;
  /** The same under a lease, as whoever sends them at once has them. */
  writeForNow(
    rows: readonly NewDelivery[],
    leaseMilliseconds?: number,
    merchantId?: string,
  ): Promise<DeliveryToSend[]>;
  delivery(deliveryNumber: number): Promise<DeliveryRow>;
  endpoint(endpoint: string): Promise<EndpointRow>;
  countIn(state: string, endpoint: string): Promise<number>;
  /** Moves the business time of the merchant forward. */
  pass(milliseconds: number): Promise<void>;
  untilTries(deliveryNumber: number, tries: number): Promise<DeliveryRow>;
  close(): Promise<void>;
};

export type NewDelivery = {
  readonly account?: string;
  readonly transactionId?: string | null;
  readonly installmentNumber?: number;
  readonly body?: string;
  readonly kind?: 'movement' | 'test';
};

export type DeliveryRow = {
  readonly state: string;
  readonly tries: number;
  readonly fence: number;
  /** Until the next try, in the merchant's time; null: there is none. */
  readonly millisecondsLeft: number | null;
};

export type EndpointRow = {
  readonly state: string;
  readonly openings: number;
  readonly isOpen: boolean;
  readonly isFailing: boolean;
  readonly openMillisecondsLeft: number | null;
};

const BUSINESS_NOW = `(now() + (select coalesce(sum(shift_milliseconds), 0) from merchant_clocks where merchant_id = $1)
  * interval '1 millisecond')`;

export async function openDeliverySetup(): Promise<DeliverySetup> {
  const test = await createTestDatabase({ migrated: true });
  const auditor = openAuditor(test.address);
  await auditor.query(
    `insert into merchants (merchant_id, cnpj, legal_name, contact_name, contact_email, contact_phone, production_addresses)
     values ($1, '11222333000181', 'Loja', 'Ana', 'ana@loja.example', '11999999999', '{}')`,
    [MERCHANT],
  );
  await auditor.query('insert into merchant_clocks (merchant_id) values ($1)', [MERCHANT]);
  const engines: Engine[] = [];
  let shift = 0;

  const service: DeliverySetup = {
    auditor,
    startEngine(options = {}) {
      const engine = openEngine(test.runtime, () => shift, options);
      engines.push(engine);
      return engine;
    },
    async register(account, url) {
      await auditor.query(
        `insert into webhook_endpoints (merchant_id, endpoint, url, created_by) values ($1, $2, $3, 'test')
         on conflict (merchant_id, endpoint) do update set url = $3, state = 'active', opened_until = null,
           failing_since = null, openings = 0, returned_at = ${BUSINESS_NOW}, registration = webhook_endpoints.registration + 1`,
        [MERCHANT, accountEndpoint(account), url],
      );
      return accountEndpoint(account);
    },
    write: (rows) => insert(auditor, rows, 0),
    async writeForNow(rows, leaseMilliseconds = 30_000, merchantId = MERCHANT) {
      const numbers = await insert(auditor, rows, leaseMilliseconds, merchantId);
      const found = await auditor.query(
        `select ${SENDING.columns} from deliveries d ${SENDING_JOINS}
         where d.merchant_id = $1 and d.delivery_number = any($2::bigint[]) order by d.delivery_number`,
        [merchantId, numbers],
      );
      return found.map((row) => ({
        ...parseDeliveryToSend({
          ...row,
          delivery_number: Number(row.delivery_number),
          created_at: (row.created_at as Date).getTime(),
        }),
      }));
    },
    ...queriesOf(auditor),
    async pass(milliseconds) {
      await auditor.query(
        'update merchant_clocks set shift_milliseconds = shift_milliseconds + $2 where merchant_id = $1',
        [MERCHANT, milliseconds],
      );
      shift += milliseconds;
    },
    untilTries: (deliveryNumber, tries) =>
      until(`delivery ${deliveryNumber} was tried ${tries} times`, async () => {
        const row = await service.delivery(deliveryNumber);
        return row.tries >= tries && row;
      }),
    async close() {
      await Promise.all(engines.map((engine) => engine.stop()));
      await auditor.close();
      await test.drop();
    },
  };
  return service;
}

async function insert(
  auditor: Auditor,
  rows: readonly NewDelivery[],
  leaseMilliseconds: number,
  merchantId = MERCHANT,
): Promise<number[]> {
  const inserted = await auditor.query(
    `insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, transaction_id, installment_number,
       body, due_at, scheduled_at, lease_expires_at)
     select $1, nextval('movement_ids'), kind, 'account:' || account, account, transaction_id, installment, body,
       ${BUSINESS_NOW}, ${BUSINESS_NOW}, case when $7 > 0 then now() + $7 * interval '1 millisecond' end
     from unnest($2::text[], $3::text[], $4::uuid[], $5::integer[], $6::text[])
       with ordinality as i (kind, account, transaction_id, installment, body, position)
     order by position
     returning delivery_number`,
    [
      merchantId,
      rows.map((row) => row.kind ?? 'movement'),
      rows.map((row) => row.account ?? '1'),
      rows.map((row) => row.transactionId ?? null),
      rows.map((row) => row.installmentNumber ?? 1),
      rows.map((row, index) => row.body ?? `{"movementId":${index}}`),
      leaseMilliseconds,
    ],
  );
  return inserted.map((row) => Number(row.delivery_number));
}

function queriesOf(auditor: Auditor): Pick<DeliverySetup, 'delivery' | 'endpoint' | 'countIn'> {
  return {
    async delivery(deliveryNumber) {
      const [row] = await auditor.query(
        `select state, tries, fence, (extract(epoch from due_at - ${BUSINESS_NOW}) * 1000)::float8 as left from deliveries
         where merchant_id = $1 and delivery_number = $2`,
        [MERCHANT, deliveryNumber],
      );
      const { state, tries, fence, left } = row as Record<string, unknown>;
      return { state, tries, fence, millisecondsLeft: left } as DeliveryRow;
    },
    async endpoint(endpoint) {
      const [row] = await auditor.query(
        `select state, openings, opened_until is not null as is_open, failing_since is not null as is_failing,
           (extract(epoch from opened_until - ${BUSINESS_NOW}) * 1000)::float8 as left
         from webhook_endpoints where merchant_id = $1 and endpoint = $2`,
        [MERCHANT, endpoint],
      );
      const { state, openings, is_open, is_failing, left } = row as Record<string, unknown>;
      return {
        state,
        openings,
        isOpen: is_open,
        isFailing: is_failing,
        openMillisecondsLeft: left,
      } as EndpointRow;
    },
    async countIn(state, endpoint) {
      const [row] = await auditor.query(
        'select count(*)::integer as count from deliveries where merchant_id = $1 and endpoint = $2 and state = $3',
        [MERCHANT, endpoint, state],
      );
      return row?.count as number;
    },
  };
}

function losingOneRecord(database: Database): Database {
  let isLost = false;
  return {
    ...database,
    async query(statement, values) {
      const rows = await database.query(statement, values);
      if (isLost || statement.name !== 'deliveries.record_tries') return rows;
      isLost = true;
      throw new DatabaseUnavailable('the connection broke behind the commit');
    },
  };
}

function openEngine(
  address: Parameters<typeof openDatabase>[0],
  shiftMilliseconds: () => number,
  {
    tryMilliseconds = 15_000,
    isIdle = false,
    beforePost = async () => {},
    losesRecord = false,
  }: EngineOptions,
): Engine {
  const opened = openDatabase(address, () => {});
  const database = losesRecord ? losingOneRecord(opened) : opened;
  const news: { change: string; endpoint: string }[] = [];
  const outcomes: string[] = [];
  const delivering = deliverDue({
    database,
    clock: { now: () => instant(Date.now() + shiftMilliseconds()), unmoved: () => instant(Date.now()) },
    wakeSignal: createWakeSignal(),
    chance: () => 0,
    tryMilliseconds: () => tryMilliseconds,
    writeTry: batchWrites(triesWrite(database)),
    post: async (wanted) => {
      await beforePost(wanted);
      return plainPost(wanted);
    },
    sign: (_secrets, id, timestamp) => ({ 'webhook-id': id, 'webhook-timestamp': String(timestamp) }),
    openSecrets: async () => ({ basicAuth: null, secrets: [] }),
    userAgent: 'Parcela/test',
    observeTry: (outcome) => outcomes.push(outcome),
    observeEndpoint: (change, { endpoint }) => news.push({ change, endpoint }),
  });
  const errors: unknown[] = [];
  const works = isIdle ? [] : [delivering.work];
  const running = startWork(works, (_name, error) => errors.push(error), { ask: askLooks(database) });
  let stopping: Promise<void> | null = null;
  async function stop(): Promise<void> {
    await running.stop();
    if (isIdle) await delivering.work.finish?.();
    await database.close();
    if (errors.length > 0) throw errors[0];
  }
  return {
    ...delivering,
    news,
    outcomes,
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** Without the vetting of addresses: the careful POST has tests of its own. */
async function plainPost({ url, body, headers, totalMilliseconds }: PostRequest): Promise<Posted> {
  const startedAt = performance.now();
  try {
    const signal = AbortSignal.timeout(totalMilliseconds);
    const answer = await request(url, { method: 'POST', body, headers: { ...headers }, signal });
    await answer.body.dump();
    const asked = Number(answer.headers['retry-after'] ?? 0) * 1_000;
    return {
      kind: 'answered',
      status: answer.statusCode,
      answer: '',
      retryAfterMilliseconds: asked > 0 ? asked : null,
      milliseconds: performance.now() - startedAt,
    };
  } catch {
    return { kind: 'failed', failure: 'connect', milliseconds: performance.now() - startedAt };
  }
}
