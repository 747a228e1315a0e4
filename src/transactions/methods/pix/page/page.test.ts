import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { cents } from '../../../../values/cents.ts';
import { instant } from '../../../../values/instant.ts';
import { qrCodeSvg } from '../../../../values/qr-code.ts';
import { PIX_STATES } from '../pix.ts';
import { NO_PIX_PAGE, PIX_PAGE_HEADERS, pixPage } from './page.ts';
import type { PixToPay } from './pix-to-pay.ts';

const CODE =
  '00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***6304ABCD';
const NOW = instant(Date.parse('2026-11-29T13:00:00Z'));
const HOUR = 3_600_000;

const PIX: PixToPay = {
  merchantId: 'm',
  state: 'waiting',
  amount: cents(123_456),
  due: null,
  expiresAt: instant(NOW + HOUR),
  description: 'Pedido <1001>',
  pixEmv: CODE,
  payment: null,
  requestedAt: NOW,
  beneficiary: { name: 'Loja & Filhos', documentNumber: '11222333000181' },
  now: NOW,
};

const refreshes = (page: string) => page.includes('http-equiv="refresh"');

test('what can be paid has its code twice, and asks again by itself until it is paid', () => {
  const page = pixPage(PIX);
  assert.ok(page.includes(qrCodeSvg(CODE)) && page.includes(CODE) && refreshes(page));
  assert.ok(
    page.includes('R$ 1.234,56') && page.includes('Loja &amp; Filhos') && page.includes('&lt;1001&gt;'),
  );
  const payment = { endToEndId: 'E', amount: PIX.amount, paidAt: NOW };
  const paid = pixPage({ ...PIX, state: 'paid', payment });
  assert.match(paid, /Paga em 29\/11\/2026 às 10:00/);
  assert.ok(!refreshes(paid) && !paid.includes(CODE));
});

test('what cannot be paid shows no code, in no state and not a moment after its end', () => {
  for (const state of PIX_STATES.filter((one) => one !== 'waiting'))
    assert.ok(!pixPage({ ...PIX, state }).includes(CODE), state);
  const over = pixPage({ ...PIX, now: PIX.expiresAt });
  assert.ok(!over.includes(CODE) && !refreshes(over));
});

test('the policy names the one style of the page, and no script may run', () => {
  for (const page of [pixPage(PIX), NO_PIX_PAGE]) {
    const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = PIX_PAGE_HEADERS['content-security-policy'];
    assert.ok(policy.includes(`style-src 'sha256-${hash}'`), hash);
    assert.ok(!/<script|\son\w+=|style=|src=|@import|url\(/.test(page));
  }
});
