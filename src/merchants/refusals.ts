import type { SpokenRefusal } from '../platform/http/refusal.ts';
import {
  type CredentialChangeRefusal,
  type CredentialRefusal,
  MOST_CREDENTIALS,
} from './credentials/credential.ts';
import {
  type AccountRefusal,
  type MerchantChangeRefusal,
  type MerchantRefusal,
  MOST_ACCOUNTS,
  MOST_ADDRESSES,
  type StandingRefusal,
} from './merchant.ts';

export type OperatorRefusal =
  | MerchantRefusal
  | MerchantChangeRefusal
  | AccountRefusal
  | StandingRefusal
  | CredentialRefusal
  | CredentialChangeRefusal;

export const MERCHANT_UNKNOWN = {
  status: 404,
  text: 'There is no such merchant.',
} as const satisfies SpokenRefusal;

export const OPERATOR_REFUSALS: Readonly<Record<OperatorRefusal, SpokenRefusal>> = {
  merchantIdMalformed: {
    status: 400,
    text: 'An id has 1 to 20 letters, digits, dots, hyphens or underscores, and is no card number.',
  },
  cnpjInvalid: { status: 400, text: 'This is no CNPJ: its check digits or its length are wrong.' },
  merchantExists: { status: 409, text: 'Another merchant has this id.' },
  merchantUnknown: MERCHANT_UNKNOWN,
  nothingToChange: { status: 409, text: 'Nothing would change: give at least one other value.' },
  standsSoAlready: { status: 409, text: 'It stands so already.' },
  heldByRestore: {
    status: 409,
    text: 'The restore holds its billings: release them on its page After a restore, or by parcela restore release.',
  },
  legalNameMalformed: {
    status: 400,
    text: 'The name is one line of up to 200 characters, without a card number.',
  },
  contactNameMalformed: {
    status: 400,
    text: 'The name of the contact is one line of up to 100 characters, without a card number.',
  },
  contactEmailMalformed: { status: 400, text: 'This is no address of e-mail, or it holds a card number.' },
  contactPhoneMalformed: {
    status: 400,
    text: 'The telephone has 8 to 30 digits, blanks, hyphens and brackets, with a + in front at most, and is no card number.',
  },
  addressMalformed: {
    status: 400,
    text: 'An address is one such as 203.0.113.7, or a block such as 203.0.113.0/24 with no bits beyond the prefix.',
  },
  tooManyAddresses: { status: 400, text: 'At most {most} addresses fit.', most: MOST_ADDRESSES },
  softDescriptorMalformed: {
    status: 400,
    text: 'The name on statements has up to 13 letters without accents, digits, blanks, dots, hyphens and asterisks, not blanks alone, and is no card number.',
  },
  businessAddressMalformed: {
    status: 400,
    text: 'The business address is one line of at most 150 characters, without card numbers.',
  },
  accountMissing: { status: 400, text: 'Give the number of the account.' },
  accountMalformed: {
    status: 400,
    text: 'An account has 1 to 20 letters, digits or hyphens, and is no card number.',
  },
  accountRepeated: { status: 400, text: 'An account was given twice.' },
  accountExists: { status: 409, text: 'The merchant has this account already.' },
  tooManyAccounts: { status: 400, text: 'A merchant can have at most {most} accounts.', most: MOST_ACCOUNTS },
  accountUnknown: { status: 400, text: 'The merchant has no such account.' },
  scopeMissing: { status: 400, text: 'Say what it is for.' },
  userNameMalformed: {
    status: 400,
    text: 'A user name has 3 to 30 letters, digits, dots, hyphens, underscores or @, and holds no card number.',
  },
  userNameReserved: { status: 400, text: 'This user name is kept for the service.' },
  userNameTaken: { status: 400, text: 'This user name is taken.' },
  addressMissing: {
    status: 400,
    text: 'In production a credential needs the addresses from which it is used: neither it nor its merchant has any (0.0.0.0/0 and ::/0 allow everybody).',
  },
  tooManyCredentials: {
    status: 400,
    text: 'The merchant has {most} credentials that work, as many as it may: disable what nobody uses.',
    most: MOST_CREDENTIALS,
  },
  credentialUnknown: { status: 404, text: 'There is no such credential.' },
  credentialDisabled: { status: 400, text: 'The credential is disabled, and stays so: make a new one.' },
  overlapOutOfRange: { status: 400, text: 'The overlap is a whole number of hours from 0 to 24.' },
  tokenUnknown: { status: 400, text: 'The credential has no such token that is good now.' },
};
