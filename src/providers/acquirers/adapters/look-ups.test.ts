import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Asked, NONE_FREE } from '../../../platform/channels/ask-once.ts';
import { cents } from '../../../values/cents.ts';
import { instant } from '../../../values/instant.ts';
import type { CancelHistory } from '../acquirer.ts';
import { directSettings } from '../direct-acquirer.ts';
import { shortReference } from '../short-reference.ts';
import { cieloAcquirer } from './cielo/cielo.ts';
import { redeAcquirer } from './rede/rede.ts';

/** What a look-up that tells nothing says of its acquirer: nothing, a silence, or an answer of no use. */

const REFERENCE = '019ac5a2-7b1e-7d11-9c55-1f2e3d4c5b6a';
const TID = '0305020554239';
const SETTINGS = directSettings(
  {},
  { horizonSeconds: 1, apartSeconds: 1, silenceSeconds: 1, isTwoSteps: true },
);
const HISTORY: CancelHistory = {
  ...{ tid: TID, givenBack: cents(0), sinceLastSend: null },
  ...{ isAccepted: false, refundId: null, isDenied: false },
};
const REQUEST = {
  ...{ merchantId: 'LOJA', reference: REFERENCE, captureReference: 'C1', cancellationReference: 'C1' },
  // To be found by the reference.
  ...{ amount: cents(700), capturedAt: instant(1), requestedAt: instant(1), tid: null },
  markSent: (): Promise<boolean> => assert.fail('nothing may be sent'),
};

const ok = (body: object): Asked => ({ kind: 'answer', status: 200, body });
const LISTED = ok({ Payments: [{ PaymentId: '24bc8366-fc31-4d6c-8555-17049a836a07' }] });
const CHARGE = {
  ...{ reference: shortReference(REFERENCE), returnCode: '00', status: 'Approved' },
  ...{ tid: TID, authorizationCode: '186376', nsu: '1', amount: 700 },
};
const FOUND = ok({ authorization: CHARGE, capture: { amount: 700 } });

/** Gives one answer after the other, and then the last one. */
function acquirerOf(name: 'cielo' | 'rede', ...answers: readonly Asked[]) {
  let asked = 0;
  const wire = {
    async ask() {
      asked += 1;
      return answers[asked - 1] ?? (answers.at(-1) as Asked);
    },
    close: async () => undefined,
  };
  return name === 'rede'
    ? redeAcquirer(wire, SETTINGS)
    : cieloAcquirer(wire, { take: async () => true }, SETTINGS);
}

const seen = ({ kind, cause }: { readonly kind: string; readonly cause?: string }) => [kind, cause];

const USELESS: readonly Asked[] = [ok({ Payments: 'none' }), { kind: 'answer', status: 403, body: null }];
const SILENT: readonly Asked[] = [
  { kind: 'answer', status: 503, body: null },
  { kind: 'unknown', reason: 'R' },
  { kind: 'notConnected', reason: 'R' },
];

/** `first`: to the first look-up of all, `later`: to one behind it. */
const CASES = [
  ...USELESS.map((answer) => ({ answer, first: ['unknown', 'unusable'], later: ['unknown', 'unusable'] })),
  ...SILENT.map((answer) => ({ answer, first: ['unknown', undefined], later: ['unknown', 'partly'] })),
  { answer: NONE_FREE, first: ['notSent', undefined], later: ['unknown', 'notAsked'] },
];

for (const name of ['cielo', 'rede'] as const)
  for (const { answer, first, later } of CASES)
    test(`${name}: ${JSON.stringify(answer)} to a look-up says so much of it, and nothing is sent`, async () => {
      const at = () => acquirerOf(name, answer);
      assert.deepEqual(seen(await at().find('LOJA', REFERENCE, 1_000)), first);
      assert.deepEqual(seen(await at().voidCharge('LOJA', REFERENCE, 1_000)), first);
      assert.deepEqual(seen(await at().findCapture(REQUEST, 1_000)), first);
      assert.deepEqual(seen(await at().capture(REQUEST, 1_000)), first);
      const cancel = (sinceLastSend: number | null, ...before: readonly Asked[]) =>
        acquirerOf(name, ...before, answer).cancel(
          { ...REQUEST, history: { ...HISTORY, sinceLastSend } },
          1_000,
        );
      assert.deepEqual(seen(await cancel(1)), first);
      assert.deepEqual(seen(await cancel(1, name === 'cielo' ? LISTED : FOUND)), later);
      // Its first request is not kept for a look-up that told nothing.
      const unsent = await cancel(null);
      const [kind, cause] = first;
      assert.deepEqual(seen(unsent), ['notSent', kind === 'notSent' ? undefined : (cause ?? 'silent')]);
      assert.equal(Reflect.get(unsent, 'isForPerson') ?? false, cause === 'unusable');
    });

test('more payments than there can be are no silence of Cielo', async () => {
  const ids = Array.from({ length: 21 }, (_, n) => `24bc8366-fc31-4d6c-8555-17049a8360${10 + n}`);
  const many = ok({ Payments: ids.map((PaymentId) => ({ PaymentId })) });
  assert.deepEqual(seen(await acquirerOf('cielo', many).find('LOJA', REFERENCE, 1_000)), [
    'unknown',
    'unusable',
  ]);
});

/** Shown by its list, and by itself. */
const shownAtCielo = (PaymentId: string): Asked =>
  ok({
    MerchantOrderId: shortReference(REFERENCE),
    Payment: { PaymentId, Status: 1, Amount: 700, Tid: TID },
  });

test('what is not answered behind a look-up that was says nothing of its acquirer as a whole', async () => {
  const held = ok({ authorization: CHARGE });
  const sent = { ...REQUEST, tid: TID, markSent: async () => true, history: HISTORY };
  for (const silent of [...SILENT, NONE_FREE]) {
    const shown = shownAtCielo('24bc8366-fc31-4d6c-8555-17049a836a07');
    for (const acquirer of [acquirerOf('rede', held, silent), acquirerOf('cielo', LISTED, shown, silent)]) {
      const voided = await acquirer.voidCharge('LOJA', REFERENCE, 1_000);
      const said = silent === NONE_FREE ? ['notSent', undefined] : ['unknown', 'partly'];
      assert.deepEqual(seen(voided), said, JSON.stringify(silent));
    }
    const refunds = ok({ refunds: [] });
    for (const acquirer of [
      acquirerOf('rede', FOUND, refunds, silent),
      acquirerOf('cielo', LISTED, shown, silent),
    ]) {
      const canceled = await acquirer.cancel(sent, 1_000);
      const kind = silent.kind === 'answer' ? 'unknown' : silent.kind;
      const cause = silent === NONE_FREE ? undefined : 'partly';
      assert.deepEqual(seen(canceled), [kind, cause], JSON.stringify(silent));
    }
  }
});

test('a void of which one part was not sent was sent', async () => {
  const ids = ['24bc8366-fc31-4d6c-8555-17049a836a07', '24bc8366-fc31-4d6c-8555-17049a836a08'] as const;
  const listed = ok({ Payments: ids.map((PaymentId) => ({ PaymentId })) });
  const voided = ok({ ReturnCode: '0' });
  const [one, other] = ids.map(shownAtCielo) as [Asked, Asked];
  for (const answers of [
    [voided, NONE_FREE],
    [NONE_FREE, voided],
  ])
    assert.deepEqual(
      seen(await acquirerOf('cielo', listed, one, other, ...answers).voidCharge('LOJA', REFERENCE, 1_000)),
      ['unknown', 'notAsked'],
    );
});

test('a void that is accepted is promised, and a no that one before explains may be; any other no comes first', async () => {
  const ids = ['24bc8366-fc31-4d6c-8555-17049a836a07', '24bc8366-fc31-4d6c-8555-17049a836a08'] as const;
  const listed = ok({ Payments: ids.map((PaymentId) => ({ PaymentId })) });
  const captured = ids.map((PaymentId) => {
    const Payment = { PaymentId, Status: 2, Amount: 700, CapturedAmount: 700, Tid: TID };
    return ok({ MerchantOrderId: shortReference(REFERENCE), Payment });
  }) as [Asked, Asked];
  const [accepted, explained, refused] = ['10', '42', '106'].map((ReturnCode) => ok({ ReturnCode }));
  const promiseOf = async (acquirer: ReturnType<typeof acquirerOf>) => {
    const said = await acquirer.voidCharge('LOJA', REFERENCE, 1_000);
    return said.kind === 'unknown' ? said.promise : said.kind;
  };
  const ofBoth = (one: Asked, other: Asked) =>
    promiseOf(acquirerOf('cielo', listed, ...captured, one, other));
  for (const [one, other, promise] of [
    [accepted, accepted, 'made'],
    [accepted, ok({ ReturnCode: '0' }), 'made'],
    [accepted, explained, 'ofEarlier'],
    [explained, accepted, 'ofEarlier'],
    [accepted, refused, undefined],
    [accepted, NONE_FREE, undefined],
  ] as const) {
    assert.equal(await ofBoth(one as Asked, other as Asked), promise);
  }
  assert.equal(await promiseOf(acquirerOf('rede', FOUND, ok({ returnCode: '360' }))), 'made');
  assert.equal(await promiseOf(acquirerOf('rede', FOUND, ok({ returnCode: '357' }))), 'ofEarlier');
});

test('a void is not sent without the time for its own answer', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  for (const [name, first] of [
    ['rede', FOUND],
    ['cielo', LISTED],
  ] as const) {
    const sent: string[] = [];
    const wire = {
      async ask(_line: unknown, _wanted: unknown, { method }: { readonly method: string }) {
        if (method !== 'GET') sent.push(method);
        now += 3_100;
        return now === 3_100 ? first : shownAtCielo('24bc8366-fc31-4d6c-8555-17049a836a07');
      },
      close: async () => undefined,
    };
    now = 0;
    const acquirer =
      name === 'rede'
        ? redeAcquirer(wire, SETTINGS)
        : cieloAcquirer(wire, { take: async () => true }, SETTINGS);
    const timeout = name === 'rede' ? 4_000 : 8_000;
    assert.deepEqual([(await acquirer.voidCharge('LOJA', REFERENCE, timeout)).kind, sent], ['notSent', []]);
  }
});
