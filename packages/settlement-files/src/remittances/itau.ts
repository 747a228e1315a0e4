import { modulo10 } from './check-digits.ts';
import { COMMON, type Dialect240, documentOfFile, lines240 } from './cnab240-family.ts';
import { detail, header, linesOf, payerDocument, payerPlace, terms } from './cnab400-family.ts';
import type { Agreement, RemittanceBank, RemittanceOrder } from './remittance.ts';
import { digits, documentOf, text, type WrittenField } from './write-record.ts';

type Named = Readonly<Record<'branch' | 'account' | 'accountDigit' | 'portfolio', string>> & Agreement;

/** DAC of branch, account, portfolio and number. */
function digitOf(bankNumber: string, { branch, account, portfolio }: Named): string {
  return modulo10(`${branch}${account}${portfolio}${bankNumber}`);
}

function register(order: RemittanceOrder, agreement: Named): ((number: number) => string)[] {
  const { payer, daysAfterDue, finePortion } = order;
  const [kind, company] = documentOf(agreement.companyDocument ?? '');
  const fields: readonly WrittenField[] = [
    [1, 17, `1${kind}${company}`],
    [18, 29, `${agreement.branch}00${agreement.account}${agreement.accountDigit}`],
    [34, 37, '0000'],
    [38, 62, order.companyUse.padEnd(25)],
    [63, 70, digits(order.bankNumber, 8)],
    [71, 83, digits(0, 13)],
    [84, 86, agreement.portfolio],
    [108, 108, 'I'],
    // 39: not after the due day; 91: not later than the days in 392.
    ...terms(order, { code: '341', title: '01' })(`${daysAfterDue === 0 ? '39' : '91'}00`),
    payerDocument(order),
    [235, 264, text(payer.name, 30)],
    ...payerPlace(order),
    [386, 391, digits(0, 6)],
    [392, 393, digits(daysAfterDue, 2)],
  ];
  // With a change of the due day it would be refused; the day of the fine moves by itself.
  if (finePortion === null || order.kind !== 'register') return [detail(fields)];
  const [year, month, day] = order.dueOn.split('-');
  // 2: the fine is a percentage.
  const fine: readonly WrittenField[] = [[1, 23, `22${day}${month}${year}${digits(finePortion, 13)}`]];
  return [detail(fields), detail(fine)];
}

const accountOfItau = ({ branch, account, accountDigit }: Agreement) =>
  `0${branch} ${digits(account ?? '', 12)} ${accountDigit}`;

const ITAU: Dialect240 = {
  ...COMMON,
  ...{ code: '341', bankName: 'BANCO ITAU SA', version: { file: '040', lot: '030' } },
  company: (agreement) => [documentOfFile(agreement), [53, 72, accountOfItau(agreement)]],
  companyOfLot: (agreement) => [[54, 73, accountOfItau(agreement)]],
  title({ bankNumber }, agreement) {
    const digit = digitOf(bankNumber, agreement as Named);
    return [
      [18, 37, accountOfItau(agreement)],
      [38, 57, `${agreement.portfolio}${bankNumber}${digit}`.padEnd(20)],
      [58, 62, '00000'],
    ];
  },
  // The bank's own list: duplicata mercantil.
  species: '01',
  documentLength: 10,
  collector: '000000',
  ...{ amounts: '0', noInterest: '0' },
  writeOff: (days) => `1${digits(days, 2)}0`,
  currency: '000000000000',
  lotFiller: '00',
  headerEnd: [[226, 228, '000']],
  totals: 'zeros',
  // R is taken with a registration only.
  behindInstructions: 'Q',
};

export const ITAU_400: RemittanceBank = {
  code: ITAU.code,
  layout: '400',
  name: 'Itaú',
  agreement: {
    branch: { pattern: /^\d{4}$/, meaning: 'four digits' },
    account: { pattern: /^\d{5}$/, meaning: 'five digits, without the check digit' },
    accountDigit: { pattern: /^\d$/, meaning: 'one digit' },
    portfolio: { pattern: /^\d{3}$/, meaning: 'three digits, such as 109' },
    companyName: { pattern: /^\S.{0,59}$/, meaning: 'a name of up to 60 characters' },
    companyDocument: { pattern: /^(?:\d{11}|[0-9A-Z]{12}\d{2})$/, meaning: 'a CPF or CNPJ' },
  },
  agreementFault: ({ branch, account, accountDigit }) =>
    modulo10(`${branch}${account}`) === accountDigit
      ? null
      : `accountDigit=${accountDigit} is not the check digit of branch and account`,
  numberLength: 8,
  shownNumber: (bankNumber, agreement) =>
    `${agreement.portfolio}/${bankNumber}-${digitOf(bankNumber, agreement as Named)}`,
  freeField(bankNumber, agreement) {
    const named = agreement as Named;
    const { branch, account, accountDigit, portfolio } = named;
    return `${portfolio}${bankNumber}${digitOf(bankNumber, named)}${branch}${account}${accountDigit}000`;
  },
  lines(remittance) {
    const named = remittance.agreement as Named;
    const { branch, account, accountDigit } = named;
    const company = `${branch}00${account}${accountDigit}`.padEnd(20);
    const first = header(remittance, company, named.companyName ?? '', ['341', 'BANCO ITAU SA']);
    return linesOf(
      first,
      remittance.orders.flatMap((order) => register(order, named)),
    );
  },
};

export const ITAU_240: RemittanceBank = {
  ...ITAU_400,
  layout: '240',
  lines: (remittance) => lines240(ITAU, remittance),
};
