import type { Day } from '../day.ts';

/** What a bank gave the company (branch, account, portfolio …), by the names of its settings. */
export type Agreement = Readonly<Record<string, string>>;

export type AgreementField = { readonly pattern: RegExp; readonly meaning: string };

export type RemittancePayer = {
  readonly name: string;
  /** CPF or CNPJ. */
  readonly documentNumber: string;
  /** Street, number and complement. */
  readonly street: string;
  readonly district: string;
  readonly city: string;
  readonly state: string;
  /** Eight digits. */
  readonly zipCode: string;
};

/** One boleto of a file. Amounts in cents, portions in hundredths of a percent. */
export type RemittanceOrder = {
  /** `dueDay`: changes the due day. */
  readonly kind: 'register' | 'writeOff' | 'dueDay';
  /** Comes back in the return file. */
  readonly companyUse: string;
  /** Nosso número, without check digit. */
  readonly bankNumber: string;
  readonly amount: number;
  readonly issuedOn: Day;
  readonly dueOn: Day;
  /** The last day on which it may be paid, counted from the due day. */
  readonly daysAfterDue: number;
  readonly payer: RemittancePayer;
  /** Once after the due day; null: none. */
  readonly finePortion: number | null;
  /** A month; null: none. */
  readonly interestPortion: number | null;
  readonly discount: { readonly amount: number; readonly until: Day } | null;
};

export type Remittance = {
  readonly agreement: Agreement;
  readonly number: number;
  readonly madeOn: Day;
  readonly orders: readonly RemittanceOrder[];
};

export const LAYOUTS = ['240', '400'] as const;

/** One layout of a bank. */
export type RemittanceBank = {
  readonly code: string;
  readonly layout: (typeof LAYOUTS)[number];
  readonly name: string;
  /** All are needed. */
  readonly agreement: Readonly<Record<string, AgreementField>>;
  /** A fault between fields, for example a wrong check digit; null: none. */
  readonly agreementFault: (agreement: Agreement) => string | null;
  /** What the bank can be told by file; absent: all. */
  readonly told?: readonly RemittanceOrder['kind'][];
  /** Digits of the bank's number, without its check digit. */
  readonly numberLength: number;
  /** Up to which it takes payments, where fewer than a boleto can have. */
  readonly mostDaysAfterDue?: number;
  /** Where it is not the last digits of our number. */
  readonly numberOf?: (ourNumber: string, issuedOn: Day, agreement: Agreement) => string;
  /** Return files may lack our number: the bank's names a boleto, with its digit as in the bar code. */
  readonly isNamedByBank?: true;
  /** As printed. */
  readonly shownNumber: (bankNumber: string, agreement: Agreement) => string;
  /** 25 digits of the bar code. */
  readonly freeField: (bankNumber: string, agreement: Agreement) => string;
  /** Without line ends. */
  readonly lines: (remittance: Remittance) => readonly string[];
};
