import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STATUS_WORDS } from '../../payments/status/contract.ts';
import { RECEIVABLE_SAMPLE } from '../../reconciliation/receivables/endpoints.ts';
import type { Receivable } from '../../reconciliation/receivables/receivable.ts';
import { cents } from '../../values/cents.ts';
import type { Day, Instant } from '../../values/instant.ts';
import { consoleWording } from '../console-wording.ts';
import { paymentBecame } from './payment-story.ts';

type Payment = Parameters<typeof paymentBecame>[0];
type Chargebacks = Parameters<typeof paymentBecame>[2];

const PAYMENT = {
  statusDescription: 'Autorizada',
  value: 12_990,
  canceledAmount: 0,
  cancelingAmount: 0,
  installments: [],
} satisfies Payment;

const came: Receivable = RECEIVABLE_SAMPLE;
const due: Receivable = {
  ...RECEIVABLE_SAMPLE,
  installmentNumber: 2,
  state: 'authorized',
  expected: { fee: cents(162), net: cents(6_333), on: '2027-01-20' as Day },
  paidOn: null,
  reported: { fee: null, net: null, bankOn: null },
};

function became(
  change: Partial<Payment>,
  receivables: readonly Receivable[] = [],
  chargebacks: Chargebacks = [],
  language: 'pt' | 'en' = 'en',
): string {
  const text = paymentBecame({ ...PAYMENT, ...change }, receivables, chargebacks, consoleWording()(language));
  return text.replaceAll('\u00a0', ' ');
}

test('every status of a payment has a sentence in both languages', () => {
  for (const statusDescription of Object.values(STATUS_WORDS)) {
    const texts = (['pt', 'en'] as const).map((language) => became({ statusDescription }, [], [], language));
    for (const text of texts) assert.match(text, /^[^{}]{10,}\.$/, statusDescription);
    assert.notEqual(texts[0], texts[1], statusDescription);
  }
});

test('what came and what is to come is said with its amounts and the next day', () => {
  assert.equal(
    became({}, [came, due]),
    'The issuer approved it. 1 of 2 installments came, R$63.33 after fees. R$63.33 are to come, the next on 20/01/2027.',
  );
  assert.match(
    became({ statusDescription: 'Paga' }, [came]),
    /^The issuer approved it\. 1 of 1 .+ No more is to come\.$/,
  );
  assert.match(
    became({ statusDescription: 'Bloqueada' }, [due]),
    /holds money of it back\. R\$63\.33 are to come/,
  );
  assert.match(became({}, []), /is being worked out\.$/);
});

test('a decline says why, and whether another try is of use', () => {
  const declined = { statusDescription: 'Negada', returnCode: '51', description: 'No funds' } as const;
  assert.equal(
    became({ ...declined, retryable: true }),
    'The issuer declined it (51 No funds). Another try may succeed.',
  );
  assert.match(became({ ...declined, retryable: false }), /of no use, and may cost a fee\.$/);
});

test('what went back, is on its way back, or was taken back by the holder is said beside', () => {
  assert.match(became({ canceledAmount: 1_000 }, [due]), /R\$10\.00 of it went back to the card\.$/);
  assert.match(became({ cancelingAmount: 500 }, [due]), /R\$5\.00 are on the way back\.$/);
  assert.equal(
    became({ statusDescription: 'Cancelada', canceledAmount: 12_990 }),
    'All of it went back, R$129.90: nothing is to come.',
  );
  const chargeback = {
    installmentNumber: 1,
    happenedAt: 0 as Instant,
    amount: null,
    state: 'applied',
  } as const;
  assert.match(became({}, [due], [chargeback]), /\(chargeback\)\.$/);
});

test('what is pre-authorized or being captured says until when, and how much', () => {
  const captureUntil = '2026-11-28T10:00:00.000-03:00';
  assert.match(became({ statusDescription: 'Pré-autorizada', captureUntil }), /until 28\/11\/2026/);
  assert.match(
    became({ statusDescription: 'Processando', capturingAmount: 5_000 }),
    /capture of R\$50\.00 was asked for/,
  );
});
