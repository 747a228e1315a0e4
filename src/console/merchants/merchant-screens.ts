import type { Merchant, Standing } from '../../merchants/merchant.ts';
import type { MerchantFilter } from '../../merchants/merchants.sql.ts';
import { documentText } from '../../values/document-number.ts';
import { MAY_SEE_CREDENTIALS } from '../credentials/credential-screens.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import { type Html, html } from '../parts/html.ts';
import { emptyState, filterForm, link, moment, table } from '../parts/page-parts.ts';
import {
  MERCHANTS,
  merchantPath,
  OF_MERCHANT,
  PAYMENTS,
  pathOf,
  ROUTING,
  withQuery,
} from '../parts/paths.ts';
import { mayUse, OF_OPERATOR, type Screen, screen, type Visit } from '../parts/screen.ts';
import { ENTRY_STATES, stateBadge } from '../parts/states.ts';
import { newMerchantForm } from './merchant-actions.ts';
import { type MerchantFound, merchantPage } from './merchant-view.ts';

const STANDINGS: readonly Standing[] = ['disabled', 'billingsHeld'];

function filterOf({ query }: Visit): MerchantFilter {
  return {
    text: query.text?.trim() || null,
    standing: STANDINGS.find((standing) => standing === query.standing) ?? null,
  };
}

export const MERCHANT_SCREENS: readonly Screen<ConsoleTools>[] = [
  screen<ConsoleTools, MerchantsFound>({
    path: MERCHANTS,
    ...OF_OPERATOR,
    title: 'Merchants',
    read: (visit, { searchMerchants }) => searchMerchants(filterOf(visit), visit.query.after ?? ''),
    view: (found, visit) =>
      html`${merchantFilters(visit)}${merchantTable(found, visit)}<p>${link(pathOf(ROUTING), visit.wording.say('Routing'))}</p>${newMerchantForm(visit)}`,
  }),
  screen<ConsoleTools, MerchantFound>({
    path: OF_MERCHANT,
    ...OF_OPERATOR,
    title: 'Merchant',
    async read({ merchantId, user }, { findMerchant, listCredentials }) {
      const merchant = await findMerchant(merchantId);
      if (merchant === null) return 'notFound';
      const maySee = mayUse(MAY_SEE_CREDENTIALS, user);
      return { merchant, credentials: maySee ? await listCredentials(merchantId) : null };
    },
    view: merchantPage,
  }),
];

/** `next`: the id after which the next page begins. Null on the last page. */
type MerchantsFound = { readonly merchants: readonly Merchant[]; readonly next: string | null };

const MOST_ACCOUNTS_SHOWN = 5;

function merchantFilters(visit: Visit): Html {
  const { say } = visit.wording;
  return filterForm(visit, [
    { name: 'text', label: say('Name, id, CNPJ or account'), type: 'search', mostCharacters: 200 },
    {
      name: 'standing',
      label: say('State'),
      choices: [
        ['', say('Any')],
        ['disabled', say('Locked out')],
        ['billingsHeld', say('Billings held')],
      ],
    },
  ]);
}

function merchantTable({ merchants, next }: MerchantsFound, { wording, path, query }: Visit): Html {
  const { say, count } = wording;
  if (merchants.length === 0)
    return query.text === undefined && query.standing === undefined
      ? emptyState(
          say('There is no merchant yet.'),
          say('An operator or an administrator registers one on this page.'),
        )
      : emptyState(
          say('No merchant fits.'),
          say('Search for a part of its name, or all of an id, CNPJ or account.'),
        );
  const onwards =
    next !== null &&
    html`<nav class="pager" aria-label="${say('Pages of this list')}">${
      query.after !== undefined && link(withQuery(path, { ...query, after: undefined }), say('First page'))
    } ${link(withQuery(path, { ...query, after: next }), say('Next'))}</nav>`;
  return html`${table(say('Merchants'), merchants, [
    {
      title: say('Name'),
      cell: ({ merchantId, legalName }) => link(pathOf(PAYMENTS, { merchantId }), legalName),
    },
    { title: say('Id'), cell: ({ merchantId }) => link(merchantPath(merchantId), merchantId) },
    { title: 'CNPJ', cell: ({ cnpj }) => documentText(cnpj) },
    {
      title: say('Accounts'),
      cell: ({ accountNumbers }) => {
        const more = accountNumbers.length - MOST_ACCOUNTS_SHOWN;
        const accounts = accountNumbers.slice(0, MOST_ACCOUNTS_SHOWN).join(', ');
        return more > 0 ? say('{accounts} and {count} more', { accounts, count: count(more) }) : accounts;
      },
    },
    {
      title: say('State'),
      cell: ({ isDisabled, hasBillingsHeld }) => {
        const entry = isDisabled ? 'lockedOut' : hasBillingsHeld ? 'billingsHeld' : 'open';
        return stateBadge(ENTRY_STATES, entry, wording);
      },
    },
    { title: say('Since'), cell: ({ createdAt }) => moment(wording, createdAt) },
  ])}${onwards}`;
}
