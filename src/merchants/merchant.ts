import { holdsCardNumber } from '../values/card-number-in-text.ts';
import { isCnpj } from '../values/document-number.ts';
import type { Instant } from '../values/instant.ts';
import { parseBlock } from '../values/ip-address.ts';
import { isSoftDescriptor } from '../values/soft-descriptor.ts';

export type NewMerchant = {
  readonly merchantId: string;
  /** As the operator wrote it, with or without mask. */
  readonly cnpj: string;
  readonly legalName: string;
  readonly contact: Contact;
  /** A credential for which none is named gets the first. */
  readonly accountNumbers: readonly string[];
  /** Addresses and CIDR blocks of the servers that call in production. */
  readonly productionAddresses: readonly string[];
  /** On buyers' statements, unless payment or plan has its own. */
  readonly softDescriptor: string | null;
  /** Street, city and postal code in one line, printed on boletos. */
  readonly businessAddress: string | null;
};

/** Whom the operator asks about failing calls. */
export type Contact = { readonly name: string; readonly email: string; readonly phone: string };

export type Merchant = NewMerchant & {
  readonly createdAt: Instant;
  readonly isDisabled: boolean;
  readonly hasBillingsHeld: boolean;
  /** Set by a restore of the database, not by hand. */
  readonly isHeldByRestore: boolean;
};

/** States that the operator sets and clears. */
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
  | 'businessAddressMalformed'
  | 'merchantExists';

/** An absent field stays as it is. CNPJ and id never change. */
export type MerchantChange = {
  readonly legalName?: string;
  readonly contact?: Partial<Contact>;
  /** Replaces the whole list. */
  readonly productionAddresses?: readonly string[];
  readonly softDescriptor?: string | null;
  readonly businessAddress?: string | null;
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
  | 'softDescriptorMalformed'
  | 'businessAddressMalformed';

export type AccountRefusal =
  | 'merchantUnknown'
  | 'accountMalformed'
  | 'accountMissing'
  | 'accountRepeated'
  | 'accountExists'
  | 'tooManyAccounts';

/** `value`: of several given values the one that is refused. */
export type Refused<Refusal> = { readonly refusal: Refusal; readonly value: string };

export const MOST_ACCOUNTS = 1_000;
export const MOST_ADDRESSES = 100;

/** As stored: no mask, upper case. */
export function bareCnpj(text: string): string {
  return text.replaceAll(/[./-]/g, '').toUpperCase();
}

export function newMerchantRefusal(merchant: NewMerchant): Refused<MerchantRefusal> | null {
  const { merchantId, cnpj, legalName, contact } = merchant;
  if (!isCnpj(bareCnpj(cnpj))) return { refusal: 'cnpjInvalid', value: cnpj };
  if (!/^[A-Za-z0-9._-]{1,20}$/.test(merchantId) || holdsCardNumber(merchantId))
    return { refusal: 'merchantIdMalformed', value: merchantId };
  return (
    textsRefusal(legalName, contact) ??
    accountsRefusal(merchant.accountNumbers) ??
    addressesRefusal(merchant.productionAddresses) ??
    softDescriptorRefusal(merchant.softDescriptor) ??
    businessAddressRefusal(merchant.businessAddress)
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

/** Each is changed alone, because others may change another field. */
const VALUES = {
  legalName: ({ legalName }: Merchant) => legalName,
  contactName: ({ contact }: Merchant) => contact.name,
  contactEmail: ({ contact }: Merchant) => contact.email,
  contactPhone: ({ contact }: Merchant) => contact.phone,
  productionAddresses: ({ productionAddresses }: Merchant) => productionAddresses.join(','),
  softDescriptor: ({ softDescriptor }: Merchant) => softDescriptor,
  businessAddress: ({ businessAddress }: Merchant) => businessAddress,
} as const;

export type MerchantField = keyof typeof VALUES;

const FIELDS = Object.keys(VALUES) as readonly MerchantField[];
const OF_CONTACT: readonly MerchantField[] = ['contactName', 'contactEmail', 'contactPhone'];

/** What the audit log shows. The contact is a person: of it only that it changed. */
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

/** The merchant after the change, and the names of the fields that differ. */
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
    businessAddress: change.businessAddress === undefined ? merchant.businessAddress : change.businessAddress,
  };
  const fields = FIELDS.filter((field) => VALUES[field](changed) !== VALUES[field](merchant));
  return { merchant: changed, fields };
}

export function changeRefusal(merchant: Merchant): Refused<MerchantChangeRefusal> | null {
  return (
    textsRefusal(merchant.legalName, merchant.contact) ??
    addressesRefusal(merchant.productionAddresses) ??
    softDescriptorRefusal(merchant.softDescriptor) ??
    businessAddressRefusal(merchant.businessAddress)
  );
}

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

export function addressesRefusal(
  addresses: readonly string[],
): Refused<'addressMalformed' | 'tooManyAddresses'> | null {
  if (addresses.length > MOST_ADDRESSES)
    return { refusal: 'tooManyAddresses', value: String(addresses.length) };
  const malformed = addresses.find((text) => parseBlock(text) === null);
  return malformed === undefined ? null : { refusal: 'addressMalformed', value: malformed };
}

function softDescriptorRefusal(text: string | null): Refused<'softDescriptorMalformed'> | null {
  if (text === null || (isSoftDescriptor(text) && !holdsCardNumber(text))) return null;
  return { refusal: 'softDescriptorMalformed', value: text };
}

function businessAddressRefusal(text: string | null): Refused<'businessAddressMalformed'> | null {
  return text === null || isText(text, 150) ? null : { refusal: 'businessAddressMalformed', value: text };
}

/** One visible line without card numbers; control characters could forge a line. */
function isText(text: string, maxLength: number): boolean {
  const isShort = [...text].length <= maxLength;
  return isShort && /\S/.test(text) && !/[\p{Cc}\p{Cs}]/u.test(text) && !holdsCardNumber(text);
}
