import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Type } from 'typebox';
import type { Contract } from '../../../src/platform/http/endpoint.ts';
import { call, type Reply } from '../../kit/merchant.ts';
import { turnOf } from '../../kit/patience.ts';
import { until } from '../../kit/service.ts';
import { ENDPOINTS } from '../../published.ts';
import { type HostileService, openHostileService } from '../hostile-service.ts';
import { endpointOf } from '../recipes.ts';
import { hangUp, send } from '../wire.ts';
import { type ForeignPlace, foreignPlaces, kindComplaints, SHOWN_TO_ALL } from './foreign-places.ts';

let service: HostileService;
let ofHis: readonly Record<string, unknown>[] | undefined;

before(async () => {
  service = await openHostileService();
});
after(async () => {
  hangUp();
  await service.close();
});

/** All that an answer says, less what is new in every answer. */
function reported({ status, headers, text }: Reply): object {
  const kept = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return { status, headers: Object.fromEntries(kept), text };
}

/**
 * What Bob has: every row that is his, and what the acquirer has booked for him. How far its
 * changes were read moves by itself.
 */
async function bobsThings(): Promise<object> {
  const { bob, auditor } = service;
  await until(
    'Bob was told everything',
    async () =>
      (
        await auditor.query(
          `select 1 from deliveries d join webhook_endpoints e using (merchant_id, endpoint)
         where d.merchant_id = $1 and d.state = 'waiting' and e.state = 'active'`,
          [bob.merchantId],
        )
      ).length === 0,
    60_000,
  );
  await until(
    'what he sold was followed',
    async () =>
      (
        await auditor.query(
          `select 1 from movements v left join receivable_cursors c using (merchant_id)
           where v.merchant_id = $1 and v.movement_id > coalesce(c.after_number, 0)
           union all
           select 1 from cancels n left join receivable_cursors c using (merchant_id)
           where n.merchant_id = $1 and n.recorded_number > coalesce(c.after_number, 0)`,
          [bob.merchantId],
        )
      ).length === 0,
    60_000,
  );
  // Words of customers, and what his bank tells, are read behind his own sales, whatever is asked meanwhile.
  ofHis ??= await auditor.query(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'merchant_id'
       and table_name not in ('acquirer_cursors', 'bank_cursors', 'bank_changes', 'truth_runs', 'buyer_words', 'pix_receipts')
     order by 1`,
  );
  // One statement: two looks at each of ninety places would be thousands.
  const rowsOfAll = ofHis.map(
    ({ name }) =>
      `select '${name}' as name, string_agg(t::text, E'\\n' order by t::text) as rows from "${name}" t where merchant_id = $1`,
  );
  const things = await auditor.query(rowsOfAll.join(' union all '), [bob.merchantId]);
  const charges = await call(bob.url, '/homologation/acquirer/charges', { token: bob.tokens.gateway });
  return { ...Object.fromEntries(things.map(({ name, rows }) => [name, rows])), charges: charges.body };
}

/**
 * Spellings of an id that is nearly right. A server that mends one looks for something that was not
 * requested.
 */
const SPELLINGS: Readonly<Record<string, (encoded: string) => string>> = {
  'in capital letters': (id) => id.toUpperCase(),
  'without dashes': (id) => id.replaceAll('-', ''),
  'in braces': (id) => `%7B${id}%7D`,
  'with a blank behind it': (id) => `${id}%20`,
  'with a blank before it': (id) => `%20${id}`,
  'with a NUL behind it': (id) => `${id}%00`,
  'with a line break behind it': (id) => `${id}%0A`,
  'with a letter too few': (id) => id.slice(0, -1),
  'with a letter too many': (id) => `${id}0`,
  'with a slash behind it': (id) => `${id}%2F`,
  'as part of a statement': (id) => `${id}'%20or%20'1'='1`,
  'as a pattern': (id) => `${id.slice(0, -1)}%25`,
};

test('of every field that looks like an id it is said what it names', () => {
  assert.deepEqual(kindComplaints(), []);
  const parameters = Type.Object({ shelfId: Type.String() });
  const shelf = { ...endpointOf('getPayment'), id: 'getShelf', path: '/v1/shelves/{shelfId}', parameters };
  assert.match(kindComplaints([shelf as Contract]).join(), /lacks shelfId \(getShelf, shelfId\)/);
});

test('every path parameter is attacked', () => {
  const attacked = foreignPlaces().filter(({ field }) => field.place === 'path');
  const named = ENDPOINTS.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)]).map(
    ([, name = '']) => name,
  );
  assert.equal(attacked.length, named.filter((name) => !SHOWN_TO_ALL.includes(name)).length);
});

/** At each place a quarter of the spellings, at its neighbours the others; in the proof all. */
const TURNS = 4;

for (const [turn, place] of foreignPlaces().entries()) {
  const { kind, name } = place;
  test(`${name}: what Bob has is ${kind.is === 'names' ? 'unknown to' : 'free for'} Alice, and stays as it is`, async () => {
    const theirs = await kind.live(service.bob, place.endpoint);
    await kind.live(service.alice, place.endpoint);
    // A new alert endpoint is looked at by the service itself, once: that is no change by Alice.
    await until('new alert endpoints were looked at', async () => (await notLookedAt()).length === 0);
    const before = await bobsThings();
    if (kind.is === 'names') await assertUnknown(place, theirs, turn);
    else await assertFree(place, theirs);
    assert.deepEqual(await bobsThings(), before, 'something of Bob’s has changed');
    if (kind.is === 'names') await assertLives(place, theirs);
  });
}

const notLookedAt = () =>
  service.auditor.query(
    "select from webhook_endpoints where kind = 'alerts' and state = 'active' and alerted_on is null",
  );

/** Foreign and unknown, in both orders: the first of a kind must not be distinguishable from the second. */
async function assertUnknown(place: ForeignPlace, theirs: string, turn: number): Promise<void> {
  const ask = async (value: string) =>
    reported(await send(service.gatewayUrl, await place.request(service.alice, value)));
  const foreign = await ask(theirs);
  const unknown = await ask(await place.kind.unowned(service.alice));
  assert.deepEqual(foreign, unknown);
  assert.deepEqual(await ask(await place.kind.unowned(service.alice)), unknown);
  assert.deepEqual(await ask(theirs), unknown);
  const { status } = foreign as { status: number };
  if (place.field.place === 'path') assert.equal(status, 404);
  else assert.ok([200, 201, 400, 401, 404].includes(status), `the answer is ${status}`);
  if (place.field.place !== 'body') await assertMisspelt(place, theirs, turn);
}

async function assertMisspelt(place: ForeignPlace, theirs: string, turn: number): Promise<void> {
  for (const [spelling, spell] of turnOf(Object.entries(SPELLINGS), turn, TURNS)) {
    const ask = async (value: string) =>
      reported(
        await send(
          service.gatewayUrl,
          await place.request(service.alice, spell(encodeURIComponent(value)), true),
        ),
      );
    const foreign = await ask(theirs);
    assert.deepEqual(foreign, await ask(await place.kind.unowned(service.alice)), spelling);
    if (place.field.place === 'path') assert.equal((foreign as { status: number }).status, 404, spelling);
  }
}

async function assertFree(place: ForeignPlace, theirs: string): Promise<void> {
  const ask = async (value: string) => send(service.gatewayUrl, await place.request(service.alice, value));
  const foreign = await ask(theirs);
  const unknown = await ask(await place.kind.unowned(service.alice));
  assert.equal(foreign.status, unknown.status, foreign.text);
  assert.deepEqual(Object.keys(foreign.body), Object.keys(unknown.body));
}

/** Without this a thing that never was, or that has expired, would pass for one that is well kept. */
async function assertLives(place: ForeignPlace, theirs: string): Promise<void> {
  const { bob, gatewayUrl } = service;
  const own = await send(gatewayUrl, await place.request(bob, theirs));
  // 202: a bank carries it out.
  assert.ok([200, 201, 202].includes(own.status), `Bob himself is answered ${own.status}: ${own.text}`);
  const unknown = await send(gatewayUrl, await place.request(bob, await place.kind.unowned(service.alice)));
  assert.notDeepEqual(
    reported(own),
    reported(unknown),
    'what Bob has looks to himself as if it were not there',
  );
}
