import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { signMessage } from './sign-message.ts';

const BODY = '{"movementId":42,"nsu":"1000000042","type":"Autorizacao","newValue":"Autorizada","x":"ção"}';
const now = () => Date.now() / 1_000;

/** As a merchant's server would, with the public library. */
function verify(secret: Buffer, body: string, headers: Record<string, string>): unknown {
  return new Webhook(`whsec_${secret.toString('base64')}`).verify(body, headers);
}

test('the public library takes our signature, with the new secret and with the one before', () => {
  const [current, former, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const headers = signMessage([current, former], 'id-1', now(), BODY);
  for (const secret of [current, former]) assert.deepEqual(verify(secret, BODY, headers), JSON.parse(BODY));
  assert.throws(() => verify(other, BODY, headers));
});

test('a message that was changed is not taken: body, id, or time', () => {
  const secret = randomBytes(32);
  const headers = signMessage([secret], 'id-1', now(), BODY);
  assert.throws(() => verify(secret, BODY.replace('42', '43'), headers));
  assert.throws(() => verify(secret, BODY, { ...headers, 'webhook-id': 'id-2' }));
  const later = String(Number(headers['webhook-timestamp']) + 1);
  assert.throws(() => verify(secret, BODY, { ...headers, 'webhook-timestamp': later }));
});

test('without a secret there is no signature, but id and time', () => {
  assert.deepEqual(signMessage([], 'id-1', 1_700_000_000.9, BODY), {
    'webhook-id': 'id-1',
    'webhook-timestamp': '1700000000',
  });
});

test('the example of the Standard Webhooks is signed as it says', () => {
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const headers = signMessage(
    [secret],
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1_614_265_330,
    '{"test": 2432232314}',
  );
  assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});
