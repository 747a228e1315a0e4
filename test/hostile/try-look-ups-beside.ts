import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Contract } from '../../src/platform/http/endpoint.ts';
import type { Reply } from '../kit/merchant.ts';
import { ENDPOINTS } from '../published.ts';
import { type Field, fieldsOf, tagOf } from './cases/fields.ts';
import { type JsonTree, Members, treeOf, without, withValue } from './cases/json-tree.ts';
import type { HostileService } from './hostile-service.ts';
import { endpointOf, validRequest } from './recipes.ts';
import { inTurn, send, type WireRequest } from './wire.ts';

/** All faults of a body come at once, also those that only a look-up finds: some of them, by hand. */

const bodyFields = (endpoint: Contract): Field[] =>
  fieldsOf(endpoint).filter(({ place }) => place === 'body');
const isUnder = (inner: Field, outer: Field): boolean =>
  inner.steps.length > outer.steps.length && outer.steps.every((step, at) => inner.steps[at] === step);

/** Logins name only the first fault, at the head of a sentence. */
const WITH_BODY = ENDPOINTS.filter(({ body, errorBody }) => body !== undefined && errorBody === undefined);

const tagsOf = ({ body }: Reply): string[] => (body as { tag: string }[]).map(({ tag }) => tag);

const UNKNOWN = { token: 'A'.repeat(43), id: () => randomUUID() };

/**
 * What only a look-up knows, or a rule beside the schema, and something else that is wrong: both
 * are reported.
 */
const BESIDE: readonly {
  readonly endpoint: string;
  readonly name: string;
  readonly change: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
}[] = [
  {
    endpoint: 'createPayment',
    name: 'an unknown token, an expired card, a split over 100 % and an address inside',
    change: {
      'cardInfo.numberToken': UNKNOWN.token,
      'cardInfo.expirationYear': '20',
      urlCallBack: 'http://10.0.0.1/',
      configSplit: [
        { documentNumberBeneficiary: '11222333000181', percent: 60 },
        { documentNumberBeneficiary: '52998224725', percent: 60 },
      ],
    },
    tags: ['cardInfo.numberToken', 'cardInfo.expirationYear', 'urlCallBack', 'configSplit'],
  },
  {
    endpoint: 'createPayment',
    name: 'an expired card behind a good token, and a wrong amount',
    change: { 'cardInfo.expirationYear': '20', 'payment.amount': 0 },
    tags: ['cardInfo.expirationYear', 'payment.amount'],
  },
  {
    endpoint: 'storeVaultCard',
    name: 'an unknown token and a wrong month',
    change: { numberToken: UNKNOWN.token, expirationMonth: '13' },
    tags: ['numberToken', 'expirationMonth'],
  },
  {
    endpoint: 'registerWebhook',
    name: 'an address inside and a wrong login',
    change: { url: 'http://192.168.0.5/x', basicAuth: 'user:pass' },
    tags: ['url', 'basicAuth'],
  },
  {
    endpoint: 'registerNotifier',
    name: 'an address inside and a name that is too long',
    change: { callbackUrl: 'http://192.168.0.5/x', name: 'x'.repeat(1_000) },
    tags: ['callbackUrl', 'name'],
  },
  {
    endpoint: 'createSubscription',
    name: 'an unknown plan, an unknown card and an order number that is too long',
    change: { planId: UNKNOWN.id(), vaultId: UNKNOWN.id(), orderNumber: 'x'.repeat(11) },
    tags: ['planId', 'vaultId', 'orderNumber'],
  },
];

const ask = ({ gatewayUrl }: HostileService, request: WireRequest): Promise<Reply> =>
  inTurn(request.endpoint, () => send(gatewayUrl, request));

/** Tests of a service that is open by then. */
export function tryLookUpsBeside(service: () => HostileService): void {
  for (const endpoint of WITH_BODY) {
    const { method, path } = endpoint;
    const fields = bodyFields(endpoint);
    const isRequired = (field: Field) =>
      field.isRequired && fields.filter((outer) => isUnder(field, outer)).every((outer) => outer.isRequired);
    const leaves = fields.filter((field) => !fields.some((inner) => isUnder(inner, field)));

    test(`${method} ${path} names every required leaf of what is missing, one by one`, async () => {
      const valid = await validRequest(endpoint, service().alice);
      const missing = fields.filter((field) => field.schema.properties !== undefined && isRequired(field));
      const whole = await ask(service(), { ...valid, body: new Members([]) });
      const needed = leaves.filter(isRequired).map(({ steps }) => tagOf(steps));
      for (const tag of needed) assert.ok(tagsOf(whole).includes(tag), `${tag} of {}: ${whole.text}`);
      for (const outer of missing) {
        const reply = await ask(service(), { ...valid, body: without(valid.body as JsonTree, outer.steps) });
        assert.equal(reply.status, 400);
        const inside = leaves.filter((field) => isUnder(field, outer) && isRequired(field));
        for (const { steps } of inside) assert.ok(tagsOf(reply).includes(tagOf(steps)), reply.text);
        assert.ok(
          !tagsOf(reply).includes(tagOf(outer.steps)),
          `what is inside says enough of it: ${reply.text}`,
        );
      }
    });
  }
  for (const { endpoint, name, change, tags } of BESIDE) {
    test(`${endpoint} reports all of ${name}`, async () => {
      const valid = await validRequest(endpointOf(endpoint), service().alice);
      let body = valid.body as JsonTree;
      for (const [path, value] of Object.entries(change))
        body = withValue(body, path.split('.'), treeOf(value));
      const reply = await send(service().gatewayUrl, { ...valid, body });
      assert.equal(reply.status, 400);
      assert.deepEqual(tagsOf(reply).toSorted(), [...tags].toSorted(), reply.text);
    });
  }

  test('an empty payment names everything that every payment needs', async () => {
    const valid = await validRequest(endpointOf('createPayment'), service().alice);
    const reply = await send(service().gatewayUrl, { ...valid, body: new Members([]) });
    assert.deepEqual(tagsOf(reply).toSorted(), [
      'cardInfo.cardholderName',
      'cardInfo.numberToken',
      'payment.amount',
      'payment.installments',
      'payment.productType',
      'payment.transactionType',
      'sellerInfo.codeAntiFraud',
    ]);
  });

  test('an empty card to be stored names everything that a token needs', async () => {
    const valid = await validRequest(endpointOf('storeVaultCard'), service().alice);
    const reply = await send(service().gatewayUrl, { ...valid, body: new Members([]) });
    assert.deepEqual(tagsOf(reply).toSorted(), [
      'cardholderName',
      'expirationMonth',
      'expirationYear',
      'numberToken',
    ]);
  });

  test('what is found by a look-up is named as it was sent', async () => {
    const valid = await validRequest(endpointOf('createSubscription'), service().alice);
    const body = treeOf({ PlanId: UNKNOWN.id(), vaultId: UNKNOWN.id(), OrderNumber: 'x'.repeat(11) });
    assert.deepEqual(tagsOf(await send(service().gatewayUrl, { ...valid, body })).toSorted(), [
      'OrderNumber',
      'PlanId',
      'vaultId',
    ]);
  });
}
