import {
  type CredentialChangeRefusal,
  type CredentialRefusal,
  MOST_CREDENTIALS,
} from '../merchants/credentials/credential.ts';
import {
  type AccountRefusal,
  type MerchantChangeRefusal,
  type MerchantRefusal,
  MOST_ADDRESSES,
  type Refused,
  type StandingRefusal,
} from '../merchants/merchant.ts';
import { holdsCardNumber } from '../values/card-number-in-text.ts';
import type { CommandOutcome } from './command.ts';

export type OperatorRefusal =
  | MerchantRefusal
  | MerchantChangeRefusal
  | AccountRefusal
  | StandingRefusal
  | CredentialRefusal
  | CredentialChangeRefusal;

export const OPTION_OF_REFUSAL = {
  merchantIdMalformed: '--merchant-id',
  cnpjInvalid: '--cnpj',
  legalNameMalformed: '--legal-name',
  contactNameMalformed: '--contact-name',
  contactEmailMalformed: '--contact-email',
  contactPhoneMalformed: '--contact-phone',
  accountMissing: '--account',
  accountMalformed: '--account',
  accountRepeated: '--account',
  accountExists: '--account',
  tooManyAccounts: '--account',
  addressMalformed: '--address',
  tooManyAddresses: '--address',
  addressMissing: '--address',
  softDescriptorMalformed: '--soft-descriptor',
  merchantExists: '--merchant-id',
  merchantUnknown: '--merchant',
  nothingToChange: null,
  standsSoAlready: '--merchant',
  heldByRestore: '--merchant',
  accountUnknown: '--account',
  scopeMissing: '--scope',
  userNameMalformed: '--user-name',
  userNameReserved: '--user-name',
  userNameTaken: '--user-name',
  tooManyCredentials: '--merchant',
  credentialUnknown: '--user-name',
  credentialDisabled: '--user-name',
  overlapOutOfRange: '--overlap-hours',
  tokenUnknown: '--token',
} as const satisfies Record<OperatorRefusal, string | null>;

const SENTENCES = {
  merchantIdMalformed:
    'must have 1 to 20 letters, digits, dots, hyphens or underscores, and be no card number',
  cnpjInvalid: 'is not a CNPJ: its check digits or its length are wrong',
  legalNameMalformed: 'must be one line of 1 to 200 characters, without a card number',
  contactNameMalformed: 'must be one line of 1 to 100 characters, without a card number',
  contactEmailMalformed: 'is not an email address, or holds a card number',
  contactPhoneMalformed:
    'must have 8 to 30 digits, spaces, hyphens or brackets, with a + in front at most, and be no card number',
  accountMissing: 'is needed at least once',
  accountMalformed: 'must have 1 to 20 letters, digits or hyphens, and be no card number',
  accountRepeated: 'was given twice',
  accountExists: 'is an account of this merchant already',
  tooManyAccounts: 'were given: more than a merchant can have',
  addressMalformed:
    'is neither an IP address nor a block such as 203.0.113.0/24 (with no bits beyond the prefix)',
  tooManyAddresses: `were given, at most ${MOST_ADDRESSES} fit`,
  addressMissing:
    'is needed in production: neither the credential nor its merchant has a list, and an empty one would allow nobody ' +
    '(0.0.0.0/0 and ::/0 allow everybody)',
  softDescriptorMalformed:
    'must have up to 13 letters without accents, digits, blanks, dots, hyphens and asterisks, not blanks alone, and be no card number',
  merchantExists: 'is taken by another merchant',
  merchantUnknown: 'is no merchant here',
  standsSoAlready: 'stands so already',
  heldByRestore: 'is held by the restore: parcela restore release',
  nothingToChange: 'nothing would change: name at least one other value',
  accountUnknown: 'is no account of this merchant',
  scopeMissing: 'is needed at least once',
  userNameMalformed:
    'must have 3 to 30 letters, digits, dots, hyphens, underscores or @, and hold no card number',
  userNameReserved: 'is reserved',
  userNameTaken: 'is taken',
  tooManyCredentials: `has ${MOST_CREDENTIALS} credentials that work, which is the most: disable what nobody uses`,
  credentialUnknown: 'is no credential here',
  credentialDisabled: 'is disabled, and stays so: create a new credential',
  overlapOutOfRange: 'is not a whole number of hours from 0 to 24',
  tokenUnknown: 'is no token of this credential that is good now',
} as const satisfies Record<OperatorRefusal, string>;

/** `--cnpj "11.222.333/0001-82" is not a CNPJ…`. JSON hides control characters; card numbers are left out. */
export function refusalText({ refusal, value }: Refused<OperatorRefusal>): string {
  const shown = value === '' || holdsCardNumber(value) ? '' : ` ${JSON.stringify(value)}`;
  const option = OPTION_OF_REFUSAL[refusal];
  return option === null ? SENTENCES[refusal] : `${option}${shown} ${SENTENCES[refusal]}`;
}

export function merchantUnknown(value: string): CommandOutcome {
  const message = refusalText({ refusal: 'merchantUnknown', value });
  return { ok: false, option: OPTION_OF_REFUSAL.merchantUnknown, message };
}
