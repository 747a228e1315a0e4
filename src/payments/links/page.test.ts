import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { cardPageHeaders } from '../../transactions/payers/card-page.ts';
import { readPageScript } from '../../transactions/payers/read-page-script.ts';
import type { BarCode } from '../../values/bar-code.ts';
import { cents } from '../../values/cents.ts';
import { type Day, instant } from '../../values/instant.ts';
import { installmentOptions, type Link, MOST_CARD_TRIES } from './link.ts';
import { type LinkToPay, linkPage, NO_LINK_PAGE } from './page.ts';

const SCRIPT = readPageScript();
const NOW = instant(Date.parse('2026-11-29T13:00:00Z'));

const LINK: Link = {
  merchantId: 'm',
  linkId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
  accountNumber: '1',
  pageKey: '0'.repeat(32),
  description: 'Livro </script><b>',
  amount: cents(10_000),
  mostInstallments: 3,
  expiresAt: instant(NOW + 3_600_000),
  callbackUrl: null,
  returnUrl: null,
  referenceTransaction: null,
  softDescriptor: null,
  state: 'open',
  disableReason: null,
  tries: 0,
  cardTries: 0,
  boletoTries: 0,
  tryMethod: null,
  paymentId: null,
  receivedAmount: cents(0),
  receivedId: null,
  removals: 0,
  removalAt: null,
  isRemovalRested: true,
  createdBy: 'loja',
  createdAt: NOW,
  triedMilliseconds: 0,
};

const TO_PAY: LinkToPay = {
  link: LINK,
  beneficiary: { name: 'Loja & Filhos' },
  shown: 'open',
  options: installmentOptions(LINK, cents(500), 12),
  offered: { pix: true, boleto: true },
  bill: null,
  now: NOW,
  publicKey: 'a2V5',
  returnAddress: 'https://loja.example/?status=Pago&x="',
};

const page = (change: Partial<LinkToPay> = {}) => linkPage({ ...TO_PAY, ...change }, SCRIPT);
const hashOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

test('an open link shows what is paid and each way to divide it, and no field that a browser could send', () => {
  const html = page({ returnAddress: null });
  for (const text of [
    'Loja &amp; Filhos',
    'Livro &lt;/script&gt;&lt;b&gt;',
    '3x de R$ 33,33 (a primeira de R$ 33,34)',
  ])
    assert.ok(html.includes(text), text);
  assert.ok(!/<(input|select)[^>]*\sname=/.test(html));
  assert.ok(!html.includes('Voltar ao vendedor'));
});

test('a link that is not open has no form, and one that is over leads back', () => {
  for (const shown of ['paying', 'paid', 'expired', 'disabled'] as const) {
    const html = page({ shown, ...(shown === 'paying' && { returnAddress: null }) });
    assert.ok(!html.includes('<form'), shown);
    assert.equal(
      html.includes('href="https://loja.example/?status=Pago&amp;x=&quot;"'),
      shown !== 'paying',
      shown,
    );
    assert.equal(html.includes('"refreshSeconds":5'), shown === 'paying', shown);
  }
  const pix = {
    ...({ method: 'pix', state: 'waiting', isExpiring: false } as const),
    expiresAt: instant(NOW + 1_800_000),
    code: '00020101021226',
  };
  const withPix = page({ shown: 'paying', bill: pix, returnAddress: null });
  assert.ok(withPix.includes('<svg') && withPix.includes(pix.code) && withPix.includes('válido até 10:30'));
  assert.ok(!withPix.includes('<form'));
  for (const [state, words] of [
    ['issuing', /sendo criado/],
    ['removing', /Não o pague/],
    ['waiting', /prazo do Pix terminou/],
  ] as const)
    assert.match(page({ shown: 'paying', bill: { ...pix, state, code: null } }), words);
  const none = page({ offered: { pix: false, boleto: false } });
  assert.ok(!/Pagar com (Pix|boleto)/.test(none) && none.includes('>Pague com cartão de crédito.<'));
  assert.ok(
    !page({ link: { ...LINK, cardTries: MOST_CARD_TRIES } }).includes('id="card"'),
    'after too many tries',
  );
});

test('a boleto that waits shows its line, its day and its paper, and no other way to pay beside it', () => {
  const boleto = {
    ...({ method: 'boleto', state: 'issued', isExpiring: false, notice: null } as const),
    dueOn: '2026-12-02' as Day,
    barCode: '00191131000000149900000001234567890000000000' as BarCode,
    paper: { try: 'l:1', digest: 'd', pages: '/boletos/' },
  };
  const waiting = page({ shown: 'paying', bill: boleto, returnAddress: null });
  for (const text of ['00190.00009', '02/12/2026', '"refreshSeconds":5'])
    assert.ok(waiting.includes(text), text);
  assert.ok(!/<form|href=/.test(waiting), 'whoever has the link would read who pays');
  for (const [triedMilliseconds, seconds] of [
    [3_600_000, 180],
    [86_400_000, 600],
  ] as const) {
    const link = { ...LINK, triedMilliseconds };
    const html = page({ link, shown: 'paying', bill: { ...boleto, barCode: null }, returnAddress: null });
    assert.ok(
      html.includes(`"refreshSeconds":${seconds}`),
      'asked for days, it is not asked every few seconds',
    );
  }
  for (const [state, notice, words] of [
    ['issuing', null, /sendo registrado/],
    ['canceling', null, /Não o pague/],
    ['overdue', 'O prazo terminou.', /O prazo do boleto terminou: aguardando o banco\. Se já pagou/],
  ] as const)
    assert.match(page({ shown: 'paying', bill: { ...boleto, state, notice, barCode: null } }), words);
});

test('the policy names the one style and the one script of the page, and lets no form be sent', () => {
  const policy = cardPageHeaders(SCRIPT)['content-security-policy'];
  for (const html of [page(), NO_LINK_PAGE]) {
    assert.ok(policy.includes(`style-src '${hashOf(/<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? '')}'`));
    assert.ok(!/\son\w+=|style=|src=|@import|url\(/.test(html.replace(SCRIPT.text, '')));
  }
  const run = /<script>([\s\S]*?)<\/script>/.exec(page())?.[1] ?? '';
  assert.ok(policy.includes(`script-src '${hashOf(run)}'`) && policy.includes("form-action 'none'"));
});
