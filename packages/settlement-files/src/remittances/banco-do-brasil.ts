import { ACCOUNT, COMPANY, field, portfolio } from './agreements.ts';
import { accountOf, COMMON, type Dialect240, documentOfFile, lines240 } from './cnab240-family.ts';
import { detail, header, linesOf, payerDocument, payerPlace, terms } from './cnab400-family.ts';
import type { Agreement, Remittance, RemittanceBank, RemittanceOrder } from './remittance.ts';
import { dayAfter, digits, documentOf, shortDay, text } from './write-record.ts';

const agreementOfBb = (agreement: Agreement) =>
  `${digits(field(agreement, 'agreement'), 9)}0014${field(agreement, 'portfolio')}${field(agreement, 'variation')}  `;

const BB: Dialect240 = {
  ...COMMON,
  ...{ code: '001', bankName: 'BANCO DO BRASIL S.A.', version: { file: '083', lot: '042' } },
  company: (agreement) => [
    documentOfFile(agreement),
    [33, 72, agreementOfBb(agreement) + accountOf(agreement)],
  ],
  companyOfLot: (agreement) => [[34, 73, agreementOfBb(agreement) + accountOf(agreement)]],
  title: ({ bankNumber }, agreement) => [
    [18, 37, accountOf(agreement)],
    [38, 57, `${field(agreement, 'agreement')}${bankNumber}`.padEnd(20)],
    // 7: simple collection of portfolio 17.
    [58, 62, `${field(agreement, 'portfolio') === '17' ? '7' : '1'}1 00`],
  ],
  // The agreement says how long a boleto may be paid.
  writeOff: () => '0000',
  totals: 0,
};

/** For agreements of seven digits: our number follows the agreement. */
export const BANCO_DO_BRASIL_240: RemittanceBank = {
  code: BB.code,
  layout: '240',
  name: 'Banco do Brasil',
  agreement: {
    ...ACCOUNT,
    agreement: { pattern: /^[1-9]\d{6}$/, meaning: 'seven digits (convênio)' },
    ...portfolio(/^\d{2}$/, 'two digits, such as 17'),
    variation: { pattern: /^\d{3}$/, meaning: 'three digits, such as 019' },
    ...COMPANY,
  },
  agreementFault: () => null,
  numberLength: 10,
  shownNumber: (bankNumber, agreement) => `${field(agreement, 'agreement')}${bankNumber}`,
  freeField: (bankNumber, agreement) =>
    `000000${field(agreement, 'agreement')}${bankNumber}${field(agreement, 'portfolio')}`,
  lines: (remittance) => lines240(BB, remittance),
};

const accountOf400 = (agreement: Agreement) =>
  `${field(agreement, 'branch')}${field(agreement, 'branchDigit')}${digits(field(agreement, 'account'), 8)}${field(agreement, 'accountDigit')}`;

function register(order: RemittanceOrder, agreement: Agreement): ((number: number) => string)[] {
  const { bankNumber, finePortion, payer } = order;
  const number = `${field(agreement, 'agreement')}${bankNumber}`;
  const title = detail([
    [1, 17, `7${documentOf(field(agreement, 'companyDocument')).join('')}`],
    [18, 38, accountOf400(agreement) + field(agreement, 'agreement')],
    [39, 63, order.companyUse.padEnd(25)],
    [64, 84, `${number}0000`],
    [92, 101, `${field(agreement, 'variation')}0000000`],
    [107, 108, field(agreement, 'portfolio')],
    // 44: written off, not given back; 07: no protest.
    ...terms(order, { code: '001', title: '01', collector: '0000 ' })(
      order.kind === 'writeOff' ? '4400' : '0700',
    ),
    payerDocument(order),
    [235, 271, text(payer.name, 37)],
    ...payerPlace(order),
  ]);
  if (finePortion === null || order.kind !== 'register') return [title];
  // 2: a percentage.
  return [title, detail([[1, 22, `5992${shortDay(dayAfter(order.dueOn))}${digits(finePortion, 12)}`]])];
}

function lines400(remittance: Remittance): string[] {
  const { agreement, number, orders } = remittance;
  const first = header(
    remittance,
    `${accountOf400(agreement)}000000`,
    field(agreement, 'companyName'),
    ['001', 'BANCODOBRASIL'],
    [
      [101, 107, digits(number, 7)],
      [130, 136, field(agreement, 'agreement')],
    ],
  );
  return linesOf(
    first,
    orders.flatMap((order) => register(order, agreement)),
  );
}

export const BANCO_DO_BRASIL_400: RemittanceBank = { ...BANCO_DO_BRASIL_240, layout: '400', lines: lines400 };
