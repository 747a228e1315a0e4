import type { CredentialWithPassword } from '../../merchants/credentials/create-credential.ts';
import type { Credential, NewCredential } from '../../merchants/credentials/credential.ts';
import type { Refused } from '../../merchants/merchant.ts';
import { OPERATOR_REFUSALS, type OperatorRefusal } from '../../merchants/refusals.ts';
import type { Scope } from '../../platform/http/endpoint.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { actionForm, emptyState, facts, realMoment, table } from '../parts/page-parts.ts';
import { CREDENTIAL, CREDENTIALS, pathOf } from '../parts/paths.ts';
import { type Action, type Form, refusedAs, type Screen, screen, type Visit } from '../parts/screen.ts';

import { CREDENTIAL_STATES, stateBadge } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';

export const MAY_SEE_CREDENTIALS = {
  roles: ['support', 'operator', 'admin'],
  of: 'merchant',
} as const satisfies Partial<Action>;
const ADMIN = { roles: ['admin'], of: 'merchant' } as const satisfies Partial<Action>;

const USES: Readonly<Record<string, { readonly text: string; readonly scopes: readonly Scope[] }>> = {
  payments: { text: 'Payments and subscriptions', scopes: ['gateway', 'recurrence'] },
  gateway: { text: 'Payments alone', scopes: ['gateway'] },
  recurrence: { text: 'Subscriptions alone', scopes: ['recurrence'] },
  integration: { text: 'Boletos, reconciliation and notifications', scopes: ['integration'] },
};

const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  gateway: 'Payments',
  recurrence: 'Subscriptions',
  integration: 'Boletos, reconciliation and notifications',
};

export function scopesText(scopes: readonly Scope[], { say }: Wording): string {
  return scopes.map((scope) => say(SCOPE_WORDS[scope])).join(', ');
}

const refused = (visit: Visit, { refusal }: Refused<OperatorRefusal>) =>
  refusedAs(visit, OPERATOR_REFUSALS[refusal]);

export const CREDENTIAL_SCREENS: readonly Screen<MerchantPageTools>[] = [
  screen<MerchantPageTools, readonly Credential[]>({
    path: CREDENTIALS,
    ...MAY_SEE_CREDENTIALS,
    title: 'Credentials',
    read: ({ merchantId }, { listCredentials }) => listCredentials(merchantId),
    view: (found, visit) => html`${newForm(visit)}${credentialList(found, visit)}`,
  }),
];

function newForm(visit: Visit, typed?: Form): Shown {
  const { say } = visit.wording;
  return actionForm(visit, CREATE, {
    typed,
    about: say('Its password is made here, and shown once.'),
    fields: [
      {
        name: 'use',
        label: say('For what'),
        choices: Object.entries(USES).map(([use, { text }]) => [use, say(text)] as const),
      },
      {
        name: 'accountNumber',
        label: say('Account'),
        choices: visit.accountNumbers.map((account) => [account, account] as const),
      },
      {
        name: 'userName',
        label: say('User name'),
        hint: say('Empty: one is made.'),
        mostCharacters: 30,
      },
      ...(visit.user.merchantId === null
        ? [
            {
              name: 'addresses',
              label: say('Addresses'),
              hint: say(
                'Of the servers that use it, with blanks between them. Empty: those of the merchant.',
              ),
              mostCharacters: 500,
            },
          ]
        : []),
    ],
  });
}

function credentialList(credentials: readonly Credential[], visit: Visit): Html {
  const { wording } = visit;
  const { say, day } = wording;
  if (credentials.length === 0)
    return emptyState(
      say('There is no credential yet.'),
      say('An administrator makes one here; programs log in with it.'),
    );
  return table(say('Credentials'), credentials, [
    { title: say('User name'), cell: (one) => one.userName },
    { title: say('Scopes'), cell: (one) => scopesText(one.scopes, wording) },
    { title: say('Account'), cell: (one) => one.accountNumber },
    { title: say('Since'), cell: (one) => realMoment(wording, one.createdAt) },
    { title: say('Last used'), cell: (one) => (one.lastUsedOn === null ? '–' : day(one.lastUsedOn)) },
    {
      title: say('State'),
      cell: (one) => stateBadge(CREDENTIAL_STATES, one.disabledAt === null ? 'works' : 'disabled', wording),
    },
    { title: say('Action'), cell: (one) => one.disabledAt === null && disableForm(one, visit) },
  ]);
}

function disableForm({ credentialId }: Credential, visit: Visit): Shown {
  return actionForm(visit, DISABLE, {
    values: { credentialId },
    about: visit.wording.say('It ends for good, and its tokens within two seconds.'),
    isGrave: true,
  });
}

function wantedOf(
  { merchantId, user }: Visit,
  { use = '', accountNumber, userName, addresses = '' }: Form,
): NewCredential {
  return {
    merchantId,
    accountNumber: accountNumber ?? null,
    scopes: USES[use]?.scopes ?? [],
    userName: userName ?? null,
    allowedAddresses:
      user.merchantId === null ? addresses.split(/[\s,]+/).filter((address) => address !== '') : [],
  };
}

function reveal(answered: unknown, { wording }: Visit): Html {
  const { say } = wording;
  const { credential, password } = answered as CredentialWithPassword;
  return html`<p>${say('Keep it now: it is shown this once.')}</p>
${facts([
  [say('User name'), html`<code>${credential.userName}</code>`],
  [say('Password'), html`<code class="secret">${password}</code>`],
  [say('Account'), credential.accountNumber],
])}`;
}

const next = ({ merchantId }: Visit) => pathOf(CREDENTIALS, { merchantId });

const CREATE: Action<MerchantPageTools> = {
  ...ADMIN,
  path: `${CREDENTIALS}/new`,
  title: 'New credential',
  operation: 'createCredential',
  async perform(visit, form, { createCredential }) {
    const created = await createCredential(visit, wantedOf(visit, form));
    return 'refusal' in created ? refused(visit, created) : { ok: true, status: 200, body: created };
  },
  again: newForm,
  done: 'The credential was made.',
  reveal,
  next,
};

const DISABLE: Action<MerchantPageTools> = {
  ...ADMIN,
  path: `${CREDENTIAL}/disable`,
  title: 'Disable',
  operation: 'disableCredential',
  isForHeld: true,
  async perform(visit, _form, { listCredentials, disableCredential }) {
    const { credentialId } = visit.parameters;
    const found = (await listCredentials(visit.merchantId)).find((one) => one.credentialId === credentialId);
    if (found === undefined) return refusedAs(visit, OPERATOR_REFUSALS.credentialUnknown);
    const disabled = await disableCredential(visit, found.userName);
    return 'refusal' in disabled ? refused(visit, disabled) : { ok: true, status: 200, body: undefined };
  },
  done: 'The credential is disabled.',
  next,
};

export const CREDENTIAL_ACTIONS: readonly Action<MerchantPageTools>[] = [CREATE, DISABLE];
