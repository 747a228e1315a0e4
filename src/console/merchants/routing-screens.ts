import type { Merchant } from '../../merchants/merchant.ts';
import { MERCHANT_UNKNOWN } from '../../merchants/refusals.ts';
import type { FitRoutes, ProviderRefused, WantedRoutes } from '../../providers/add-provider.ts';
import { MOST_RULES, RULE_FAULTS, ruleText } from '../../providers/provider-rule.ts';
import { CARD_BRANDS, type CardBrand } from '../../values/card-number.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import { approvalTable, noApprovals } from '../parts/approvals.ts';
import { type Html, html } from '../parts/html.ts';
import { actionForm, brandText, facts, filterForm, link, section, table } from '../parts/page-parts.ts';
import { HEALTH, merchantPath, pathOf, ROUTING } from '../parts/paths.ts';
import {
  type Action,
  type Asked,
  type Form,
  type Moved,
  NOT_AS_SEEN,
  OF_OPERATOR,
  OPERATION_DONE,
  refusedAs,
  type Screen,
  screen,
  type Visit,
} from '../parts/screen.ts';
import { badge } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import { MAY_CHANGE } from './merchant-actions.ts';
import { merchantHeadline } from './merchant-view.ts';
import { ACQUIRER, type RoutedProvider, type Routing, RULE_SEPARATOR, ruleTexts } from './routing.ts';

type Found = { readonly routing: Routing; readonly asked: string | null; readonly merchant: Merchant | null };

async function findRouting(
  asked: string | null,
  { readRouting, findMerchant }: ConsoleTools,
): Promise<Found> {
  const merchant = asked === null ? null : await findMerchant(asked);
  return { routing: await readRouting(asked), asked, merchant };
}

export const ROUTING_SCREENS: readonly Screen<ConsoleTools>[] = [
  screen<ConsoleTools, Found>({
    path: ROUTING,
    ...OF_OPERATOR,
    title: 'Routing',
    read: ({ query }, tools) => findRouting(query.merchant ?? null, tools),
    view: (found, visit) =>
      html`${filterForm(visit, [{ name: 'merchant', label: visit.wording.say('Merchant'), mostCharacters: 20 }])}${ofMerchant(found, visit)}${providers(found.routing, visit)}${changeForm(found, visit)}${approvals(found.routing, visit)}${brands(found.routing, visit)}${capabilities(found.routing, visit)}${others(found.routing, visit)}`,
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
  const idle = badge('wait', say('Gets nothing new'));
  const state = (isEnabled: boolean) => (isEnabled ? badge('good', say('Enabled')) : idle);
  const isIdle = ({ kind, provider }: Routing['rules'][number]) =>
    added.some((one) => one.kind === kind && one.name === provider && !one.isEnabled);
  return section(
    say('Providers and rules'),
    html`${table(say('Providers'), added, [
      { title: say('Who'), cell: ({ kind }) => say(KINDS[kind].text) },
      { title: say('Name'), cell: ({ name }) => html`<code>${name}</code>` },
      {
        title: say('Address'),
        cell: ({ host }) => (host === null ? say('none') : html`<code>${host}</code>`),
      },
      { title: say('State'), cell: ({ isEnabled }) => state(isEnabled) },
    ])}${table(say('Rules, in their order'), rules, [
      {
        title: say('Merchant'),
        cell: ({ merchantId }) =>
          merchantId === null ? say('All merchants') : link(merchantPath(merchantId), merchantId),
      },
      { title: say('Who'), cell: ({ kind }) => say(KINDS[kind].text) },
      { title: say('Rule'), cell: (one) => html`<code>${one.text}</code>${isIdle(one) && html` ${idle}`}` },
    ])}`,
  );
}

const LONGEST_RULES = 4_000;
/**
 * The form's field `merchant` has this text for all merchants; no merchant has this id. A form without the
 * field changes nothing.
 */
const ALL = '*';

function changeForm({ routing, asked, merchant }: Found, visit: Visit, typed?: Form): Html | false {
  const { say } = visit.wording;
  if (asked !== null && merchant === null) return false;
  const merchantId = merchant?.merchantId ?? null;
  const rules = routing.rules.filter((one) => one.kind === ACQUIRER && one.merchantId === merchantId);
  const standing = rules.map(({ text }) => text).join(RULE_SEPARATOR);
  const isChanged = typed?.standing !== undefined && typed.standing !== routing.standing;
  const form = actionForm(visit, ROUTE, {
    typed,
    about: html`${isChanged && html`<strong>${say('Rules or acquirers have changed since you looked. What stands now, and would be replaced:')}</strong> <code>${standing || say('no rule')}</code>. ${acquirersNow(routing, visit)}`}<strong>${merchantId ?? say('All merchants')}</strong>: ${say('The first rule that fits is asked first; the next one that fits, where the first surely did not charge. What was charged already stays where it is.')} ${say('Every process knows it within seconds.')}`,
    // The rules that stand now are shown above: who sends the form again replaces what he has seen.
    hidden: { merchant: merchantId ?? ALL, standing: routing.standing },
    fields: [
      {
        name: 'rules',
        label: say('Rules, in their order'),
        hint: say(
          'Between them a semicolon, each such as brand=visa,elo installments=2-12 amount=10000-500000 share=30 NAME: amount in cents, share in percent. Empty: none.',
        ),
        value: standing,
        mostCharacters: LONGEST_RULES,
      },
    ],
    isGrave: true,
  });
  return form !== '' && html`${form}`;
}

function acquirersNow({ providers: added }: Routing, { wording: { say } }: Visit): Html[] {
  return added
    .filter(({ kind }) => kind === ACQUIRER)
    .map(
      ({ name, host, isEnabled }) =>
        html`${say('Acquirer')} <code>${name}</code>: ${host ?? say('none')}, ${isEnabled ? say('Enabled') : say('Gets nothing new')}. `,
    );
}

const wantedOf = ({ merchant = '', rules = '', standing: seen }: Form): WantedRoutes => ({
  kind: ACQUIRER,
  merchantId: merchant === ALL ? null : merchant,
  rules: ruleTexts(rules),
  seen,
});

const REFUSALS = {
  merchantUnknown: MERCHANT_UNKNOWN,
  providerUnknown: { status: 409, text: 'There is no acquirer called {value}.' },
  tooManyRules: { status: 400, text: 'At most {most} rules are taken.', most: MOST_RULES },
  routesChanged: NOT_AS_SEEN,
  ...RULE_FAULTS,
} as const;

function refusedRoutes(visit: Visit, { refusal, value }: ProviderRefused): Asked<never> {
  const found = Object.entries(REFUSALS).find(([name]) => name === refusal)?.[1];
  // Other refusals only occur in the commands that add providers.
  if (found === undefined) throw new Error(`a route was refused as ${refusal}`);
  return refusedAs(visit, found, value);
}

const ruleLine = (rules: FitRoutes['rules']) => rules.map(ruleText).join(RULE_SEPARATOR);

/**
 * No money moves, but all later charges are affected: if there is a limit for one person, a second one is
 * always asked. That person approves the resulting rules and those they replace, not the typed text.
 */
async function moved(visit: Visit, form: Form, { checkRoutes }: ConsoleTools): Promise<Asked<Moved>> {
  const { seen: _seen, ...wanted } = wantedOf(form);
  const checked = await checkRoutes(wanted);
  if (checked.kind === 'refused') return refusedRoutes(visit, checked);
  const { rules, former, idle, standing } = checked;
  const fields = {
    merchant: form.merchant ?? '',
    standing,
    idle: idle.join(', '),
    rules: ruleLine(rules),
    former: ruleLine(former.map(({ rule }) => rule)),
  };
  return {
    ok: true,
    status: 200,
    body: { amount: 0, counted: Number.POSITIVE_INFINITY, standing, fields },
  };
}

function saysOf({ merchant = '', rules = '', former = '', idle = '' }: Form, { say }: Wording): string {
  const textOf = (line: string) => (line === '' ? say('no rule') : line);
  const said = say('{rules}, in place of: {former}', { rules: textOf(rules), former: textOf(former) });
  return [
    `${merchant === ALL ? say('All merchants') : merchant}: ${said}`,
    ...(idle === '' ? [] : [say('gets nothing new: {names}', { names: idle })]),
  ].join('; ');
}

const ROUTE: Action<ConsoleTools> = {
  ...MAY_CHANGE,
  path: `${ROUTING}/acquirers`,
  title: 'Change the acquirers',
  operation: 'provider.route',
  moves: moved,
  saysOf,
  async again(visit, typed, tools) {
    // Without the field `merchant` nothing is changed.
    if (typed.merchant === undefined) return '';
    return changeForm(await findRouting(wantedOf(typed).merchantId, tools), visit, typed);
  },
  async perform(visit, form, { routeProviders }) {
    const routed = await routeProviders(visit, wantedOf(form));
    return routed.kind === 'refused' ? refusedRoutes(visit, routed) : OPERATION_DONE;
  },
  done: 'The acquirers are changed.',
  next: () => pathOf(ROUTING),
};

export const ROUTING_ACTIONS: readonly Action<ConsoleTools>[] = [ROUTE];

function approvals({ processes }: Routing, { wording }: Visit): Html {
  const { say } = wording;
  return section(
    say('Approvals by acquirer and brand'),
    html`${approvalTable(processes, wording) ?? noApprovals(wording)}
<p class="note">${say('Of the charges that were answered yes or no, for all merchants, since the processes began; over longer times parcela_authorizations_total has it.')}</p>`,
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
