import type { Credential } from '../../merchants/credentials/credential.ts';
import type { Merchant } from '../../merchants/merchant.ts';
import { badge, emptyState, link, moment, table } from '../parts/page-parts.ts';
import { ALL_ROLES, OF_MERCHANT, pathOf, type Screen, screen } from '../parts/screen.ts';
import { type MerchantFound, merchantPage } from './merchant-view.ts';

export type MerchantTools = {
  readonly listMerchants: () => Promise<readonly Merchant[]>;
  readonly findMerchant: (merchantId: string) => Promise<Merchant | null>;
  readonly listCredentials: (merchantId: string) => Promise<readonly Credential[]>;
};

export const MERCHANT_SCREENS: readonly Screen<MerchantTools>[] = [
  screen<MerchantTools, readonly Merchant[]>({
    path: '/merchants',
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Merchants',
    place: 5,
    read: (_visit, { listMerchants }) => listMerchants(),
    view(merchants, { wording }) {
      const { say } = wording;
      if (merchants.length === 0)
        return emptyState(
          say('There is no merchant yet.'),
          say('The command parcela merchant create registers one.'),
        );
      return table(
        say('Merchants'),
        [
          { title: say('Name') },
          { title: say('Id') },
          { title: 'CNPJ' },
          { title: say('Accounts') },
          { title: say('State') },
          { title: say('Since') },
        ],
        merchants.map((one) => [
          link(pathOf(`${OF_MERCHANT}/payments`, { merchantId: one.merchantId }), one.legalName),
          link(pathOf(OF_MERCHANT, { merchantId: one.merchantId }), one.merchantId),
          one.cnpj,
          one.accountNumbers.join(', '),
          one.isDisabled
            ? badge('bad', say('Locked out'))
            : one.hasBillingsHeld
              ? badge('wait', say('Billings held'))
              : badge('good', say('Open')),
          moment(wording, one.createdAt),
        ]),
      );
    },
  }),
  screen<MerchantTools, MerchantFound>({
    path: OF_MERCHANT,
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Merchant',
    async read({ merchantId }, { findMerchant, listCredentials }) {
      const merchant = await findMerchant(merchantId);
      if (merchant === null) return 'notFound';
      return { merchant, credentials: await listCredentials(merchantId) };
    },
    view: merchantPage,
  }),
];
