import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contract } from '../../src/platform/http/endpoint.ts';
import { ENDPOINTS } from '../published.ts';
import { casesOfField, type HostileCase } from './cases/field-cases.ts';
import { fieldsOf, missingLimit, tagOf } from './cases/fields.ts';
import { readingCases } from './cases/whole-cases.ts';
import { complaintAbout, differences, verdictComplaints } from './judge.ts';
import { assertNoComplaints, exampleRequest, readingComplaints, readReply } from './read-request.ts';
import { recipeComplaints } from './recipes.ts';
import type { WireRequest } from './wire.ts';

/**
 * Every field of every endpoint with everything that is tried at it. The readers judge here what they judge
 * behind the door; that they stand there, and what else a request meets, `requests.test.ts` tries.
 */

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
  // What stands in a path is looked up, whatever it is.
  const fields = fieldsOf(endpoint).filter(({ place }) => place !== 'path');
  if (fields.length === 0) continue;

  test(`${endpoint.method} ${endpoint.path} refuses every malformed field by its name and takes every good one`, (context) => {
    const example = exampleRequest(endpoint);
    const valid = readReply(example);
    assert.equal(valid.status, 200, `its example is refused: ${valid.text}`);
    const cases = [
      ...fields.flatMap((field) => casesOfField(endpoint, field)),
      ...readingCases(endpoint, example),
    ];
    context.diagnostic(`${cases.length} cases`);
    assert.ok(cases.length >= 25 * fields.length, `${fields.length} fields have ${cases.length} cases`);
    assertNoComplaints(cases.flatMap((hostile) => complaintsAbout(hostile, example)));
  });
}

function complaintsAbout(hostile: HostileCase, example: WireRequest): string[] {
  const request = hostile.make(example);
  const reply = readReply(request);
  const found = [...readingComplaints(request, reply), ...verdictComplaints(hostile, request, reply)];
  const { verdict } = hostile;
  if (verdict.kind === 'asWithout') found.push(...differences(reply, readReply(verdict.twin(example))));
  return found.map((text) => complaintAbout(hostile.name, request, text));
}
