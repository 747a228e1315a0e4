import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAMILY } from '../../src/app/family.ts';
import type { Contract } from '../../src/platform/http/endpoint.ts';
import type { Reply } from '../kit/merchant.ts';
import { turnOf } from '../kit/patience.ts';
import { ENDPOINTS } from '../published.ts';
import type { HostileService, ShopScope } from './hostile-service.ts';
import { isDone } from './judge.ts';
import { endsItsToken, validRequest } from './recipes.ts';
import { send, type WireRequest } from './wire.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND'];
const SCOPES_OF_API = { gateway: ['gateway', 'recurrence'], integration: ['integration'] } as const;
/** At an endpoint one of so many of a kind, at its neighbours the others; in the proof all. */
const TURNS = 3;
const BROKEN = Buffer.from('{"broken');

/** The request with a body that would be refused if anybody looked at it. */
function withBrokenBody(request: WireRequest): WireRequest {
  return request.body === undefined ? request : { ...request, raw: BROKEN };
}

function assertUnknownCaller(reply: Reply, reported: string): void {
  assert.equal(reply.status, 401, reported);
  assert.equal(reply.text, '', reported);
  assert.equal(reply.headers.get('www-authenticate'), 'Bearer', reported);
}

/** Of its endpoints, and of those that a synonym opens there. */
const methodsAt = (path: string): string[] =>
  [...ENDPOINTS, ...FAMILY.flatMap(({ doors = [] }) => doors)]
    .filter((door) => door.path === path)
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

/** Who calls, and by which method: to a service that is open by then. */
export function tryCallers(service: () => HostileService): void {
  const ask = (request: WireRequest): Promise<Reply> => send(service().gatewayUrl, request);

  for (const [turn, endpoint] of ENDPOINTS.entries()) {
    const { method, path, scope, api } = endpoint;
    const place = `${method} ${path}`;

    if (scope !== null) {
      test(`${place} does not know a caller without exactly one good token in its header`, async () => {
        const valid = withBrokenBody(await validRequest(endpoint, service().alice));
        const token = valid.token as string;
        const headers: Record<string, string | string[]>[] = [
          {},
          { authorization: '' },
          { authorization: token },
          { authorization: `Basic ${token}` },
          { authorization: `Bearer ${token.slice(0, -1)}` },
          { authorization: `Bearer ${token} ${token}` },
          { authorization: `Bearer ${token.toLowerCase()}` },
          { authorization: [`Bearer ${token}`, `Bearer ${token}`] },
          { 'x-authorization': `Bearer ${token}`, cookie: `accessToken=${token}` },
        ];
        for (const more of turnOf(headers, turn, TURNS)) {
          const request = { ...valid, token: null, headers: { ...valid.headers, ...more } };
          assertUnknownCaller(await ask(request), JSON.stringify(Object.keys(more)));
        }
        const query = [...valid.query, ['access_token', token] as const, ['token', token] as const];
        assertUnknownCaller(await ask({ ...valid, token: null, query }), 'in the query');
      });

      test(`${place} takes the tokens of its own API and scope only`, async () => {
        await assertTokens(service(), endpoint);
      });
    } else {
      test(`${place} asks for no token, and minds none`, async () => {
        for (const token of [null, 'x', service().bob.tokens.integration]) {
          const reply = await ask({ ...(await validRequest(endpoint, service().alice)), token });
          assert.ok(isDone(reply.status), reply.text);
        }
      });
    }

    if (api === 'operations') assert.equal(scope, null, `${place} is for everybody, and asks for a token`);
  }

  test('every path has its own methods and no others, and not one row comes of another', async () => {
    const valid: WireRequest[] = [];
    for (const endpoint of ENDPOINTS)
      valid.push(withBrokenBody(await validRequest(endpoint, service().alice)));
    const before = await service().rowCounts();
    for (const [turn, request] of valid.entries()) await assertMethods(ask, request, turn);
    for (const [table, count] of await service().rowCounts())
      assert.ok(count <= (before.get(table) ?? 0), `${table} has grown`);
  });
}

async function assertMethods(
  ask: (request: WireRequest) => Promise<Reply>,
  request: WireRequest,
  turn: number,
) {
  const { method, path, scope } = request.endpoint;
  const allowed = methodsAt(path);
  const type = { 'content-type': 'text/plain', 'x-http-method-override': method };
  const headers = request.body === undefined ? request.headers : { ...request.headers, ...type };
  const others = METHODS.filter((name) => !allowed.includes(name));
  for (const other of turnOf(others, turn, TURNS)) {
    const reply = await ask({ ...request, headers, method: other });
    assert.equal(reply.status, 405, `${other} ${path}: ${reply.text}`);
    assert.deepEqual(reply.headers.get('allow')?.split(', ').sort(), allowed.sort(), `${other} ${path}`);
    if (scope === null) continue;
    assertUnknownCaller(await ask({ ...request, method: other, token: null }), `${other} ${path}`);
  }
}

async function assertTokens(service: HostileService, endpoint: Contract): Promise<void> {
  const { scope, api } = endpoint;
  const ask = (request: WireRequest): Promise<Reply> => send(service.gatewayUrl, request);
  const owns = api === 'either' ? (['gateway', 'integration'] as const) : ([api] as const);
  for (const [name, token] of Object.entries(service.alice.tokens) as [ShopScope, string][]) {
    const valid = await validRequest(endpoint, service.alice);
    const isOfApi = owns.some((own) => own !== 'operations' && SCOPES_OF_API[own].includes(name as never));
    if (!isOfApi) {
      assertUnknownCaller(await ask({ ...withBrokenBody(valid), token }), `the token for ${name}`);
    } else if (scope !== 'any' && scope !== name) {
      const reply = await ask({ ...withBrokenBody(valid), token });
      assert.equal(reply.status, 403, `the token for ${name}: ${reply.text}`);
      assert.equal(reply.body[0].tag, scope, 'the scope that is missing');
    } else {
      assert.ok(isDone((await ask({ ...valid, token })).status), `the token for ${name}`);
    }
  }
  if (endsItsToken(endpoint)) await service.renewTokens();
}
