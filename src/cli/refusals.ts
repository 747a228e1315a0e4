import type { Refused } from '../merchants/merchant.ts';
import { OPERATOR_REFUSALS, type OperatorRefusal } from '../merchants/refusals.ts';
import type { SpokenRefusal } from '../platform/http/refusal.ts';
import { filled } from '../platform/http/sentence.ts';
import { holdsCardNumber } from '../values/card-number-in-text.ts';
import type { CommandOutcome } from './command.ts';

const OPTION_OF_REFUSAL = {
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
  businessAddressMalformed: '--business-address',
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

export function spokenText({ text, most }: SpokenRefusal, value?: string): string {
  return filled(text, { most, value });
}

/** `--cnpj "11": This is no CNPJ…`. JSON hides control characters; card numbers are left out. */
function refusalText({ refusal, value }: Refused<OperatorRefusal>): string {
  const shown = value === '' || holdsCardNumber(value) ? '' : ` ${JSON.stringify(value)}`;
  const option = OPTION_OF_REFUSAL[refusal];
  const text = spokenText(OPERATOR_REFUSALS[refusal]);
  return option === null ? text : `${option}${shown}: ${text}`;
}

export const merchantUnknown = (value: string) => refusedByOperator({ refusal: 'merchantUnknown', value });
export const accountUnknown = (value: string) => refusedByOperator({ refusal: 'accountUnknown', value });

export function refusedByOperator(refused: Refused<OperatorRefusal>): CommandOutcome {
  return { option: OPTION_OF_REFUSAL[refused.refusal], message: refusalText(refused) };
}
