import {
  bareCnpj,
  type Merchant,
  type MerchantChange,
  type NewMerchant,
  type Refused,
  type Standing,
} from '../../merchants/merchant.ts';
import { OPERATOR_REFUSALS, type OperatorRefusal } from '../../merchants/refusals.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import type { Shown } from '../parts/html.ts';
import { actionForm } from '../parts/page-parts.ts';
import { MERCHANTS, merchantPath, OF_MERCHANT, pathOf } from '../parts/paths.ts';
import {
  type Action,
  type Asked,
  type Form,
  OPERATION_DONE,
  refusedAs,
  type Visit,
} from '../parts/screen.ts';

export const MAY_CHANGE = { roles: ['operator', 'admin'], of: 'operator' } as const;

const OF_OPERATOR = {
  ...MAY_CHANGE,
  next: ({ merchantId }: Visit) => merchantPath(merchantId),
} as const;

function outcomeOf(visit: Visit, made: Merchant | Refused<OperatorRefusal>): Asked<null> {
  return 'refusal' in made ? refusedAs(visit, OPERATOR_REFUSALS[made.refusal]) : OPERATION_DONE;
}

function standingAction(
  name: string,
  operation: string,
  change: { readonly standing: Standing; readonly isOn: boolean },
  said: { readonly title: string; readonly done: string },
): Action<ConsoleTools> {
  return {
    ...OF_OPERATOR,
    ...said,
    path: `${OF_MERCHANT}/${name}`,
    operation,
    ...(change.isOn ? { isForHeld: true as const } : {}),
    perform: async (visit, { reason = '' }, { changeStanding }) =>
      outcomeOf(visit, await changeStanding(visit, { ...change, reason })),
  };
}

const CREATE: Action<ConsoleTools> = {
  ...MAY_CHANGE,
  path: '/new-merchant/create',
  title: 'Register a merchant',
  operation: 'merchant.create',
  perform: async (visit, form, { createMerchant }) =>
    outcomeOf(visit, await createMerchant(visit, merchantOf(form))),
  again: newMerchantForm,
  done: 'The merchant is registered.',
  next: () => pathOf(MERCHANTS),
};

export function newMerchantForm(visit: Visit, typed?: Form): Shown {
  const { say } = visit.wording;
  return actionForm(visit, CREATE, {
    typed,
    about: say(
      'It can call once it has a credential, which its page makes. Id and CNPJ stay as they are for ever.',
    ),
    fields: [
      { name: 'cnpj', label: 'CNPJ', isRequired: true, mostCharacters: 18 },
      { name: 'legalName', label: say('Name'), isRequired: true, mostCharacters: 200 },
      { name: 'id', label: say('Id'), hint: say('Empty: the CNPJ without its mask.'), mostCharacters: 20 },
      {
        name: 'accounts',
        label: say('Accounts'),
        hint: say('All of them, with a blank between them.'),
        isRequired: true,
      },
      { name: 'contactName', label: say('Name of the contact'), isRequired: true, mostCharacters: 100 },
      { name: 'contactEmail', label: say('E-mail of the contact'), isRequired: true, mostCharacters: 255 },
      { name: 'contactPhone', label: say('Telephone of the contact'), isRequired: true, mostCharacters: 30 },
      {
        name: 'addresses',
        label: say('Addresses in production'),
        hint: say('All of them, with a blank between them.'),
      },
      {
        name: 'softDescriptor',
        label: say('Name on statements'),
        hint: say('Empty: none.'),
        mostCharacters: 13,
      },
      {
        name: 'businessAddress',
        label: say('Address on boletos'),
        hint: say('Empty: none.'),
        mostCharacters: 150,
      },
    ],
  });
}

export const DISABLE = standingAction(
  'disable',
  'merchant.disable',
  { standing: 'disabled', isOn: true },
  { title: 'Lock out', done: 'The merchant is locked out.' },
);

export const ENABLE = standingAction(
  'enable',
  'merchant.enable',
  { standing: 'disabled', isOn: false },
  { title: 'Let in again', done: 'The merchant may log in again.' },
);

export const HOLD = standingAction(
  'hold',
  'billing.hold',
  { standing: 'billingsHeld', isOn: true },
  { title: 'Hold billings', done: 'Its due billings are held.' },
);

export const RELEASE = standingAction(
  'release',
  'billing.release',
  { standing: 'billingsHeld', isOn: false },
  { title: 'Release billings', done: 'Its billings are held no longer.' },
);

export function accountsForm(visit: Visit, typed?: Form): Shown {
  const { say } = visit.wording;
  return actionForm(visit, ADD_ACCOUNTS, {
    typed,
    about: say('They stand behind those that the merchant has, and are never taken away.'),
    fields: [
      {
        name: 'account',
        label: say('Accounts'),
        hint: say('All of them, with a blank between them.'),
        isRequired: true,
      },
    ],
  });
}

export function changeForm(visit: Visit, merchant: Merchant | null, typed?: Form): Shown {
  const { say } = visit.wording;
  const { name, email, phone } = merchant?.contact ?? { name: '', email: '', phone: '' };
  return actionForm(visit, CHANGE, {
    typed,
    about: say('Tokens and payments follow within two seconds.'),
    fields: [
      { name: 'legalName', label: say('Name'), value: merchant?.legalName ?? '', mostCharacters: 200 },
      { name: 'contactName', label: say('Name of the contact'), value: name, mostCharacters: 100 },
      { name: 'contactEmail', label: say('E-mail of the contact'), value: email, mostCharacters: 255 },
      {
        name: 'contactPhone',
        label: say('Telephone of the contact'),
        value: phone,
        mostCharacters: 30,
      },
      {
        name: 'addresses',
        label: say('Addresses in production'),
        value: merchant?.productionAddresses.join(' ') ?? '',
        hint: say('All of them, with a blank between them.'),
      },
      {
        name: 'softDescriptor',
        label: say('Name on statements'),
        value: merchant?.softDescriptor ?? '',
        hint: say('Empty: none.'),
        mostCharacters: 13,
      },
      {
        name: 'businessAddress',
        label: say('Address on boletos'),
        value: merchant?.businessAddress ?? '',
        hint: say('Empty: none.'),
        mostCharacters: 150,
      },
    ],
  });
}

const ADD_ACCOUNTS: Action<ConsoleTools> = {
  ...OF_OPERATOR,
  path: `${OF_MERCHANT}/accounts`,
  title: 'Add accounts',
  operation: 'account.add',
  perform: async (visit, { account = '' }, { addAccounts }) =>
    outcomeOf(visit, await addAccounts(visit, wordsOf(account))),
  again: accountsForm,
  done: 'The accounts are added.',
};

const CHANGE: Action<ConsoleTools> = {
  ...OF_OPERATOR,
  path: `${OF_MERCHANT}/change`,
  title: 'Change',
  operation: 'merchant.change',
  perform: async (visit, form, { changeMerchant }) =>
    outcomeOf(visit, await changeMerchant(visit, changeOf(form))),
  again: (visit, typed) => changeForm(visit, null, typed),
  done: 'It is changed.',
};

export const MERCHANT_ACTIONS: readonly Action<ConsoleTools>[] = [
  CREATE,
  DISABLE,
  ENABLE,
  HOLD,
  RELEASE,
  ADD_ACCOUNTS,
  CHANGE,
];

const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

function merchantOf(form: Form): NewMerchant {
  const {
    cnpj = '',
    legalName = '',
    id,
    accounts = '',
    addresses = '',
    softDescriptor,
    businessAddress,
  } = form;
  const { contactName: name = '', contactEmail: email = '', contactPhone: phone = '' } = form;
  return {
    merchantId: id ?? bareCnpj(cnpj),
    cnpj,
    legalName,
    contact: { name, email, phone },
    accountNumbers: wordsOf(accounts),
    productionAddresses: wordsOf(addresses),
    softDescriptor: softDescriptor ?? null,
    businessAddress: businessAddress ?? null,
  };
}

/**
 * The form comes with the current values, so an empty field removes a value, or is refused if the value is
 * required.
 */
function changeOf(form: Form): MerchantChange {
  const { legalName = '', addresses = '', softDescriptor, businessAddress } = form;
  const { contactName: name = '', contactEmail: email = '', contactPhone: phone = '' } = form;
  return {
    legalName,
    contact: { name, email, phone },
    productionAddresses: wordsOf(addresses),
    softDescriptor: softDescriptor ?? null,
    businessAddress: businessAddress ?? null,
  };
}
