import { COMPANY } from './agreements.ts';
import { bradescoDigit } from './check-digits.ts';
import { accountOf, COMMON, type Dialect240, documentOfFile, lines240 } from './cnab240-family.ts';
import { detail, header, linesOf, payerDocument, terms } from './cnab400-family.ts';
import type { Agreement, AgreementField, RemittanceBank, RemittanceOrder } from './remittance.ts';
import { digits, text } from './write-record.ts';

type Named = Readonly<Record<'branch' | 'account' | 'accountDigit' | 'portfolio' | 'companyCode', string>> &
  Agreement;

function digitOf(bankNumber: string, { portfolio }: Named): string {
  return bradescoDigit(`${portfolio}${bankNumber}`);
}

function register(order: RemittanceOrder, agreement: Named): (number: number) => string {
  const { payer, daysAfterDue, finePortion } = order;
  const { portfolio, branch, account, accountDigit } = agreement;
  // The payer's city has no field: the postal code implies it.
  return detail([
    [1, 20, `1${digits(0, 19)}`],
    [21, 37, `0${digits(portfolio, 3)}${digits(branch, 5)}${account}${accountDigit}`],
    [38, 62, order.companyUse.padEnd(25)],
    [63, 65, '000'],
    [66, 70, `${finePortion === null ? '0' : '2'}${digits(finePortion ?? 0, 4)}`],
    [71, 82, digits(order.bankNumber, 11) + digitOf(order.bankNumber, agreement)],
    [83, 92, digits(0, 10)],
    // The company prints the boleto; no direct debit.
    [93, 94, '2N'],
    [106, 106, '2'],
    // 09: not after the due day; 18: written off as many days after it.
    ...terms(order, { code: '000', title: '01' })(
      daysAfterDue === 0 ? '0900' : `18${digits(daysAfterDue, 2)}`,
    ),
    payerDocument(order),
    [235, 274, text(payer.name, 40)],
    [275, 314, text(payer.street, 40)],
    [315, 326, text(payer.district, 12)],
    [327, 334, payer.zipCode],
  ]);
}

export const BRADESCO_400: RemittanceBank = {
  code: '237',
  layout: '400',
  name: 'Bradesco',
  agreement: {
    branch: { pattern: /^\d{4}$/, meaning: 'four digits, without the check digit' },
    account: { pattern: /^\d{7}$/, meaning: 'seven digits, without the check digit' },
    accountDigit: { pattern: /^[\dP]$/, meaning: 'one digit, or P' },
    portfolio: { pattern: /^\d{2}$/, meaning: 'two digits, such as 09' },
    companyCode: { pattern: /^\d{1,20}$/, meaning: "the bank's code of the company" },
    companyName: { pattern: /^\S.{0,59}$/, meaning: 'a name of up to 60 characters' },
  },
  agreementFault: () => null,
  numberLength: 11,
  shownNumber: (bankNumber, agreement) =>
    `${agreement.portfolio}/${bankNumber}-${digitOf(bankNumber, agreement as Named)}`,
  freeField(bankNumber, agreement) {
    const { branch, portfolio, account } = agreement as Named;
    return `${branch}${portfolio}${bankNumber}${account}0`;
  },
  lines(remittance) {
    const named = remittance.agreement as Named;
    const first = header(
      remittance,
      digits(named.companyCode, 20),
      named.companyName ?? '',
      ['237', 'BRADESCO'],
      [
        [109, 110, 'MX'],
        [111, 117, digits(remittance.number, 7)],
      ],
    );
    return linesOf(
      first,
      remittance.orders.map((order) => register(order, named)),
    );
  },
};

const BRADESCO: Dialect240 = {
  ...COMMON,
  ...{ code: '237', bankName: 'BRADESCO', version: { file: '084', lot: '042' } },
  company: (agreement) => [
    documentOfFile(agreement),
    [33, 72, digits(agreement.companyCode ?? '', 20) + accountOf(agreement)],
  ],
  companyOfLot: (agreement) => [[34, 73, digits(agreement.companyCode ?? '', 20) + accountOf(agreement)]],
  title: ({ bankNumber }, agreement) => [
    [18, 37, accountOf(agreement)],
    [38, 45, `${digits(agreement.portfolio ?? '', 3)}00000`],
    [46, 57, bankNumber + digitOf(bankNumber, agreement as Named)],
    // Simple, registered; the company prints and delivers it.
    [58, 62, '11122'],
  ],
  density: '01600',
};

export const BRADESCO_240: RemittanceBank = {
  ...BRADESCO_400,
  layout: '240',
  agreement: {
    ...BRADESCO_400.agreement,
    branchDigit: { pattern: /^[\dP]$/, meaning: 'one digit, or P' },
    companyDocument: COMPANY.companyDocument as AgreementField,
  },
  lines: (remittance) => lines240(BRADESCO, remittance),
};
