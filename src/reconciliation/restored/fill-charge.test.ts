import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../platform/postgres/database.ts';
import type { ListedCharge } from '../../providers/acquirers/listed-charge.ts';
import { cents } from '../../values/cents.ts';
import { instant } from '../../values/instant.ts';
import { fillRequests } from './fill-charge.ts';

const NOTHING_IS_ASKED = {} as Database;
const AT = instant(Date.parse('2026-11-23T12:00:00Z'));

test('what was made at the acquirer under an id that is none of ours ends no walk: it is named as not written', async () => {
  const charge = {
    merchantId: 'LOJA',
    reference: '019ac5a2-7b1e-7d11-9c55-1f2e3d4c5b6a',
    captures: [{ captureReference: 'DESK-7', amount: cents(900), capturedAt: AT }],
    cancellations: [
      { cancellationReference: 'DESK-8', amount: cents(100), outcome: 'canceled', requestedAt: AT },
    ],
  } as unknown as ListedCharge;
  assert.deepEqual(await fillRequests({ database: NOTHING_IS_ASKED }, charge, null, 'requests'), [
    { words: 'its capture of 900 has the foreign id DESK-7', isPassing: false },
    { words: 'its cancel of 100 has the foreign id DESK-8', isPassing: false },
  ]);
});
