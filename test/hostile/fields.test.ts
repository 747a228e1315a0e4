import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Contract } from '../../src/platform/http/endpoint.ts';
import { call, type Reply } from '../kit/merchant.ts';
import { sliceOf } from '../kit/patience.ts';
import { ENDPOINTS } from '../published.ts';
import { fieldCases, type HostileCase } from './cases/field-cases.ts';
import { fieldsOf, missingLimit, tagOf } from './cases/fields.ts';
import { wholeCases } from './cases/whole-cases.ts';
import { type HostileService, openHostileService, REQUESTS_ALONE } from './hostile-service.ts';
import {
  complaintAbout,
  differences,
  generalComplaints,
  languageComplaints,
  verdictComplaints,
} from './judge.ts';
import { RECIPES, recipeComplaints, validRequest } from './recipes.ts';
import { hangUp, inFlight, inTurn, send, type WireRequest } from './wire.ts';

let service: HostileService;

before(async () => {
  service = await openHostileService(REQUESTS_ALONE);
});
after(async () => {
  hangUp();
  await service.close();
});

/** More would only wait: two passwords are checked at once, and a machine of tests has few cores. */
const AT_ONCE = 6;
/** One of so many cases of each endpoint, always the same; all of them with `npm test -- --long`. */
const ONE_OF = 3 - sliceOf(2, 1);
/** So many sentences are read by nobody. */
const MOST_COMPLAINTS = 40;

test('every endpoint has a recipe for a valid request, and every recipe an endpoint', () => {
  assert.deepEqual(recipeComplaints(), []);
  const [first] = ENDPOINTS;
  const unknown = { ...(first as Contract), id: 'brandNew', method: 'POST', path: '/v1/new' } as Contract;
  assert.match(recipeComplaints([...ENDPOINTS, unknown]).join(), /lacks brandNew \(POST \/v1\/new\)/);
  assert.match(recipeComplaints(ENDPOINTS.slice(1)).join(), /has logInGateway, which is no endpoint's id/);
});

test('every field of every endpoint has a limit', () => {
  const complaints = ENDPOINTS.flatMap((endpoint) =>
    fieldsOf(endpoint)
      .filter(({ schema }) => missingLimit(schema) !== null)
      .map(({ steps, schema }) => `${endpoint.id}: ${tagOf(steps)} has no ${missingLimit(schema)}`),
  );
  assert.deepEqual(complaints, []);
});

for (const endpoint of ENDPOINTS) {
  const { method, path } = endpoint;

  test(`the valid requests of ${method} ${path} are answered with a success`, async () => {
    await assertStillWorks(endpoint);
  });

  test(`${method} ${path} refuses every malformed field by its name and takes every good one`, async () => {
    const valid = await validRequest(endpoint, service.alice);
    const every = [...fieldCases(endpoint), ...wholeCases(endpoint, valid)];
    const cases = every.filter((_, index) => (index + path.length) % ONE_OF === 0);
    const complaints: string[] = [];
    const refused: WireRequest[] = [];
    await inFlight(cases, AT_ONCE, async (hostile) => {
      const { request, found, reply } = await inTurn(endpoint, async () => {
        const made = hostile.make(await validRequest(endpoint, service.alice));
        return { request: made, ...(await complaintsAbout(hostile, made)) };
      });
      complaints.push(...found.map((text) => complaintAbout(hostile.name, request, text)));
      if (reply !== null && isRefusal(reply)) refused.push(request);
    });
    complaints.push(...(await rowsOfRefused(refused)));
    assertNone(complaints);
    await assertStillWorks(endpoint);
  });
}

const isRefusal = ({ status }: Reply): boolean => [400, 404, 413, 415].includes(status);

async function complaintsAbout(
  hostile: HostileCase,
  request: WireRequest,
): Promise<{ found: string[]; reply: Reply | null }> {
  const url = service.gatewayUrl;
  try {
    const reply = await send(url, request);
    const found = [...generalComplaints(request, reply), ...verdictComplaints(hostile, request, reply)];
    if (isRefusal(reply)) found.push(...(await languageComplaints(url, request, reply)));
    const { verdict } = hostile;
    if (verdict.kind === 'asWithout') {
      const twin = verdict.twin(await validRequest(request.endpoint, service.alice));
      found.push(...differences(reply, await send(url, twin)));
    }
    return { found, reply };
  } catch (error) {
    return { found: [`no answer: ${error}`], reply: null };
  }
}

/** Everything that was refused is sent once more, all of it together: not one row may come of it. */
async function rowsOfRefused(refused: readonly WireRequest[]): Promise<string[]> {
  const before = await service.rowCounts();
  await inFlight(refused, AT_ONCE, async (request) => {
    await send(service.gatewayUrl, request);
  });
  const afterwards = await service.rowCounts();
  return [...afterwards]
    .filter(([table, count]) => count > (before.get(table) ?? 0))
    .map(([table, count]) => `${count - (before.get(table) ?? 0)} rows of ${table} come of refused requests`);
}

function assertNone(complaints: readonly string[]): void {
  if (complaints.length === 0) return;
  assert.fail(`${complaints.length} complaints:\n${complaints.slice(0, MOST_COMPLAINTS).join('\n')}`);
}

async function assertStillWorks(endpoint: Contract): Promise<void> {
  for (const variant of (RECIPES[endpoint.id] ?? []).keys()) {
    const request = await validRequest(endpoint, service.alice, variant);
    const reply = await send(service.gatewayUrl, request);
    const reported = `${endpoint.id}, recipe ${variant}: ${reply.status} ${reply.text.slice(0, 300)}`;
    assert.equal(reply.status, 200, reported);
    assert.deepEqual(generalComplaints(request, reply), []);
  }
  assert.equal((await call(service.gatewayUrl, '/health/ready')).status, 200);
}

test('after all that every line of the log is one entry, and none records a failure', async () => {
  const entries = service.log.map((line) => JSON.parse(line) as { level: unknown; msg?: string });
  assert.ok(entries.length > 100);
  const failures = service.log.filter((line) => /"level":"(error|fatal)"/.test(line));
  assert.deepEqual(failures.slice(0, 5), []);
});
