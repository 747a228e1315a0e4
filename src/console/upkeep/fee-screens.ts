import type { FeeChange, NewFees } from '../../transactions/fees/change-fees.ts';
import { ALL_MERCHANTS, type FeeRefusal, type FeeVersion } from '../../transactions/fees/fee-version.ts';
import { type Html, html } from '../parts/html.ts';
import { OPERATION_DONE, operationRefused } from '../parts/operation-refused.ts';
import { actionForm, emptyState, moment, table } from '../parts/page-parts.ts';
import { type Action, ALL_ROLES, mayUse, type Screen, screen, type Visit } from '../parts/screen.ts';

export type FeeTools = {
  /** Those that begin last first, up to a bound. */
  readonly listFees: () => Promise<readonly FeeVersion[]>;
  readonly changeFees: (visit: Visit, wanted: NewFees) => Promise<FeeChange>;
};

const MAY_CHANGE = { roles: ['finance', 'admin'], of: 'operator' } as const;
const LONGEST_RULES = 10_000;

export const FEE_SCREENS: readonly Screen<FeeTools>[] = [
  screen<FeeTools, readonly FeeVersion[]>({
    path: '/fees',
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Fees',
    place: 6,
    read: (_visit, { listFees }) => listFees(),
    view: (versions, visit) =>
      html`${mayUse(MAY_CHANGE, visit.user) && newVersion(visit)}${list(versions, visit)}`,
  }),
];

function newVersion(visit: Visit): Html {
  const { say } = visit.wording;
  return actionForm(visit, {
    action: '/console/fees/set',
    title: say('New version'),
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
      { name: 'from', label: say('From'), type: 'date', hint: say('Empty: in ten seconds.') },
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

function list(versions: readonly FeeVersion[], { wording }: Visit): Html {
  const { say } = wording;
  if (versions.length === 0)
    return emptyState(
      say('There is no version of the fees yet.'),
      say('Without rules every sale is free of a fee.'),
    );
  return table(
    say('Fees'),
    [{ title: say('From') }, { title: say('Merchant') }, { title: say('Rules') }, { title: say('Made by') }],
    versions.map(({ merchantId, validFrom, rules, source, createdBy }) => [
      validFrom <= 0 ? say('The beginning') : moment(wording, validFrom),
      merchantId === ALL_MERCHANTS ? say('All') : merchantId,
      rules === '' ? '–' : html`<code>${rules}</code>`,
      source === 'setting' ? 'PARCELA_FEES' : createdBy,
    ]),
  );
}

const REFUSALS: Readonly<Record<FeeRefusal, { readonly status: 400 | 404 | 409; readonly text: string }>> = {
  rulesMalformed: { status: 400, text: 'The rules cannot be read: {value}' },
  dayMalformed: { status: 400, text: 'This is no day: {value}' },
  merchantUnknown: { status: 404, text: 'There is no such merchant.' },
  saleAfter: { status: 409, text: 'It would change the fee of a sale that was made at {value}.' },
  sameMoment: { status: 409, text: 'A version is valid from {value} already.' },
};

export const FEE_ACTIONS: readonly Action<FeeTools>[] = [
  {
    ...MAY_CHANGE,
    path: '/fees/set',
    title: 'New version',
    operation: 'fees.change',
    async perform(visit, { rules = '', from = null, merchant = null }, { changeFees }) {
      const { say } = visit.wording;
      if (rules.length > LONGEST_RULES) return operationRefused(400, say('These are more rules than fit.'));
      if (rules === '' && merchant === null) return operationRefused(400, say('Give the rules.'));
      const changed = await changeFees(visit, { rules, from, merchantId: merchant });
      if (changed.kind === 'changed') return OPERATION_DONE;
      const { status, text } = REFUSALS[changed.refusal];
      return operationRefused(status, say(text, { value: changed.value }));
    },
    done: 'The version stands beside the others.',
    next: () => '/console/fees',
  },
];
