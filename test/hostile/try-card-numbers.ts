import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENDPOINTS } from '../published.ts';
import { formsFor, inFours, markedNumber, numbersFor, textsWithoutCards } from './card-texts.ts';
import { bodyAround } from './cases/field-cases.ts';
import { tagOf } from './cases/fields.ts';
import { withValue } from './cases/json-tree.ts';
import type { HostileService } from './hostile-service.ts';
import { complaintAbout, generalComplaints, verdictComplaints } from './judge.ts';
import { assertNoComplaints } from './read-request.ts';
import { validRequest } from './recipes.ts';
import { send } from './wire.ts';

/** One form of a card number in each text, through the door of a service that is open by then. */
export function tryCardNumbers(service: () => HostileService): void {
  test('every text of every endpoint refuses a card number at the door', async () => {
    const { alice, gatewayUrl } = service();
    const complaints: string[] = [];
    for (const endpoint of ENDPOINTS) {
      const fields = textsWithoutCards(endpoint);
      if (fields.length === 0) continue;
      const valid = await validRequest(endpoint, alice);
      for (const field of fields) {
        const tag = tagOf(field.steps);
        const [form = ''] = formsFor(field, numbersFor(field));
        const request = { ...valid, body: withValue(bodyAround(endpoint, field, valid), field.steps, form) };
        const reply = await send(gatewayUrl, request);
        const hostile = { name: tag, make: () => request, verdict: { kind: 'names', tag } as const };
        const found = [...generalComplaints(request, reply), ...verdictComplaints(hostile, request, reply)];
        complaints.push(...found.map((text) => complaintAbout(tag, request, text)));
      }
    }
    assertNoComplaints(complaints);
  });

  test('an Idempotency-Key that holds a card number is refused wherever one is taken', async () => {
    const { alice, gatewayUrl } = service();
    for (const endpoint of ENDPOINTS.filter(({ isRepeatable }) => isRepeatable === true)) {
      const valid = await validRequest(endpoint, alice);
      for (const key of [markedNumber(16), inFours(markedNumber(16), '-'), `pedido ${markedNumber(16)}`]) {
        const reply = await send(gatewayUrl, { ...valid, headers: { 'idempotency-key': key } });
        assert.equal(reply.status, 400, `${endpoint.id}: ${reply.text}`);
        assert.deepEqual(reply.body, [
          { tag: 'idempotencyKey', description: 'Idempotency-Key não pode conter um número de cartão.' },
        ]);
      }
    }
  });
}
