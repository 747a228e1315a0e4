import type {
  AccountRefusal,
  MerchantChangeRefusal,
  MerchantRefusal,
  StandingRefusal,
} from '../../merchants/merchant.ts';

type Refusal = MerchantRefusal | AccountRefusal | MerchantChangeRefusal | StandingRefusal;

/** Why no merchant was registered, or nothing of one changed. */
export const MERCHANT_REFUSALS: Readonly<
  Record<Refusal, { readonly status: 400 | 404 | 409; readonly text: string }>
> = {
  merchantIdMalformed: {
    status: 400,
    text: 'An id has 1 to 20 letters, digits, dots, hyphens or underscores, and is no card number.',
  },
  cnpjInvalid: { status: 400, text: 'This is no CNPJ: its check digits or its length are wrong.' },
  merchantExists: { status: 409, text: 'Another merchant has this id.' },
  merchantUnknown: { status: 404, text: 'There is no such merchant.' },
  nothingToChange: { status: 409, text: 'Nothing would change.' },
  standsSoAlready: { status: 409, text: 'It stands so already.' },
  heldByRestore: {
    status: 409,
    text: 'The restore holds its billings: they are released on its page After a restore.',
  },
  legalNameMalformed: {
    status: 400,
    text: 'The name is one line of up to 200 characters, without a card number.',
  },
  contactNameMalformed: {
    status: 400,
    text: 'The name of the contact is one line of up to 100 characters, without a card number.',
  },
  contactEmailMalformed: { status: 400, text: 'This is no address of e-mail.' },
  contactPhoneMalformed: {
    status: 400,
    text: 'The telephone has 8 to 30 digits, blanks, hyphens and brackets, with a + in front at most.',
  },
  addressMalformed: {
    status: 400,
    text: 'An address is one such as 203.0.113.7, or a block such as 203.0.113.0/24.',
  },
  tooManyAddresses: { status: 400, text: 'These are more addresses than a merchant can have.' },
  softDescriptorMalformed: {
    status: 400,
    text: 'The name on statements has up to 13 letters without accents, digits, blanks, dots, hyphens and asterisks.',
  },
  accountMissing: { status: 400, text: 'Give the number of the account.' },
  accountMalformed: {
    status: 400,
    text: 'An account has 1 to 20 letters, digits or hyphens, and is no card number.',
  },
  accountRepeated: { status: 400, text: 'An account was given twice.' },
  accountExists: { status: 409, text: 'The merchant has this account already.' },
  tooManyAccounts: { status: 400, text: 'These are more accounts than a merchant can have.' },
};
