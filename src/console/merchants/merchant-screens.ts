import type { Credential } from '../../merchants/credentials/credential.ts';
import type { Merchant, Standing } from '../../merchants/merchant.ts';
import type { MerchantFilter } from '../../merchants/merchants.sql.ts';
import { MAY_SEE_CREDENTIALS } from '../credentials/credential-screens.ts';
import { html } from '../parts/html.ts';
import { link } from '../parts/page-parts.ts';
import { MERCHANTS, OF_MERCHANT, pathOf, ROUTING } from '../parts/paths.ts';
import { ALL_ROLES, mayUse, type Screen, screen, type Visit } from '../parts/screen.ts';
import { type MerchantsFound, merchantFilters, merchantTable, newMerchant } from './merchant-list-view.ts';
import { type MerchantFound, merchantPage } from './merchant-view.ts';

export type MerchantTools = {
  /** Those behind an id, by id, up to a bound. */
  readonly searchMerchants: (filter: MerchantFilter, after: string) => Promise<MerchantsFound>;
  readonly findMerchant: (merchantId: string) => Promise<Merchant | null>;
  readonly listCredentials: (merchantId: string) => Promise<readonly Credential[]>;
};

const STANDINGS: readonly Standing[] = ['disabled', 'billingsHeld'];

function filterOf({ query }: Visit): MerchantFilter {
  return {
    text: query.text?.trim() || null,
    standing: STANDINGS.find((standing) => standing === query.standing) ?? null,
  };
}

export const MERCHANT_SCREENS: readonly Screen<MerchantTools>[] = [
  screen<MerchantTools, MerchantsFound>({
    path: MERCHANTS,
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Merchants',
    place: 5,
    read: (visit, { searchMerchants }) => searchMerchants(filterOf(visit), visit.query.after ?? ''),
    view: (found, visit) =>
      html`${merchantFilters(visit)}${merchantTable(found, visit)}<p>${link(pathOf(ROUTING), visit.wording.say('Routing'))}</p>${newMerchant(visit)}`,
  }),
  screen<MerchantTools, MerchantFound>({
    path: OF_MERCHANT,
    roles: ALL_ROLES,
    of: 'operator',
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
