import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CARD_NUMBER_IN_TEXT } from '../../src/platform/requests/card-numbers.ts';
import { ENDPOINTS } from '../published.ts';
import { CARD_SEED, formsFor, inFours, markedNumber, SHORTEST_NUMBER, textsOf } from './card-texts.ts';
import { bodyAround, type HostileCase } from './cases/field-cases.ts';
import { type Field, tagOf } from './cases/fields.ts';
import { type JsonTree, withValue } from './cases/json-tree.ts';
import { type HostileService, openHostileService } from './hostile-service.ts';
import { complaintAbout, generalComplaints, languageComplaints, verdictComplaints } from './judge.ts';
import { validRequest } from './recipes.ts';
import { hangUp, inTurn, send } from './wire.ts';

let service: HostileService;

before(async () => {
  console.log(`HOSTILE_SEED=${CARD_SEED}`);
  service = await openHostileService();
});
after(async () => {
  hangUp();
  await service.close();
});

/**
 * Fields that bring a card, or whose text is only compared. A new field is none of them unless it is named
 * here.
 */
const MAY_HOLD_CARD = [
  'logInGateway: userName',
  'logInGateway: password',
  'logInIntegration: userName',
  'logInIntegration: password',
  'createPlan: merchantId',
  'updatePlan: merchantId',
  'registerNotifier: merchantId',
  'tokenizeCard: cardNumber',
  'tokenizeCard: encryptedCard',
  'createPayment: cardInfo.numberToken',
  'createPayment: cardInfo.encryptedCard',
  'storeVaultCard: numberToken',
  'storeVaultCard: encryptedCard',
];

test('the texts that may hold a card number are those that are named here', () => {
  const found = ENDPOINTS.flatMap((endpoint) =>
    textsOf(endpoint)
      .filter(({ schema }) => schema.mayHoldCard === true)
      .map(({ steps }) => `${endpoint.id}: ${tagOf(steps)}`),
  );
  assert.deepEqual(found.toSorted(), MAY_HOLD_CARD.toSorted());
});

/** Those of 13 digits where only few characters fit. */
const numbersFor = ({ schema: { maxLength = 0 } }: Field) =>
  [16, ...(maxLength < 30 ? [SHORTEST_NUMBER] : [])].map(markedNumber);

/** Formats that no number of a card has, and that say so themselves. */
const OTHER_SHAPES = [
  'guid',
  'day',
  'moment',
  'cpfOrCnpj',
  'telephone',
  'saoPauloTime',
  'digits',
  'softDescriptor',
  'softDescriptorOrNone',
];

for (const endpoint of ENDPOINTS) {
  const fields = textsOf(endpoint).filter(({ schema }) => schema.mayHoldCard !== true);
  if (fields.length === 0) continue;

  test(`${endpoint.method} ${endpoint.path} refuses a card number in every text, by its name`, async () => {
    const complaints: string[] = [];
    for (const field of fields) {
      const forms = formsFor(field, numbersFor(field));
      assert.ok(forms.length >= 2, `${tagOf(field.steps)} was tried with ${forms.length} forms`);
      for (const form of forms) complaints.push(...(await complaintsAbout(endpoint, field, form)));
    }
    assert.deepEqual(complaints, []);
  });
}

async function complaintsAbout(
  endpoint: (typeof ENDPOINTS)[number],
  field: Field,
  form: string,
): Promise<string[]> {
  const name = `${tagOf(field.steps)} is ${JSON.stringify(form)}`;
  return inTurn(endpoint, async () => {
    const valid = await validRequest(endpoint, service.alice);
    const body = withValue(bodyAround(endpoint, field, valid), field.steps, form) as JsonTree;
    const request = { ...valid, body };
    const reply = await send(service.gatewayUrl, request);
    const hostile: HostileCase = {
      name,
      make: () => request,
      verdict: { kind: 'names', tag: tagOf(field.steps) },
    };
    const found = [
      ...generalComplaints(request, reply),
      ...verdictComplaints(hostile, request, reply),
      ...(await languageComplaints(service.gatewayUrl, request, reply)),
    ];
    const isSaid = reply.text.includes(CARD_NUMBER_IN_TEXT.pt);
    if (!isSaid && !OTHER_SHAPES.includes(field.schema.format ?? ''))
      found.push(`not said why: ${reply.text}`);
    return found.map((text) => complaintAbout(name, request, text));
  });
}

test('an Idempotency-Key that holds a card number is refused wherever one is taken', async () => {
  for (const endpoint of ENDPOINTS.filter(({ isRepeatable }) => isRepeatable === true)) {
    for (const key of [markedNumber(16), inFours(markedNumber(16), '-'), `pedido ${markedNumber(16)}`]) {
      const valid = await validRequest(endpoint, service.alice);
      const reply = await send(service.gatewayUrl, { ...valid, headers: { 'idempotency-key': key } });
      assert.equal(reply.status, 400, `${endpoint.id}: ${reply.text}`);
      assert.deepEqual(reply.body, [
        { tag: 'idempotencyKey', description: 'Idempotency-Key não pode conter um número de cartão.' },
      ]);
    }
  }
});
