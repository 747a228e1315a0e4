import type { Credential } from '../../merchants/credentials/credential.ts';
import type { Merchant } from '../../merchants/merchant.ts';
import { documentText } from '../../values/document-number.ts';
import { scopesText } from '../credentials/credential-screens.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { actionForm, emptyState, facts, link, moment, section, table } from '../parts/page-parts.ts';
import {
  AFTER_RESTORE,
  CREDENTIALS,
  EXCEPTIONS,
  FEES,
  PAYMENTS,
  pathOf,
  ROUTING,
  UNRESOLVED,
  withQuery,
} from '../parts/paths.ts';
import { mayUse, type Visit } from '../parts/screen.ts';
import { CREDENTIAL_STATES, ENTRY_STATES, stateBadge } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import { accountsForm, changeForm, DISABLE, ENABLE, HOLD, MAY_CHANGE, RELEASE } from './merchant-actions.ts';

export type MerchantFound = {
  readonly merchant: Merchant;
  readonly credentials: readonly Credential[] | null;
};

const MOST_ACCOUNTS_SHOWN = 100;

export function merchantPage({ merchant, credentials }: MerchantFound, visit: Visit): Html {
  const { wording } = visit;
  const { say } = wording;
  const { contact, merchantId } = merchant;
  return html`${merchantHeadline(merchant, wording)}
${facts([
  [say('Id'), merchantId],
  ['CNPJ', documentText(merchant.cnpj)],
  [say('Contact'), `${contact.name}, ${contact.email}, ${contact.phone}`],
  [say('Addresses in production'), merchant.productionAddresses.join(', ') || '–'],
  [say('Name on statements'), merchant.softDescriptor ?? '–'],
  [say('Address on boletos'), merchant.businessAddress ?? '–'],
  [say('Since'), moment(wording, merchant.createdAt)],
])}
<p class="links">${link(pathOf(PAYMENTS, { merchantId }), say('Its payments'))} ${
    credentials !== null && link(pathOf(CREDENTIALS, { merchantId }), say('Credentials'))
  } ${link(withQuery(pathOf(UNRESOLVED), { merchant: merchantId }), say('Unresolved'))} ${link(
    withQuery(pathOf(EXCEPTIONS), { merchant: merchantId }),
    say('Exceptions'),
  )} ${link(withQuery(pathOf(ROUTING), { merchant: merchantId }), say('Routing'))} ${link(
    withQuery(pathOf(FEES), { merchant: merchantId }),
    say('Fees'),
  )}</p>
${section(say('Accounts'), accountTable(merchant, credentials, visit))}
${mayUse(MAY_CHANGE, visit.user) && forms(merchant, visit)}
${credentials !== null && section(say('Credentials'), credentialTable(credentials, visit))}`;
}

export function merchantHeadline(
  { legalName, isDisabled, hasBillingsHeld }: Merchant,
  wording: Wording,
): Html {
  const entry = stateBadge(ENTRY_STATES, isDisabled ? 'lockedOut' : 'open', wording);
  const held = hasBillingsHeld && stateBadge(ENTRY_STATES, 'billingsHeld', wording);
  return html`<p class="headline"><strong>${legalName}</strong> ${entry} ${held}</p>`;
}

function forms(merchant: Merchant, visit: Visit): Shown {
  return html`${standingForms(merchant, visit)}
${accountsForm(visit)}
${changeForm(visit, merchant)}`;
}

function standingForms(
  { merchantId, isDisabled, hasBillingsHeld, isHeldByRestore }: Merchant,
  visit: Visit,
): Shown {
  const { say } = visit.wording;
  const lockout = isDisabled
    ? actionForm(visit, ENABLE, { about: say('With the credentials that it has.') })
    : actionForm(visit, DISABLE, {
        about: say(
          'No login, and its tokens end within two seconds. What is under way, billings and notifications go on.',
        ),
        isGrave: true,
      });
  if (isHeldByRestore) {
    const path = pathOf(AFTER_RESTORE.merchant, { merchantId });
    return [lockout, html`<p class="note">${link(path, say('The restore holds its billings'))}</p>`];
  }
  const billings = hasBillingsHeld
    ? actionForm(visit, RELEASE, { about: say('What is due is charged, the oldest first.') })
    : actionForm(visit, HOLD, {
        about: say('No due billing is charged until they are released.'),
        isGrave: true,
      });
  return [lockout, billings];
}

/** Credentials that name no account use the first one. */
function accountTable(
  { accountNumbers }: Merchant,
  credentials: MerchantFound['credentials'],
  { wording }: Visit,
): Html {
  const { say, count } = wording;
  const open = credentials?.filter(({ disabledAt }) => disabledAt === null);
  return html`${table(say('Accounts'), accountNumbers.slice(0, MOST_ACCOUNTS_SHOWN), [
    { title: say('Account'), cell: (account) => account },
    {
      title: say('Used for'),
      cell: (_account, index) => (index === 0 ? say('Credentials that name no account') : '–'),
    },
    ...(open === undefined
      ? []
      : [
          {
            title: say('Open credentials'),
            isNumber: true,
            cell: (account: string) =>
              count(open.filter(({ accountNumber }) => accountNumber === account).length),
          },
        ]),
  ])}${
    accountNumbers.length > MOST_ACCOUNTS_SHOWN &&
    html`<p class="note">${say('Only the first {count} are shown.', { count: count(MOST_ACCOUNTS_SHOWN) })}</p>`
  }`;
}

function credentialTable(credentials: readonly Credential[], { wording }: Visit): Html {
  const { say, day } = wording;
  if (credentials.length === 0)
    return emptyState(
      say('There is no credential yet.'),
      say('An administrator makes one on the page of its credentials; its password is shown once.'),
    );
  return table(say('Credentials'), credentials, [
    { title: say('User name'), cell: (one) => one.userName },
    { title: say('Account'), cell: (one) => one.accountNumber },
    { title: say('Scopes'), cell: (one) => scopesText(one.scopes, wording) },
    {
      title: say('Addresses'),
      cell: (one) => one.allowedAddresses.join(', ') || say('Those of the merchant'),
    },
    { title: say('Password since'), cell: (one) => moment(wording, one.passwordChangedAt) },
    { title: say('Last login'), cell: (one) => (one.lastUsedOn === null ? '–' : day(one.lastUsedOn)) },
    {
      title: say('State'),
      cell: (one) => stateBadge(CREDENTIAL_STATES, one.disabledAt === null ? 'works' : 'disabled', wording),
    },
  ]);
}
