import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, pay } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { foreignPlaces } from './foreign/foreign-places.ts';
import { type HostileService, openHostileService } from './hostile-service.ts';
import { hangUp, send } from './wire.ts';

/** What a merchant reads by its id takes no connection from others, however slowly the database reads it. */

let service: HostileService;

const CALLERS = 16;
/** Of the six places for such reads, while no other merchant wants one. */
const SHARE = 3;
/** All that is read by its id; what is read in no transaction of Alice's cannot be held here. */
const HELD_TABLES = [
  'transactions',
  'vault_cards',
  'card_fields',
  'plans',
  'subscriptions',
  'subscriber_pages',
  'billings',
  'deliveries',
  'boletos',
  'accounts',
];

before(async () => {
  service = await openHostileService();
  await preparePauses();
});
after(async () => {
  hangUp();
  await service.close();
});

/** From now on `hold` makes whatever reads a row of Alice's wait, until `letGo`. */
async function preparePauses(): Promise<void> {
  const { auditor, alice } = service;
  for (const text of [
    'create table let_go (at timestamptz)',
    'insert into let_go values (now())',
    `create function wait_until_let_go() returns boolean language plpgsql security definer as $$
     begin
       while not exists (select from let_go) loop perform pg_sleep(0.02); end loop;
       return true;
     end $$`,
    ...HELD_TABLES.flatMap((table) => [
      `create policy held on ${table}
       using (merchant_id <> '${alice.merchantId}' or wait_until_let_go()) with check (true)`,
      `alter table ${table} enable row level security`,
    ]),
  ])
    await auditor.query(text);
}

const hold = () => service.auditor.query('delete from let_go');
const letGo = () => service.auditor.query('insert into let_go values (now())');

/** Reads of callers that wait, without what background work writes, locks, or follows movements by. */
async function heldReads(): Promise<readonly string[]> {
  const rows = await service.auditor.query(
    `select query from pg_stat_activity
     where wait_event = 'PgSleep' and datname = current_database()
       and query ~* '^\\s*select' and query !~* 'receivable|installment_state|found_0|for update|for no key update'`,
  );
  return rows.map(({ query }) => query as string);
}

const places = foreignPlaces().filter(
  ({ endpoint, field }) =>
    endpoint.method === 'GET' && (field.place === 'path' || endpoint.id === 'getWebhook'),
);

for (const { endpoint, kind, request } of places) {
  test(`${endpoint.id}: a merchant that asks without end leaves connections to others and to payments`, async () => {
    const { alice, bob, gatewayUrl: url } = service;
    const asked = await request(alice, await kind.live(alice, endpoint));
    const bobs = await request(bob, await kind.live(bob, endpoint));
    let isOver = false;
    const askOn = async () => {
      const statuses: number[] = [];
      do statuses.push((await send(url, asked)).status);
      while (!isOver);
      return statuses;
    };
    await hold();
    const callers = Array.from({ length: CALLERS }, askOn);
    try {
      await until('its reads are held', async () => (await heldReads()).length > 0);
      for (let times = 0; times < 5; times += 1) {
        assert.equal((await send(url, bobs)).status, 200);
        assert.equal((await pay(url, bob.tokens.gateway, 1_000)).reply.status, 200);
        const held = await heldReads();
        assert.ok(held.length <= SHARE, `${held.length} connections are held: ${held.join('\n')}`);
      }
    } finally {
      isOver = true;
      await letGo();
    }
    const statuses = new Set((await Promise.all(callers)).flat());
    for (const status of statuses) assert.ok([200, 503].includes(status), [...statuses].join());
    assert.equal((await send(url, asked)).status, 200);
  });
}

/** A merchant may have half of the places to wait, beside those that are served. */
const WAITING = 200;
const SURPLUS = 50;

test('what finds no place to wait is refused at once, and logged once for its merchant', async () => {
  const { alice, gatewayUrl: url, log } = service;
  const place = places.find(({ endpoint }) => endpoint.id === 'getPayment');
  assert.ok(place);
  const { parameters } = await place.request(alice, await place.kind.live(alice, place.endpoint));
  let refused = 0;
  const ask = async () => {
    const reply = await call(url, `/v1/payments/${parameters.paymentId}`, { token: alice.tokens.gateway });
    if (reply.status !== 503) return assert.equal(reply.status, 200);
    refused += 1;
    assert.equal(reply.headers.get('retry-after'), '2');
  };
  await hold();
  const asked = Array.from({ length: SHARE + WAITING + SURPLUS }, ask);
  await until('what is more is refused', async () => refused >= SURPLUS);
  await letGo();
  await Promise.all(asked);
  type Line = { readonly msg: string; readonly reason?: string; readonly merchantId?: string };
  const linesOf = (wanted: (line: Line) => boolean) =>
    log.map((text) => JSON.parse(text) as Line).filter(wanted);
  await until('it is logged', async () => linesOf(({ reason }) => reason === FULL).length > 0);
  assert.deepEqual(
    linesOf(({ reason }) => reason === FULL).map(({ msg, merchantId }) => [msg, merchantId]),
    [['requests are refused for now', alice.merchantId]],
  );
  assert.deepEqual(
    linesOf(({ msg }) => msg === 'a request failed'),
    [],
  );
});

const FULL = 'look-ups of rows: the line is full';
