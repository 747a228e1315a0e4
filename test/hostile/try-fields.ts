import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contract } from '../../src/platform/http/endpoint.ts';
import { call, type Reply } from '../kit/merchant.ts';
import { sliceOf, turnOf } from '../kit/patience.ts';
import { ENDPOINTS } from '../published.ts';
import { doorCases } from './cases/door-cases.ts';
import { type HostileCase, isRefusing } from './cases/field-cases.ts';
import type { HostileService } from './hostile-service.ts';
import {
  complaintAbout,
  differences,
  generalComplaints,
  isDone,
  languageComplaints,
  verdictComplaints,
} from './judge.ts';
import { assertNoComplaints } from './read-request.ts';
import { RECIPES, validRequest } from './recipes.ts';
import { inFlight, inTurn, send, type WireRequest } from './wire.ts';

/** More would only wait: two passwords are checked at once, and a machine of tests has few cores. */
const AT_ONCE = 6;

/** Fields and whole requests through the door of a service that is open by then. */
export function tryFields(service: () => HostileService): void {
  const allRefused: WireRequest[] = [];
  for (const endpoint of ENDPOINTS) {
    const { method, path } = endpoint;

    test(`the valid requests of ${method} ${path} are answered with a success`, () =>
      assertStillWorks(service(), endpoint));

    test(`${method} ${path} refuses at the door what is malformed and takes what is good`, async () => {
      const { alice } = service();
      const valid = await validRequest(endpoint, alice);
      const complaints: string[] = [];
      const refused: WireRequest[] = [];
      await inFlight(doorCases(endpoint, valid), AT_ONCE, async (hostile) => {
        const { request, found, reply } = await inTurn(endpoint, async () => {
          // What is refused uses nothing up: the next one may have it.
          const made = hostile.make(
            isRefusing(hostile.verdict) ? valid : await validRequest(endpoint, alice),
          );
          return { request: made, ...(await complaintsAbout(service(), hostile, made)) };
        });
        complaints.push(...found.map((text) => complaintAbout(hostile.name, request, text)));
        if (reply !== null && isRefusal(reply)) refused.push(request);
      });
      const [first] = refused;
      if (first !== undefined) complaints.push(...(await languagesOf(service(), first)));
      allRefused.push(...refused);
      assertNoComplaints(complaints);
      await assertStillWorks(service(), endpoint, sliceOf(100, 1));
    });
  }

  test('of what was refused not one row comes', async () => {
    const again = turnOf(allRefused, 0, 3);
    assert.ok(again.length > ENDPOINTS.length);
    if ((await rowsOfRefused(service(), again)).length === 0) return;
    // Of which endpoint they come is looked for only where there are any.
    for (const [path, refused] of Map.groupBy(again, ({ endpoint }) => endpoint.path))
      assertNoComplaints((await rowsOfRefused(service(), refused)).map((text) => `${path}: ${text}`));
    assert.fail('rows come of refused requests');
  });
}

const isRefusal = ({ status }: Reply): boolean => [400, 404, 413, 415].includes(status);

async function complaintsAbout(
  { gatewayUrl, alice }: HostileService,
  hostile: HostileCase,
  request: WireRequest,
): Promise<{ found: string[]; reply: Reply | null }> {
  try {
    const reply = await send(gatewayUrl, request);
    const found = [...generalComplaints(request, reply), ...verdictComplaints(hostile, request, reply)];
    const { verdict } = hostile;
    if (verdict.kind === 'asWithout') {
      const twin = verdict.twin(await validRequest(request.endpoint, alice));
      found.push(...differences(reply, await send(gatewayUrl, twin)));
    }
    return { found, reply };
  } catch (error) {
    return { found: [`no answer: ${error}`], reply: null };
  }
}

async function languagesOf({ gatewayUrl }: HostileService, request: WireRequest): Promise<string[]> {
  return languageComplaints(gatewayUrl, request, await send(gatewayUrl, request));
}

/** What was refused is sent once more, together: not one row may come of it. */
async function rowsOfRefused(service: HostileService, refused: readonly WireRequest[]): Promise<string[]> {
  const before = await service.rowCounts();
  await inFlight(refused, AT_ONCE, async (request) => {
    await send(service.gatewayUrl, request);
  });
  const afterwards = await service.rowCounts();
  return [...afterwards]
    .filter(([table, count]) => count > (before.get(table) ?? 0))
    .map(([table, count]) => `${count - (before.get(table) ?? 0)} rows of ${table} come of refused requests`);
}

async function assertStillWorks(
  { gatewayUrl, alice }: HostileService,
  endpoint: Contract,
  recipes = 100,
): Promise<void> {
  for (const variant of (RECIPES[endpoint.id] ?? []).slice(0, recipes).keys()) {
    const request = await validRequest(endpoint, alice, variant);
    const reply = await send(gatewayUrl, request);
    const reported = `${endpoint.id}, recipe ${variant}: ${reply.status} ${reply.text.slice(0, 300)}`;
    assert.ok(isDone(reply.status), reported);
    assert.deepEqual(generalComplaints(request, reply), []);
  }
  assert.equal((await call(gatewayUrl, '/health/ready')).status, 200);
}
