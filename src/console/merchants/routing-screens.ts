import type { Merchant } from '../../merchants/merchant.ts';
import { CARD_BRANDS, type CardBrand } from '../../values/card-number.ts';
import { type Html, html } from '../parts/html.ts';
import { brandText, facts, filterForm, link, section, table } from '../parts/page-parts.ts';

import { HEALTH, merchantPath, pathOf, ROUTING } from '../parts/paths.ts';
import { ALL_ROLES, type Screen, screen, type Visit } from '../parts/screen.ts';
import { badge } from '../parts/states.ts';
import { merchantHeadline } from './merchant-view.ts';
import type { RoutedProvider, Routing } from './routing.ts';

export type RoutingTools = {
  /** With the rules of a merchant, or of all where none is asked for. */
  readonly readRouting: (merchantId: string | null) => Promise<Routing>;
  readonly findMerchant: (merchantId: string) => Promise<Merchant | null>;
};

type Found = { readonly routing: Routing; readonly asked: string | null; readonly merchant: Merchant | null };

export const ROUTING_SCREENS: readonly Screen<RoutingTools>[] = [
  screen<RoutingTools, Found>({
    path: ROUTING,
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Routing',
    async read({ query }, { readRouting, findMerchant }) {
      const asked = query.merchant ?? null;
      const merchant = asked === null ? null : await findMerchant(asked);
      return { routing: await readRouting(asked), asked, merchant };
    },
    view: (found, visit) =>
      html`${filterForm(visit, [{ name: 'merchant', label: visit.wording.say('Merchant'), mostCharacters: 20 }])}${ofMerchant(found, visit)}${providers(found.routing, visit)}${brands(found.routing, visit)}${capabilities(found.routing, visit)}${others(found.routing, visit)}`,
  }),
];

function ofMerchant({ asked, merchant }: Found, { wording }: Visit): Html {
  const { say } = wording;
  if (asked === null)
    return html`<p>${say('A sale goes to the first rule that fits it, those of its merchant before those of all; what fits none goes to default.')}</p>`;
  if (merchant === null) return html`<p class="message bad">${say('There is no such merchant.')}</p>`;
  const { merchantId, accountNumbers, softDescriptor } = merchant;
  return html`${merchantHeadline(merchant, wording)}
${facts([
  [say('Id'), link(merchantPath(merchantId), merchantId)],
  [say('Accounts'), accountNumbers.slice(0, 20).join(', ')],
  [say('Name on statements'), softDescriptor ?? '–'],
])}
`;
}

const KINDS = {
  acquirer: { text: 'Acquirer' },
  bank: { text: 'Bank of the boletos' },
  pix: { text: 'Bank of Pix' },
  antifraud: { text: 'Anti-fraud provider' },
} as const satisfies Record<RoutedProvider['kind'], { readonly text: string }>;

function providers({ providers: added, rules }: Routing, { wording }: Visit): Html {
  const { say } = wording;
  const state = (isEnabled: boolean) =>
    isEnabled ? badge('good', say('Enabled')) : badge('wait', say('Gets nothing new'));
  return section(
    say('Providers and rules'),
    html`${table(say('Providers'), added, [
      { title: say('Who'), cell: ({ kind }) => say(KINDS[kind].text) },
      { title: say('Name'), cell: ({ name }) => html`<code>${name}</code>` },
      { title: say('Address'), cell: ({ host }) => html`<code>${host}</code>` },
      { title: say('State'), cell: ({ isEnabled }) => state(isEnabled) },
    ])}${table(say('Rules, in their order'), rules, [
      {
        title: say('Merchant'),
        cell: ({ merchantId }) =>
          merchantId === null ? say('All merchants') : link(merchantPath(merchantId), merchantId),
      },
      { title: say('Who'), cell: ({ kind }) => say(KINDS[kind].text) },
      { title: say('Rule'), cell: ({ text }) => html`<code>${text}</code>` },
    ])}`,
  );
}

function brands({ acquirer: { host, capabilities: able } }: Routing, { wording }: Visit): Html {
  const { say, count } = wording;
  const isServed = (brand: CardBrand) => able.brands.includes(brand);
  return section(
    say('Brands'),
    table(say('Brands'), CARD_BRANDS, [
      { title: say('Brand'), cell: brandText },
      {
        title: say('Served by'),
        cell: (brand) =>
          isServed(brand)
            ? html`<code>${host ?? '–'}</code>`
            : badge('wait', say('Refused: nobody serves it')),
      },
      {
        title: say('Installments'),
        cell: (brand) =>
          isServed(brand) ? say('1 to {count}', { count: count(able.largestInstallments) }) : '–',
      },
    ]),
  );
}

function capabilities({ acquirer: { capabilities: able } }: Routing, { wording }: Visit): Html {
  const { say, count } = wording;
  const yes = (can: boolean) => (can ? badge('good', say('Yes')) : badge('plain', say('No')));
  return section(
    say('What the acquirer can do'),
    html`${facts([
      [say('Authorizes now and captures later'), yes(able.captureLater)],
      [say('Gives back a part'), yes(able.partialCancel)],
      [say('Verifies a card without charging it'), yes(able.zeroVerification)],
      [say('Takes a 3-D Secure authentication'), yes(able.threeDSecure)],
      [say('Learns who buys'), yes(able.customer)],
      [say('Lists its charges, for a restore'), yes(able.listCharges)],
      [
        say('How long it finds a charge'),
        able.lookUpDays === null ? say('Always') : say('{count} days', { count: count(able.lookUpDays) }),
      ],
    ])}
<p class="note">${say('As its bridge said to this process, at most fifteen seconds ago. What it cannot is refused before anything is sent.')}</p>`,
  );
}

function others({ bankHost, antiFraudHost, acquirer, isHomologation }: Routing, { wording }: Visit): Html {
  const { say } = wording;
  const asked = [
    { who: say('Acquirer'), host: acquirer.host, setting: 'PARCELA_ACQUIRER_URL' },
    { who: say('Bank of the boletos'), host: bankHost, setting: 'PARCELA_BANK_URL' },
    { who: say('Anti-fraud provider'), host: antiFraudHost, setting: 'PARCELA_ANTIFRAUD_URL' },
  ];
  return section(
    say('Where it is said'),
    html`${table(say('Where it is said'), asked, [
      { title: say('Who'), cell: ({ who }) => who },
      {
        title: say('Address'),
        cell: ({ host }) => (host === null ? say('none') : html`<code>${host}</code>`),
      },
      { title: say('Setting'), cell: ({ setting }) => html`<code>${setting}</code>` },
    ])}
<p class="note">${say('These are settings of this process, and the providers called default; all processes of a database name the same. Others are added with parcela provider add.')} ${
      isHomologation && say('In homologation a simulator answers where none is named.')
    } ${link(pathOf(HEALTH), say('How they answer'))}</p>`,
  );
}
