import type { Demo } from '../../homologation/create-demo-merchant.ts';
import type { Contract } from '../../src/platform/http/endpoint.ts';
import { formsFor, textsOf } from '../hostile/card-texts.ts';
import { bodyAround } from '../hostile/cases/field-cases.ts';
import { fieldsOf, tagOf } from '../hostile/cases/fields.ts';
import { type JsonTree, textOf, withValue } from '../hostile/cases/json-tree.ts';
import type { Shop as HostileShop } from '../hostile/hostile-service.ts';
import { validRequest } from '../hostile/recipes.ts';
import { pathOf, type WireRequest } from '../hostile/wire.ts';
import { turnOf } from '../kit/patience.ts';
import { ENDPOINTS } from '../published.ts';
import type { Asked } from './caller.ts';
import type { Shop } from './scenario.ts';

/** Where a card number belongs. */
const OF_CARDS = ['tokenizeCard: cardNumber'];

/**
 * Types a marked number into each text that the contract has, one at a time, in every form that fits (in
 * `npm test` a ninth of the forms), in requests that are right but for that: the texts of bodies, queries and
 * paths, and `Idempotency-Key`.
 */
export async function typeIntoEveryText(shop: Shop, demo: Demo, integrationToken: string): Promise<void> {
  const { service, token, recurrenceToken, merchantId } = shop;
  const auditor = await service.openAuditor();
  const kept = new Map<string, Promise<unknown>>();
  const merchant: HostileShop = {
    merchantId,
    accountNumber: demo.accountNumber,
    nextAccount: () => demo.accountNumber,
    logins: demo,
    tokens: { gateway: token, recurrence: recurrenceToken, integration: integrationToken },
    url: service.gatewayUrl,
    listenerUrl: 'http://127.0.0.1:49151',
    auditor,
    once: <T>(name: string, make: () => Promise<T>) => kept.getOrInsertComputed(name, make) as Promise<T>,
  };
  try {
    for (const endpoint of ENDPOINTS) await typeInto(shop, merchant, endpoint);
  } finally {
    await auditor.close();
  }
}

async function typeInto(shop: Shop, merchant: HostileShop, endpoint: Contract): Promise<void> {
  const number = shop.service.marks.typedNumber;
  const texts = textsOf(endpoint).filter(
    ({ steps }) => !OF_CARDS.includes(`${endpoint.id}: ${tagOf(steps)}`),
  );
  const names = fieldsOf(endpoint).filter(({ place }) => place !== 'body');
  if (texts.length + names.length === 0 && endpoint.isRepeatable !== true) return;
  const valid = await validRequest(endpoint, merchant);
  for (const [turn, field] of texts.entries())
    for (const form of turnOf(formsFor(field, [number]), turn, 9)) {
      const body = withValue(bodyAround(endpoint, field, valid), field.steps, form) as JsonTree;
      await expectRefused(shop, `${endpoint.id}: ${tagOf(field.steps)}`, { ...valid, body });
    }
  for (const { place, steps } of names) {
    const name = String(steps[0]);
    const request =
      place === 'path'
        ? { ...valid, parameters: { ...valid.parameters, [name]: number } }
        : { ...valid, query: [...valid.query.filter(([other]) => other !== name), [name, number] as const] };
    // A search for it finds nothing; what it must not do is keep it.
    await shop.caller.ask(shop.service.gatewayUrl, askedOf(request));
  }
  if (endpoint.isRepeatable === true)
    await expectRefused(shop, `${endpoint.id}: key`, { ...valid, headers: { 'idempotency-key': number } });
}

async function expectRefused(shop: Shop, what: string, request: WireRequest): Promise<void> {
  const { status } = await shop.caller.ask(shop.service.gatewayUrl, askedOf(request));
  if (status < 400 || status >= 500) throw new Error(`${what} with a card number was answered ${status}`);
}

function askedOf(request: WireRequest): Asked {
  const { endpoint, token, headers, body } = request;
  return {
    method: endpoint.method,
    path: pathOf(request),
    token,
    headers: headers as Record<string, string>,
    ...(body === undefined ? {} : { raw: textOf(body) }),
  };
}
