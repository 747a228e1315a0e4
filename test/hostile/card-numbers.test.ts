import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CARD_NUMBER_IN_TEXT } from '../../src/platform/requests/card-numbers.ts';
import { ENDPOINTS } from '../published.ts';
import { CARD_SEED, formsFor, numbersFor, textsOf, textsWithoutCards } from './card-texts.ts';
import { bodyAround, type HostileCase } from './cases/field-cases.ts';
import { type Field, tagOf } from './cases/fields.ts';
import { withValue } from './cases/json-tree.ts';
import { complaintAbout, verdictComplaints } from './judge.ts';
import { assertNoComplaints, exampleRequest, readingComplaints, readReply } from './read-request.ts';
import type { WireRequest } from './wire.ts';

/**
 * A card number in any text, in every form, as it is judged behind the door; that it is judged there for each
 * field `requests.test.ts` tries.
 */

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
  'createPayment: threeDSecure.cavv',
  'createPayment: threeDSecure.xid',
  'createPayment: sellerInfo.cavvUcaf',
  'createPayment: sellerInfo.xid',
  'storeVaultCard: numberToken',
  'storeVaultCard: encryptedCard',
  'payLinkByCard: encryptedCard',
  'takeCardOfFields: encryptedCard',
  'changeCardAtSubscriberPage: encryptedCard',
  'resendWebhookDeliveries: from',
  'resendWebhookDeliveries: to',
];

test('the texts that may hold a card number are those that are named here', () => {
  const found = ENDPOINTS.flatMap((endpoint) =>
    textsOf(endpoint)
      .filter(({ schema }) => schema.mayHoldCard === true)
      .map(({ steps }) => `${endpoint.id}: ${tagOf(steps)}`),
  );
  assert.deepEqual(found.toSorted(), MAY_HOLD_CARD.toSorted());
});

/** Formats that no number of a card has, and that say so themselves. */
const OTHER_SHAPES = [
  'guid',
  'day',
  'moment',
  'cpfOrCnpj',
  'bareCpfOrCnpj',
  'postalCode',
  'telephone',
  'saoPauloTime',
  'digits',
  'softDescriptor',
  'softDescriptorOrNone',
  'eci',
  'threeDSVersion',
];

for (const endpoint of ENDPOINTS) {
  const fields = textsWithoutCards(endpoint);
  if (fields.length === 0) continue;

  test(`${endpoint.method} ${endpoint.path} refuses a card number in every text, by its name`, () => {
    const example = exampleRequest(endpoint);
    const complaints = fields.flatMap((field) => {
      const forms = formsFor(field, numbersFor(field));
      assert.ok(forms.length >= 2, `${tagOf(field.steps)} was tried with ${forms.length} forms`);
      return forms.flatMap((form) => complaintsAbout(field, form, example));
    });
    assertNoComplaints(complaints);
  });
}

function complaintsAbout(field: Field, form: string, example: WireRequest): string[] {
  const tag = tagOf(field.steps);
  const name = `${tag} is ${JSON.stringify(form)} (HOSTILE_SEED=${CARD_SEED})`;
  const body = withValue(bodyAround(example.endpoint, field, example), field.steps, form);
  const request = { ...example, body };
  const reply = readReply(request);
  const hostile: HostileCase = { name, make: () => request, verdict: { kind: 'names', tag } };
  const found = [...readingComplaints(request, reply), ...verdictComplaints(hostile, request, reply)];
  const isSaid = reply.text.includes(CARD_NUMBER_IN_TEXT.pt);
  if (!isSaid && !OTHER_SHAPES.includes(field.schema.format ?? '')) found.push(`not said why: ${reply.text}`);
  return found.map((text) => complaintAbout(name, request, text));
}
