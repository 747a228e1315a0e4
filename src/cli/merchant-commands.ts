import { changeMerchant } from '../merchants/change-merchant.ts';
import { addAccounts, createMerchant } from '../merchants/create-merchant.ts';
import {
  type CredentialWithPassword,
  createCredential,
  disableCredential,
  rotateCredential,
} from '../merchants/credentials/create-credential.ts';
import type { Credential } from '../merchants/credentials/credential.ts';
import { listCredentials } from '../merchants/credentials/credentials.sql.ts';
import { bareCnpj, type Merchant, type MerchantChange } from '../merchants/merchant.ts';
import { listMerchants } from '../merchants/merchants.sql.ts';
import { SCOPES, type Scope } from '../platform/http/endpoint.ts';
import { utcText } from '../values/instant.ts';
import { NO_TEXT } from '../values/soft-descriptor.ts';
import {
  type AuditedCommandTools,
  type Command,
  type CommandOutcome,
  MERCHANT_OPTION,
  matching,
  oneOf,
  option,
  required,
  table,
} from './command.ts';
import { refusedByOperator } from './refusals.ts';

const ADDRESS_OPTION = {
  name: 'address',
  value: 'CIDR',
  isRepeatable: true,
} as const;
export const USER_NAME_OPTION = required('--user-name NAME', 'the credential');

const SOFT_DESCRIPTOR_OPTION = option(
  '--soft-descriptor TEXT',
  'what buyers read on their statements, where neither payment nor plan says it',
);

const BUSINESS_ADDRESS_OPTION = option(
  '--business-address TEXT',
  'street, city and postal code, printed on boletos',
);

/** Passwords are generated here, never chosen. */
export const MERCHANT_COMMANDS: readonly Command[] = [
  {
    words: ['merchant', 'create'],
    summary: 'register a merchant and its accounts',
    options: [
      required('--cnpj CNPJ', 'with or without mask'),
      required('--legal-name NAME', 'the company’s registered name'),
      option('--merchant-id ID', 'up to 20 characters; default: the CNPJ without mask'),
      required('--account NUMBER', 'account number; the first is the default of credentials', {
        isRepeatable: true,
      }),
      required('--contact-name NAME', 'technical contact'),
      required('--contact-email EMAIL', 'the contact’s email address'),
      required('--contact-phone PHONE', 'the contact’s phone number'),
      { ...ADDRESS_OPTION, description: 'address or block of the servers that call in production' },
      SOFT_DESCRIPTOR_OPTION,
      BUSINESS_ADDRESS_OPTION,
    ],
    opens: 'audited',
    async run(given, tools) {
      const cnpj = given.one('cnpj') ?? '';
      const created = await createMerchant(tools, {
        merchantId: given.one('merchant-id') ?? bareCnpj(cnpj),
        cnpj,
        legalName: given.one('legal-name') ?? '',
        contact: {
          name: given.one('contact-name') ?? '',
          email: given.one('contact-email') ?? '',
          phone: given.one('contact-phone') ?? '',
        },
        accountNumbers: given.many('account'),
        productionAddresses: given.many('address'),
        softDescriptor: given.one('soft-descriptor'),
        businessAddress: given.one('business-address'),
      });
      if ('refusal' in created) return refusedByOperator(created);
      const lines = [
        `Merchant ${created.merchantId} is registered with account ${created.accountNumbers.join(', ')}.`,
        ...nextLines(created, tools),
      ];
      return { lines, json: created };
    },
  },
  {
    words: ['merchant', 'change'],
    summary: 'change what is registered of a merchant',
    options: [
      MERCHANT_OPTION,
      option('--legal-name NAME', 'the company’s registered name'),
      option('--contact-name NAME', 'technical contact'),
      option('--contact-email EMAIL', 'the contact’s email address'),
      option('--contact-phone PHONE', 'the contact’s phone number'),
      {
        ...ADDRESS_OPTION,
        description:
          'address or block of the servers that call in production; all of them: the list is replaced',
      },
      {
        ...SOFT_DESCRIPTOR_OPTION,
        description: 'up to 13 letters, digits, blanks and .-*; a dot alone takes it away',
      },
      {
        ...BUSINESS_ADDRESS_OPTION,
        description: `${BUSINESS_ADDRESS_OPTION.description}; a dot alone takes it away`,
      },
    ],
    opens: 'audited',
    async run(given, tools) {
      const legalName = given.one('legal-name');
      const contact = Object.fromEntries(
        (['name', 'email', 'phone'] as const).flatMap((part) => {
          const value = given.one(`contact-${part}`);
          return value === null ? [] : [[part, value]];
        }),
      );
      const addresses = given.many('address');
      const changed = await changeMerchant(tools, given.one('merchant') ?? '', {
        ...(legalName === null ? {} : { legalName }),
        contact,
        ...(addresses.length === 0 ? {} : { productionAddresses: addresses }),
        ...removable('softDescriptor', given.one('soft-descriptor')),
        ...removable('businessAddress', given.one('business-address')),
      });
      if ('refusal' in changed) return refusedByOperator(changed);
      return { lines: merchantLines(changed), json: changed };
    },
  },
  {
    words: ['account', 'add'],
    summary: 'give a merchant further accounts',
    options: [MERCHANT_OPTION, required('--account NUMBER', 'account number', { isRepeatable: true })],
    opens: 'audited',
    async run(given, tools) {
      const added = await addAccounts(tools, given.one('merchant') ?? '', given.many('account'));
      if ('refusal' in added) return refusedByOperator(added);
      return { lines: merchantLines(added), json: added };
    },
  },
  {
    words: ['merchant', 'list'],
    summary: 'show all merchants',
    opens: 'database',
    async run(_given, tools) {
      const merchants = await listMerchants(tools);
      const rows = merchants.map((merchant) => [
        merchant.merchantId,
        merchant.cnpj,
        merchant.accountNumbers.join(','),
        merchant.legalName,
      ]);
      return {
        lines: table(['MERCHANT', 'CNPJ', 'ACCOUNTS', 'LEGAL NAME'], rows),
        json: { items: merchants },
      };
    },
  },
  {
    words: ['credential', 'create'],
    summary: 'make a user name and a password, which is shown once',
    options: [
      MERCHANT_OPTION,
      option('--account NUMBER', 'default: the merchant’s first account'),
      required('--scope SCOPE', SCOPES.join(', '), { isRepeatable: true, check: oneOf(SCOPES) }),
      option('--user-name NAME', '3 to 30 characters; default: one is made'),
      {
        ...ADDRESS_OPTION,
        description: 'address or block it may call from; default: the merchant’s; production needs a list',
      },
    ],
    opens: 'audited',
    async run(given, tools) {
      const made = await createCredential(
        { ...tools, enforceAddresses: tools.environment === 'production' },
        {
          merchantId: given.one('merchant') ?? '',
          accountNumber: given.one('account'),
          scopes: given.many('scope') as readonly Scope[],
          userName: given.one('user-name'),
          allowedAddresses: given.many('address'),
        },
      );
      return 'refusal' in made ? refusedByOperator(made) : shownOnce(made);
    },
  },
  {
    words: ['credential', 'list'],
    summary: 'show the credentials of a merchant',
    options: [MERCHANT_OPTION],
    opens: 'database',
    async run(given, tools) {
      const merchantId = given.one('merchant') ?? '';
      const credentials = await listCredentials(tools, merchantId);
      if (credentials === null) return refusedByOperator({ refusal: 'merchantUnknown', value: merchantId });
      const rows = credentials.map((credential) => [
        credential.userName,
        credential.accountNumber,
        credential.scopes.join(','),
        credential.allowedAddresses.join(',') || '(the merchant’s)',
        utcText(credential.passwordChangedAt).slice(0, 10),
        credential.lastUsedOn ?? '–',
        stateText(credential),
      ]);
      return {
        lines: table(
          ['USER NAME', 'ACCOUNT', 'SCOPES', 'ADDRESSES', 'PASSWORD OF', 'LAST USED', 'STATE'],
          rows,
        ),
        json: { items: credentials },
      };
    },
  },
  {
    words: ['credential', 'disable'],
    summary: 'end a credential and its tokens for ever, within two seconds',
    options: [USER_NAME_OPTION],
    opens: 'audited',
    async run(given, tools) {
      const disabled = await disableCredential(tools, given.one('user-name') ?? '');
      if ('refusal' in disabled) return refusedByOperator(disabled);
      const lines = [`Credential ${disabled.userName} is disabled; its tokens end within two seconds.`];
      return { lines, json: disabled };
    },
  },
  {
    words: ['credential', 'rotate'],
    summary: 'give a credential a new password, which is shown once',
    options: [
      USER_NAME_OPTION,
      option(
        '--overlap-hours N',
        'how long the old password stays valid, 0 to 24; default 0, which ends its tokens too',
        { check: matching(/^\d{1,3}$/, 'must be a whole number of hours, 0 to 24') },
      ),
    ],
    opens: 'audited',
    async run(given, tools) {
      const rotated = await rotateCredential(
        tools,
        given.one('user-name') ?? '',
        Number(given.one('overlap-hours') ?? 0),
      );
      return 'refusal' in rotated ? refusedByOperator(rotated) : shownOnce(rotated);
    },
  },
];

/** Production needs a list of addresses, of the credential or of the merchant. */
function nextLines(
  { merchantId, productionAddresses }: Merchant,
  { environment }: AuditedCommandTools,
): string[] {
  const next = `Next: parcela credential create --merchant ${merchantId} --scope gateway`;
  if (environment === 'homologation' || productionAddresses.length > 0) return [next];
  return [
    `${next} --address ADDRESS`,
    '      ADDRESS: what its servers call from, such as 203.0.113.10 or 203.0.113.0/28; once for each.',
  ];
}

/** Not given: unchanged; a dot alone: removed. */
function removable(name: 'softDescriptor' | 'businessAddress', given: string | null): MerchantChange {
  return given === null ? {} : { [name]: given === NO_TEXT ? null : given };
}

function merchantLines({ contact, ...merchant }: Merchant): string[] {
  return [
    `merchant         ${merchant.merchantId}`,
    `legal name       ${merchant.legalName}`,
    `contact          ${contact.name}, ${contact.email}, ${contact.phone}`,
    `accounts         ${merchant.accountNumbers.join(', ')}`,
    `calls from       ${merchant.productionAddresses.join(', ') || '(none)'}`,
    `soft descriptor  ${merchant.softDescriptor ?? '(none)'}`,
    `address          ${merchant.businessAddress ?? '(none)'}`,
  ];
}

function shownOnce({ credential, password }: CredentialWithPassword): CommandOutcome {
  const lines = [
    `merchant   ${credential.merchantId}`,
    `account    ${credential.accountNumber}`,
    `scopes     ${credential.scopes.join(', ')}`,
    `user name  ${credential.userName}`,
    `password   ${password}`,
    'The password is shown only now: Parcela keeps its hash alone.',
  ];
  if (credential.previousPasswordValidUntil !== null) {
    lines.push(`The old password stays valid until ${utcText(credential.previousPasswordValidUntil)}.`);
  }
  return { lines, json: { ...credential, password } };
}

function stateText({ disabledAt, previousPasswordValidUntil }: Credential): string {
  if (disabledAt !== null) return `disabled since ${utcText(disabledAt)}`;
  if (previousPasswordValidUntil === null) return 'in use';
  return `in use, old password until ${utcText(previousPasswordValidUntil)}`;
}
