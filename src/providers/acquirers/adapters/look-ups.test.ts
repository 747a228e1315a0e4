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

test('a void of several is promised only where each is, and holds are over only where nothing else stands', async () => {
  const ids = ['24bc8366-fc31-4d6c-8555-17049a836a07', '24bc8366-fc31-4d6c-8555-17049a836a08'] as const;
  const listed = ok({ Payments: ids.map((PaymentId) => ({ PaymentId })) });
  const shown = (number: 0 | 1, Status: 1 | 2) => {
    const captured = Status === 2 ? { CapturedAmount: 700 } : {};
    const Payment = { PaymentId: ids[number], Status, Amount: 700, Tid: TID, ...captured };
    return ok({ MerchantOrderId: shortReference(REFERENCE), Payment });
  };
  const said = (ReturnCode: string) => ok({ ReturnCode });
  const [accepted, explained, refused, late, done] = ['10', '42', '106', '40', '0'].map(said) as [
    Asked,
    Asked,
    Asked,
    Asked,
    Asked,
  ];
  const silent: Asked = { kind: 'unknown', reason: 'R' };
  const toldBy = async (acquirer: ReturnType<typeof acquirerOf>) => {
    const told = await acquirer.voidCharge('LOJA', REFERENCE, 1_000);
    return told.kind === 'unknown' ? [told.ofHold, told.promise] : [told.kind];
  };
  const plain = [undefined, undefined];
  for (const [one, other, sales, holds] of [
    [accepted, accepted, [undefined, 'made'], ['unclear', undefined]],
    [accepted, done, [undefined, 'made'], [undefined, 'made']],
    [accepted, explained, [undefined, 'ofEarlier'], ['unclear', undefined]],
    [accepted, refused, plain, ['unclear', undefined]],
    [explained, refused, plain, ['unclear', undefined]],
    [explained, late, plain, ['unclear', undefined]],
    [accepted, late, plain, ['unclear', undefined]],
    [explained, silent, plain, ['unclear', undefined]],
    [accepted, NONE_FREE, plain, plain],
  ] as const)
    for (const [isHeld, expected] of [
      [false, sales],
      [true, holds],
    ] as const) {
      // Of the first kind both are sales; of the second the other one is held.
      const answers = [shown(0, 2), shown(1, isHeld ? 1 : 2)];
      const told = await toldBy(acquirerOf('cielo', listed, ...answers, one, other));
      assert.deepEqual(told, expected, JSON.stringify([isHeld, one, other]));
    }
  assert.deepEqual(await toldBy(acquirerOf('rede', FOUND, ok({ returnCode: '360' }))), [undefined, 'made']);
  assert.deepEqual(await toldBy(acquirerOf('rede', FOUND, ok({ returnCode: '357' }))), [
    undefined,
    'ofEarlier',
  ]);
  const held = ok({ authorization: CHARGE });
  assert.deepEqual(await toldBy(acquirerOf('rede', held, ok({ returnCode: '360' }))), ['unclear', undefined]);
});
