import {
  ALL_MERCHANTS,
  FEE_REFUSALS,
  type FeeRule,
  type FeeVersion,
} from '../../transactions/fees/fee-table.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import {
  actionForm,
  brandText,
  emptyState,
  filterForm,
  moment,
  section,
  table,
} from '../parts/page-parts.ts';
import { FEES, pathOf } from '../parts/paths.ts';
import {
  type Action,
  type Form,
  OF_OPERATOR,
  OPERATION_DONE,
  operationRefused,
  refusedAs,
  type Screen,
  screen,
  type Visit,
} from '../parts/screen.ts';
import { badge, type Tone } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import {
  type ComparedCell,
  comparedFees,
  type FeeDifference,
  type FeeStanding,
  MOST_VERSIONS_LISTED,
} from './fee-comparison.ts';
import { readSeenFee, suggestedRules } from './suggested-rules.ts';

type FeesFound = {
  readonly ofAll: readonly FeeVersion[];
  readonly ofMerchant: { readonly merchantId: string; readonly versions: readonly FeeVersion[] } | null;
  readonly newest: readonly FeeVersion[];
};

function feePage({ ofAll, ofMerchant, newest }: FeesFound, visit: Visit): Html {
  const { say } = visit.wording;
  return html`${filterForm(visit, [{ name: 'merchant', label: say('Merchant'), mostCharacters: 20 }])}
${ofMerchant !== null && section(say('Fees of {merchant}', { merchant: ofMerchant.merchantId }), merchantComparison(ofMerchant.versions, visit))}
${section(say('Fees of all that have none of their own'), comparison(ofAll, visit))}
${newFeeVersion({ ofAll, ofMerchant, newest }, visit)}
${section(say('All versions'), feeTable(newest, visit))}`;
}

function merchantComparison(versions: readonly FeeVersion[], visit: Visit): Html {
  const { say } = visit.wording;
  const inForce = comparedFees(versions, visit.now).versions.find(({ standing }) => standing === 'inForce');
  const hasOwn = inForce !== undefined && inForce.version.rules !== '';
  return html`<p>${
    hasOwn
      ? say('It has a version of its own.')
      : say('It has no version of its own in force: those of all count for it.')
  }</p>${versions.length > 0 && comparison(versions, visit)}`;
}

const STANDING_WORDS: Readonly<Record<FeeStanding, string>> = {
  before: 'Before, from {moment}',
  inForce: 'In force since {moment}',
  next: 'Next, from {moment}',
};

const DIFFERENCES: Readonly<Record<FeeDifference, readonly [Tone, string] | null>> = {
  same: null,
  absent: null,
  changed: ['wait', 'Changed'],
  added: ['wait', 'New'],
  takenAway: ['wait', 'Taken away'],
};

function comparison(versions: readonly FeeVersion[], visit: Visit): Html {
  const { say, count, moment: shown } = visit.wording;
  const compared = comparedFees(versions, visit.now);
  if (compared.versions.length === 0)
    return emptyState(
      say('There is no version of the fees yet.'),
      say('Without rules every sale is free of a fee.'),
    );
  const titles = compared.versions.map(({ version: { validFrom }, standing }) =>
    say(STANDING_WORDS[standing], { moment: validFrom <= 0 ? say('the beginning') : shown(validFrom) }),
  );
  if (compared.rules.length === 0)
    return html`<p>${titles.join(', ')}: ${say('Without rules every sale is free of a fee.')}</p>`;
  type Compared = (typeof compared.rules)[number];
  return html`${table(say('Versions side by side'), compared.rules, [
    {
      title: say('Brand and installments'),
      cell: ({ name, cells }) => ruleText(name, cells.find(({ rule }) => rule !== null)?.rule, visit.wording),
    },
    ...titles.map((title, version) => ({
      title,
      cell: ({ cells }: Compared) => termsCell(cells[version], visit.wording),
    })),
  ])}${
    compared.later > 0 &&
    html`<p class="note">${say('Not beside them, because they begin later: {count}.', { count: count(compared.later) })}</p>`
  }`;
}

function ruleText(name: string, rule: FeeRule | null | undefined, { say, count }: Wording): string {
  if (rule == null) return name;
  const { brand, fromInstallments: from, toInstallments: to } = rule;
  if (brand === 'pix') return 'Pix';
  const of = brand === 'any' ? say('All brands') : brandText(brand);
  if (from !== to)
    return say('{brand}, {from} to {to} installments', { brand: of, from: count(from), to: count(to) });
  return from === 1
    ? say('{brand}, in one payment', { brand: of })
    : say('{brand}, {from} installments', { brand: of, from: count(from) });
}

function termsCell(compared: ComparedCell | undefined, wording: Wording): Shown {
  if (compared === undefined) return '';
  const { rule, difference } = compared;
  const mark = DIFFERENCES[difference];
  const terms = rule === null ? '–' : termsOf(rule, wording);
  return mark === null ? terms : html`<strong>${terms}</strong> ${badge(mark[0], wording.say(mark[1]))}`;
}

function termsOf({ brand, portion, plan, toInstallments }: FeeRule, { say, count }: Wording): string {
  const percent = count(portion / 100);
  if (brand === 'pix') return say('{percent}%, at once', { percent });
  const { firstDays, betweenDays } = plan;
  // A sale in one payment is paid out once.
  if (toInstallments === 1) return say('{percent}%, after {days} days', { percent, days: firstDays });
  return firstDays === betweenDays
    ? say('{percent}%, every {days} days', { percent, days: firstDays })
    : say('{percent}%, after {first} days, then every {days}', {
        percent,
        first: firstDays,
        days: betweenDays,
      });
}

/** The form for a new version. It is filled in if a link of another page brings a fee from files. */
function newFeeVersion({ ofAll, ofMerchant }: FeesFound, visit: Visit): Shown {
  const seen = readSeenFee(visit.query);
  const of = { ofAll, ofMerchant: ofMerchant?.versions ?? [] };
  return feesForm(
    visit,
    seen === null
      ? undefined
      : {
          rules: suggestedRules(of, seen, visit.now),
          ...(ofMerchant !== null && { merchant: ofMerchant.merchantId }),
        },
  );
}

function feesForm(visit: Visit, typed?: Form): Shown {
  const { say } = visit.wording;
  return actionForm(visit, SET_FEES, {
    typed,
    about: say(
      'Sales from its moment on are charged at it; what was sold keeps the fee that it was sold at.',
    ),
    fields: [
      {
        name: 'rules',
        label: say('Rules'),
        hint: say('Such as visa:1=2.49@30, any:2-12=3.10@31/30. With a merchant, empty: the fees of all.'),
        mostCharacters: LONGEST_RULES,
      },
      { name: 'from', label: say('From'), type: 'date', hint: say('Empty, or today: in ten seconds.') },
      {
        name: 'merchant',
        label: say('Merchant'),
        hint: say('Empty: all that have none of their own.'),
        mostCharacters: 20,
      },
    ],
    isGrave: true,
  });
}

function feeTable(versions: readonly FeeVersion[], { wording }: Visit): Html {
  const { say, count } = wording;
  const shown = versions.slice(0, MOST_VERSIONS_LISTED);
  if (versions.length === 0)
    return emptyState(
      say('There is no version of the fees yet.'),
      say('Without rules every sale is free of a fee.'),
    );
  return html`${table(say('Fees'), shown, [
    {
      title: say('From'),
      cell: ({ validFrom }) => (validFrom <= 0 ? say('Always') : moment(wording, validFrom)),
    },
    {
      title: say('Merchant'),
      cell: ({ merchantId }) => (merchantId === ALL_MERCHANTS ? say('All') : merchantId),
    },
    { title: say('Rules'), cell: ({ rules }) => (rules === '' ? '–' : html`<code>${rules}</code>`) },
    {
      title: say('Made by'),
      cell: ({ source, createdBy }) => (source === 'setting' ? 'PARCELA_FEES' : createdBy),
    },
  ])}${
    versions.length > shown.length &&
    html`<p class="note">${say('There are older ones: only the newest {count} are listed. The command parcela fees list has all.', { count: count(shown.length) })}</p>`
  }`;
}

export const FEE_SCREENS: readonly Screen<ConsoleTools>[] = [
  screen<ConsoleTools, FeesFound>({
    path: FEES,
    ...OF_OPERATOR,
    title: 'Fees',
    async read({ query: { merchant = null } }, { listFees }) {
      return {
        ofAll: await listFees(ALL_MERCHANTS),
        ofMerchant: merchant === null ? null : { merchantId: merchant, versions: await listFees(merchant) },
        newest: await listFees(merchant),
      };
    },
    view: feePage,
  }),
];

const LONGEST_RULES = 10_000;

const SET_FEES: Action<ConsoleTools> = {
  roles: ['finance', 'admin'],
  of: 'operator',
  path: `${FEES}/set`,
  title: 'New version',
  operation: 'fees.change',
  async perform(visit, { rules = '', from = null, merchant = null }, { changeFees }) {
    const { say } = visit.wording;
    if (rules.length > LONGEST_RULES) return operationRefused(400, say('These are more rules than fit.'));
    if (rules === '' && merchant === null) return operationRefused(400, say('Give the rules.'));
    const changed = await changeFees(visit, { rules, from, merchantId: merchant });
    return changed.kind === 'changed'
      ? OPERATION_DONE
      : refusedAs(visit, FEE_REFUSALS[changed.refusal], changed.value);
  },
  again: feesForm,
  done: 'The version stands beside the others.',
  next: () => pathOf(FEES),
};

export const FEE_ACTIONS: readonly Action<ConsoleTools>[] = [SET_FEES];
