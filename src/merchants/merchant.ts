import { holdsCardNumber } from '../values/card-number-in-text.ts';
import { isCnpj } from '../values/document-number.ts';
import type { Instant } from '../values/instant.ts';
import { parseBlock } from '../values/ip-address.ts';
import { isSoftDescriptor } from '../values/soft-descriptor.ts';

/** What the operator registers. */
export type NewMerchant = {
  readonly merchantId: string;
  /** With or without mask. */
  readonly cnpj: string;
  readonly legalName: string;
  readonly contact: Contact;
  /** In order: the first is the one of credentials that name none. */
  readonly accountNumbers: readonly string[];
  /** Addresses and CIDR blocks of the servers that call in production. */
  readonly productionAddresses: readonly string[];
  /** What buyers read on their statements, where neither payment nor plan says it. */
  readonly softDescriptor: string | null;
};

/** Whom the operator asks when the merchant's calls go wrong. */
export type Contact = { readonly name: string; readonly email: string; readonly phone: string };

export type Merchant = NewMerchant & {
  readonly createdAt: Instant;
  /** Its callers are locked out. */
  readonly isDisabled: boolean;
  /** What its subscriptions owe is not charged. */
  readonly hasBillingsHeld: boolean;
  /** By a restore of the database, not by hand. */
  readonly isHeldByRestore: boolean;
};

/** What the operator puts a merchant into, and takes it out of again. */
export type Standing = 'disabled' | 'billingsHeld';

export type StandingRefusal = 'merchantUnknown' | 'standsSoAlready' | 'heldByRestore';

export type MerchantRefusal =
  | 'merchantIdMalformed'
  | 'cnpjInvalid'
  | 'legalNameMalformed'
  | 'contactNameMalformed'
  | 'contactEmailMalformed'
  | 'contactPhoneMalformed'
  | 'accountMissing'
  | 'accountMalformed'
  | 'accountRepeated'
  | 'tooManyAccounts'
  | 'addressMalformed'
  | 'tooManyAddresses'
  | 'softDescriptorMalformed'
  | 'merchantExists';

/** What the operator changes of a merchant; undefined: it stays. The CNPJ and the id are for ever. */
export type MerchantChange = {
  readonly legalName?: string;
  readonly contact?: Partial<Contact>;
  /** All of them: the list is replaced. */
  readonly productionAddresses?: readonly string[];
  readonly softDescriptor?: string | null;
};

export type MerchantChangeRefusal =
  | 'merchantUnknown'
  | 'nothingToChange'
  | 'legalNameMalformed'
  | 'contactNameMalformed'
  | 'contactEmailMalformed'
  | 'contactPhoneMalformed'
  | 'addressMalformed'
  | 'tooManyAddresses'
  | 'softDescriptorMalformed';

export type AccountRefusal =
  | 'merchantUnknown'
  | 'accountMalformed'
  | 'accountMissing'
  | 'accountRepeated'
  | 'accountExists'
  | 'tooManyAccounts';

/** A refusal with the value that caused it, so that the operator sees which one of several it was. */
export type Refused<Refusal> = { readonly refusal: Refusal; readonly value: string };

const MOST_ACCOUNTS = 1_000;
export const MOST_ADDRESSES = 100;

/** The CNPJ as it is stored: no mask, capital letters. */
export function bareCnpj(text: string): string {
  return text.replaceAll(/[./-]/g, '').toUpperCase();
}

/** What is wrong with a merchant to be registered, or null. */
export function newMerchantRefusal(merchant: NewMerchant): Refused<MerchantRefusal> | null {
  const { merchantId, cnpj, legalName, contact } = merchant;
  if (!isCnpj(bareCnpj(cnpj))) return { refusal: 'cnpjInvalid', value: cnpj };
  if (!/^[A-Za-z0-9._-]{1,20}$/.test(merchantId) || holdsCardNumber(merchantId))
    return { refusal: 'merchantIdMalformed', value: merchantId };
  return (
    textsRefusal(legalName, contact) ??
    accountsRefusal(merchant.accountNumbers) ??
    addressesRefusal(merchant.productionAddresses) ??
    softDescriptorRefusal(merchant.softDescriptor)
  );
}

type TextRefusal =
  | 'legalNameMalformed'
  | 'contactNameMalformed'
  | 'contactEmailMalformed'
  | 'contactPhoneMalformed';

function textsRefusal(legalName: string, contact: Contact): Refused<TextRefusal> | null {
  if (!isText(legalName, 200)) return { refusal: 'legalNameMalformed', value: legalName };
  if (!isText(contact.name, 100)) return { refusal: 'contactNameMalformed', value: contact.name };
  if (!/^[^\s@]{1,64}@[^\s@]{1,189}$/.test(contact.email) || holdsCardNumber(contact.email)) {
    return { refusal: 'contactEmailMalformed', value: contact.email };
  }
  if (!/^[+\d][\d ()-]{7,29}$/.test(contact.phone) || holdsCardNumber(contact.phone))
    return { refusal: 'contactPhoneMalformed', value: contact.phone };
  return null;
}

/** What is changed by itself: somebody else may be changing another one. */
const VALUES = {
  legalName: ({ legalName }: Merchant) => legalName,
  contactName: ({ contact }: Merchant) => contact.name,
  contactEmail: ({ contact }: Merchant) => contact.email,
  contactPhone: ({ contact }: Merchant) => contact.phone,
  productionAddresses: ({ productionAddresses }: Merchant) => productionAddresses.join(','),
  softDescriptor: ({ softDescriptor }: Merchant) => softDescriptor,
} as const;

export type MerchantField = keyof typeof VALUES;

const FIELDS = Object.keys(VALUES) as readonly MerchantField[];
const OF_CONTACT: readonly MerchantField[] = ['contactName', 'contactEmail', 'contactPhone'];

/** The old and the new of each field for the audit log; the contact is a person: only that it changed. */
export function shownChange(
  old: Merchant,
  changed: Merchant,
  fields: readonly MerchantField[],
): Record<string, string> {
  const shown = fields.flatMap((field) =>
    OF_CONTACT.includes(field)
      ? [['contact', 'changed']]
      : [
          [`${field}.old`, VALUES[field](old) ?? ''],
          [`${field}.new`, VALUES[field](changed) ?? ''],
        ],
  );
  return Object.fromEntries(shown);
}

/** A merchant as it is after a change, and the names of what differs. */
export function changedMerchant(
  merchant: Merchant,
  change: MerchantChange,
): { readonly merchant: Merchant; readonly fields: readonly MerchantField[] } {
  const changed: Merchant = {
    ...merchant,
    legalName: change.legalName ?? merchant.legalName,
    contact: { ...merchant.contact, ...change.contact },
    productionAddresses: change.productionAddresses ?? merchant.productionAddresses,
    softDescriptor: change.softDescriptor === undefined ? merchant.softDescriptor : change.softDescriptor,
  };
  const fields = FIELDS.filter((field) => VALUES[field](changed) !== VALUES[field](merchant));
  return { merchant: changed, fields };
}

/** What is wrong with a merchant that stands, after a change; or null. */
export function changeRefusal(merchant: Merchant): Refused<MerchantChangeRefusal> | null {
  return (
    textsRefusal(merchant.legalName, merchant.contact) ??
    addressesRefusal(merchant.productionAddresses) ??
    softDescriptorRefusal(merchant.softDescriptor)
  );
}

/** What is wrong with further accounts of a merchant, or null. */
export function newAccountsRefusal(
  merchant: Merchant,
  accountNumbers: readonly string[],
): Refused<AccountRefusal> | null {
  const existing = accountNumbers.find((number) => merchant.accountNumbers.includes(number));
  if (existing !== undefined) return { refusal: 'accountExists', value: existing };
  const refused = accountsRefusal(accountNumbers);
  if (refused !== null) return refused;
  const inAll = merchant.accountNumbers.length + accountNumbers.length;
  return inAll > MOST_ACCOUNTS ? { refusal: 'tooManyAccounts', value: String(inAll) } : null;
}

function accountsRefusal(
  accountNumbers: readonly string[],
): Refused<'accountMissing' | 'tooManyAccounts' | 'accountMalformed' | 'accountRepeated'> | null {
  if (accountNumbers.length === 0) return { refusal: 'accountMissing', value: '' };
  if (accountNumbers.length > MOST_ACCOUNTS) {
    return { refusal: 'tooManyAccounts', value: String(accountNumbers.length) };
  }
  const seen = new Set<string>();
  for (const value of accountNumbers) {
    if (!/^[A-Za-z0-9-]{1,20}$/.test(value) || holdsCardNumber(value))
      return { refusal: 'accountMalformed', value };
    if (seen.has(value)) return { refusal: 'accountRepeated', value };
    seen.add(value);
  }
  return null;
}

/** What is wrong with a list of addresses and blocks, or null. */
export function addressesRefusal(
  addresses: readonly string[],
): Refused<'addressMalformed' | 'tooManyAddresses'> | null {
  if (addresses.length > MOST_ADDRESSES)
    return { refusal: 'tooManyAddresses', value: String(addresses.length) };
  const malformed = addresses.find((text) => parseBlock(text) === null);
  return malformed === undefined ? null : { refusal: 'addressMalformed', value: malformed };
}

/** What is wrong with a soft descriptor, or null. */
function softDescriptorRefusal(text: string | null): Refused<'softDescriptorMalformed'> | null {
  if (text === null || (isSoftDescriptor(text) && !holdsCardNumber(text))) return null;
  return { refusal: 'softDescriptorMalformed', value: text };
}

/**
 * One visible line without a card's number; control characters could forge a line where the text is shown.
 */
function isText(text: string, maxLength: number): boolean {
  const isShort = [...text].length <= maxLength;
  return isShort && /\S/.test(text) && !/[\p{Cc}\p{Cs}]/u.test(text) && !holdsCardNumber(text);
}
