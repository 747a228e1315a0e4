import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import jsQR from 'jsqr';
import { scannedPage, scannedPdf } from '../../../../../test/boletos/scanner.ts';
import { composeBarCode } from '../../../../values/bar-code.ts';
import { cents } from '../../../../values/cents.ts';
import { type Day, isDay } from '../../../../values/instant.ts';
import { BOLETO_STATES } from '../boleto.ts';
import { boletoDrawing } from './boleto-drawing.ts';
import type { BoletoToPrint } from './boleto-to-print.ts';
import { boletoPage, NO_BOLETO_PAGE, PAGE_HEADERS } from './page.ts';
import { pdfOf } from './pdf.ts';
import { widthOfText } from './text-widths.ts';

function day(text: string): Day {
  assert.ok(isDay(text), text);
  return text;
}

const DUE_ON = day('2026-12-10');
const AMOUNT = cents(123_456);
const BAR_CODE = composeBarCode({
  bankCode: '341',
  dueOn: DUE_ON,
  amount: AMOUNT,
  freeField: '1101234567880057123457000',
});
const LINE = '34191.10121 34567.880058 71234.570001 6 16560000123456';

const BOLETO: BoletoToPrint = {
  state: 'issued',
  isExpiring: false,
  registered: { barCode: BAR_CODE, pixEmv: null },
  ourNumber: '00000012345',
  referenceTransaction: 'PEDIDO-1001',
  amount: AMOUNT,
  issuedOn: day('2026-11-23'),
  dueOn: DUE_ON,
  payableUntil: day('2027-01-09'),
  beneficiary: { name: 'Papelaria São João Ltda', documentNumber: '11222333000181', address: null },
  payer: {
    name: 'João Araújo (filho)',
    documentNumber: '11144477735',
    email: null,
    address: {
      street: 'Rua das Laranjeiras',
      number: '100',
      complement: 'apto 201',
      district: 'Laranjeiras',
      city: 'Rio de Janeiro',
      state: 'RJ',
      zipCode: '22240003',
    },
  },
  instructions: ['Dúvidas: (21) 5555-0100'],
  finePortion: 200,
  interestPortion: 100,
  discount: { amount: cents(1_000), until: day('2026-12-01') },
  payment: null,
  today: day('2026-11-23'),
};

const pdf = (boleto: BoletoToPrint) => pdfOf(boletoDrawing(boleto), 'Boleto');

test('the bars of the page and of the PDF say the 44 digits', () => {
  const freeField = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 25, maxLength: 25 });
  fc.assert(
    fc.property(freeField, fc.nat(9_999_999_999), (free, amount) => {
      const parts = { bankCode: '001', dueOn: DUE_ON, amount: cents(amount), freeField: free };
      const barCode = composeBarCode(parts);
      const boleto = { ...BOLETO, registered: { barCode, pixEmv: null } };
      assert.equal(scannedPage(boletoPage(boleto, 'pdf')), barCode);
      assert.equal(scannedPdf(pdf(boleto)), barCode);
    }),
  );
});

test('the bar code is 103 by 13 millimetres, on the page and in the PDF', () => {
  assert.match(
    boletoPage(BOLETO, 'pdf'),
    /<svg x="\d+" y="[\d.]+" width="103" height="13" viewBox="0 0 405 1"/,
  );
  const [, scaleX, scaleY] = /q ([\d.]+) 0 0 ([\d.]+) [\d.]+ [\d.]+ cm/.exec(pdf(BOLETO)) ?? [];
  assert.equal(Math.round(((Number(scaleX) * 405) / 72) * 254), 1_030);
  assert.equal(Math.round((Number(scaleY) / 72) * 254), 130);
});

test('the page and the PDF show what a slip must show', () => {
  const shown = [
    ...[
      LINE,
      'Itaú',
      '341-7',
      'Papelaria São João Ltda - CNPJ 11.222.333/0001-81',
      '00000012345',
      'PEDIDO-1001',
    ],
    ...[
      'Pagável em qualquer banco até 09/01/2027',
      '10/12/2026',
      '23/11/2026',
      'R$ 1.234,56',
      'Recibo do pagador',
    ],
    ...['João Araújo (filho) - CPF/CNPJ 111.444.777-35', 'Dúvidas: (21) 5555-0100', 'Ficha de compensação'],
    'Rua das Laranjeiras, 100 - apto 201 - Laranjeiras - Rio de Janeiro/RJ - CEP 22240-003',
    'Até 01/12/2026, desconto de R$ 10,00.',
    'Após o vencimento, multa de 2,00%.',
    'Após o vencimento, juros de 1,00% ao mês, por dia de atraso.',
    'Não receber após 09/01/2027.',
  ];
  const [page, text] = [boletoPage(BOLETO, 'x/pdf'), textOfPdf(pdf(BOLETO))];
  for (const words of shown) {
    assert.ok(page.includes(words), words);
    assert.ok(text.includes(words), words);
  }
  assert.ok(page.includes('<a href="x/pdf">'));
});

function textOfPdf(file: string): string {
  return [...file.matchAll(/\((.*)\) Tj/g)]
    .map(([, text = '']) =>
      text
        .replace(/\\(\d{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))
        .replace(/\\(.)/g, '$1'),
    )
    .join('\n');
}

/** Eight pixels a millimetre of a sheet, the bars of all marks being dark. */
function scannedQrCode(boleto: BoletoToPrint): string | null {
  const [scale, width, height] = [8, 210, 297];
  const pixels = new Uint8ClampedArray(width * height * scale * scale * 4).fill(255);
  for (const mark of boletoDrawing(boleto)) {
    if (mark.kind !== 'bars') continue;
    const wide = mark.width / mark.bars.width;
    for (const bar of mark.bars.bars) {
      const [left, right] = [bar.from, bar.from + bar.width].map((at) =>
        Math.round((mark.x + at * wide) * scale),
      );
      for (let y = Math.round(mark.y * scale); y < Math.round((mark.y + mark.height) * scale); y += 1)
        for (let x = left ?? 0; x < (right ?? 0); x += 1) pixels.set([0, 0, 0], (y * width * scale + x) * 4);
    }
  }
  return jsQR.default(pixels, width * scale, height * scale)?.data ?? null;
}

test('branch, code, portfolio and number with its digit are printed where the bar code says them', () => {
  const ofBank = (bankCode: string, freeField: string, ourNumber: string): BoletoToPrint => {
    const barCode = composeBarCode({ bankCode, dueOn: DUE_ON, amount: AMOUNT, freeField });
    return { ...BOLETO, ourNumber, registered: { barCode, pixEmv: null } };
  };
  const itau = ofBank('341', '1751234567840810536789000', '10012345678');
  const bradesco = ofBank('237', '4042060000000052500619000', '00000000525');
  for (const text of [boletoPage(itau, 'pdf'), textOfPdf(pdf(itau))])
    for (const words of ['0810/53678-9', '175/12345678-4']) assert.ok(text.includes(words), words);
  assert.ok(boletoPage(itau, 'pdf').includes('>175<'));
  for (const words of ['4042/0061900', '06/00000000525-P'])
    assert.ok(boletoPage(bradesco, 'pdf').includes(words), words);
  const others = [
    ['001', '0000001238798000000052517', '00000000525', ['12387980000000525', '>17<']],
    ['033', '9189977500000000052500101', '00000000525', ['1899775', '000000000525-0']],
    ['085', '2341230356156900000052501', '00000000525', ['0356156-9', '03561569000000525']],
    ['104', '2452740000100040000000017', '00000000001', ['2452740', '14000000000000001-4', 'RG']],
    ['077', '0001110123456700000004586', '00000000009', ['0001-9', '00019/110/0000000458-6']],
    ['208', '0050010000000638003886850', '00000006380', ['0050/0388685', '001/00000006380-4']],
    ['748', '1126200001601650200623100', '10000000001', ['0165.02.00623', '26/200001-6']],
    ['756', '1432701022938500000024001', '00000000002', ['4327/0229385', '0000002-4']],
  ] as const;
  for (const [bankCode, freeField, ourNumber, all] of others) {
    const page = boletoPage(ofBank(bankCode, freeField, ourNumber), 'pdf');
    for (const words of all) assert.ok(page.includes(words), `${bankCode} ${words}`);
  }
  // A number of the bank's own says nothing of ours.
  assert.ok(!boletoPage({ ...itau, ourNumber: '10000000009' }, 'pdf').includes('0810/53678-9'));
  const inter = ofBank('077', '0001110123456700000004587', '00000000009');
  assert.ok(!boletoPage(inter, 'pdf').includes('00019/110'), 'its digit is wrong');
});

test('the beneficiary stands with its address, where it has one', () => {
  const address = 'Rua das Flores, 100 - Centro - São Paulo/SP - CEP 01001-000';
  const boleto = { ...BOLETO, beneficiary: { ...BOLETO.beneficiary, address } };
  for (const text of [boletoPage(boleto, 'pdf'), textOfPdf(pdf(boleto))]) assert.ok(text.includes(address));
  assert.ok(!textOfPdf(pdf(BOLETO)).includes('null'));
});

test('long names and addresses lose neither a document nor a postal code, on the slip and on the receipt', () => {
  const address = `${'Avenida Presidente Juscelino Kubitschek, 1909 - '.repeat(3)}São Paulo/SP - CEP 01001-000`;
  const beneficiary = {
    name: 'Cooperativa de Produção '.repeat(8).trim(),
    documentNumber: '11222333000181',
    address,
  };
  const { payer } = BOLETO;
  assert.ok(payer !== null);
  const long = {
    ...payer.address,
    street: 'Rua das Laranjeiras '.repeat(5).trim(),
    district: 'Bom Jesus '.repeat(6),
  };
  const boleto = { ...BOLETO, beneficiary, payer: { ...payer, name: 'Łukasz '.repeat(20), address: long } };
  const text = textOfPdf(pdf(boleto));
  for (const kept of ['CNPJ 11.222.333/0001-81', 'CPF/CNPJ 111.444.777-35'])
    assert.equal(text.split(kept).length - 1, 2, kept);
  for (const kept of ['CEP 01001-000', 'CEP 22240-003', 'Lukasz']) assert.ok(text.includes(kept), kept);
  const right = boletoDrawing(boleto).flatMap((mark) =>
    mark.kind === 'text' && mark.end === 'left'
      ? [mark.x + widthOfText(mark.text, mark.size, mark.isBold)]
      : [],
  );
  assert.ok(Math.max(...right) <= 201, String(Math.max(...right)));
});

test('a boleto with a Pix has its QR code on paper; one without has none', () => {
  const pixEmv =
    '00020101021226870014br.gov.bcb.pix2565pix.bank.example/qr/v2/cobv/9d36b84fc70b478fb95c12729b90ca25';
  assert.equal(scannedQrCode({ ...BOLETO, registered: { barCode: BAR_CODE, pixEmv } }), pixEmv);
  assert.equal(scannedQrCode(BOLETO), null);
});

test('what cannot be paid has neither bars nor line, and says why', () => {
  const payment = { amount: cents(125_000), paidOn: day('2026-12-11') };
  const words: Record<(typeof BOLETO_STATES)[number], string | null> = {
    issued: null,
    overdue: null,
    changing: null,
    issuing: 'ainda não foi registrado',
    refused: 'não pode ser pago',
    canceling: 'está sendo cancelado',
    canceled: 'foi cancelado',
    expired: 'O prazo de pagamento deste boleto terminou',
    paid: 'foi pago em 11/12/2026: R$ 1.250,00',
  };
  for (const state of BOLETO_STATES) {
    const boleto = { ...BOLETO, state, payment: state === 'paid' ? payment : null };
    const [page, file] = [boletoPage(boleto, 'pdf'), pdf(boleto)];
    const said = words[state];
    assert.equal(scannedPage(page) !== null, said === null, state);
    assert.equal(scannedPdf(file) !== null, said === null, state);
    assert.equal(page.includes(LINE), said === null, state);
    assert.equal(file.includes(LINE), said === null, state);
    if (said === null) continue;
    assert.ok(page.includes(said), state);
    assert.ok(textOfPdf(file).includes(said), state);
  }
  const late = boletoPage({ ...BOLETO, state: 'canceling', isExpiring: true }, 'pdf');
  assert.ok(late.includes('O prazo de pagamento deste boleto terminou'));
  const pixEmv = '00020126360014br.gov.bcb.pix';
  const withPix = { ...BOLETO, registered: { barCode: BAR_CODE, pixEmv } };
  assert.ok(boletoPage(withPix, 'pdf').includes(pixEmv));
  assert.ok(!boletoPage({ ...withPix, state: 'canceled' }, 'pdf').includes(pixEmv));
  const overdue = boletoPage({ ...BOLETO, state: 'overdue' }, 'pdf');
  assert.ok(overdue.includes('venceu') && overdue.includes('até 09/01/2027'));
  assert.equal(scannedPage(boletoPage({ ...BOLETO, registered: null }, 'pdf')), null);
  // Its last day is the last one, whether the bank has ended it by then or not.
  for (const state of ['issued', 'overdue'] as const) {
    const last = { ...BOLETO, state, today: BOLETO.payableUntil };
    assert.equal(scannedPage(boletoPage(last, 'pdf')), BAR_CODE);
    const over = { ...last, today: day('2027-01-10') };
    assert.equal(scannedPage(boletoPage(over, 'pdf')), null);
    assert.equal(scannedPdf(pdf(over)), null);
    assert.ok(boletoPage(over, 'pdf').includes('O prazo de pagamento deste boleto terminou'));
  }
});

test('a text of a merchant or payer is text, on the page and in the PDF', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }), (text) => {
      const boleto = { ...BOLETO, instructions: [text], referenceTransaction: text };
      const page = boletoPage(boleto, 'pdf');
      assert.equal(
        page.match(/<(?!\/)[a-z]+/g)?.length,
        boletoPage(BOLETO, 'pdf').match(/<(?!\/)[a-z]+/g)?.length,
      );
      checkPdf(pdf(boleto));
    }),
  );
  const page = boletoPage({ ...BOLETO, instructions: ['<script>alert(1)</script>'] }, 'pdf');
  assert.ok(!page.includes('<script') && page.includes('&lt;script&gt;'));
});

/** Every object stands where the table says, and the text is ASCII, so that places in it are bytes. */
function checkPdf(file: string): void {
  assert.match(file, /^%PDF-1\.4\n[\x20-\x7e\n]*%%EOF\n$/);
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]);
  assert.equal(file.slice(start, start + 5), 'xref\n');
  const rows = [...file.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)];
  assert.equal(rows.length, 7);
  for (const [index, [, place]] of rows.entries()) {
    assert.ok(file.slice(Number(place)).startsWith(`${index + 1} 0 obj\n`));
  }
  const [, length, content] = /<< \/Length (\d+) >>\nstream\n([\s\S]*)\nendstream/.exec(file) ?? [];
  assert.equal(content?.length, Number(length));
}

test('a long text is cut, not printed over its neighbour', () => {
  const name = 'Companhia Brasileira de Distribuição de Materiais de Papelaria e Escritório '.repeat(3);
  const boleto = {
    ...BOLETO,
    beneficiary: { ...BOLETO.beneficiary, name },
    referenceTransaction: 'x'.repeat(50),
  };
  const text = textOfPdf(pdf(boleto));
  assert.match(text, /^Companhia Brasileira .*\.\.\. - CNPJ 11\.222\.333\/0001-81$/m);
  assert.match(text, /^x{50}$/m);
});

test('the policy names the one style of the page, and no script may run', () => {
  for (const page of [boletoPage(BOLETO, 'pdf'), NO_BOLETO_PAGE]) {
    const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = PAGE_HEADERS['content-security-policy'];
    assert.ok(policy.includes(`style-src 'sha256-${hash}'`), hash);
    assert.ok(policy.startsWith("default-src 'none';"));
    assert.ok(!/<script|\son\w+=|style=|src=|@import|url\(/.test(page));
    assert.ok(page.includes('<meta name="robots" content="noindex, nofollow">'));
  }
  assert.equal(PAGE_HEADERS['x-robots-tag'], 'noindex, nofollow');
});
