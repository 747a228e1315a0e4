import { ALL_MERCHANTS, type FeeVersion } from '../../transactions/fees/fee-version.ts';
import { type Html, html } from '../parts/html.ts';
import { actionForm, emptyState, moment, table } from '../parts/page-parts.ts';
import type { Visit } from '../parts/screen.ts';

export const MAY_CHANGE_FEES = { roles: ['finance', 'admin'], of: 'operator' } as const;
export const LONGEST_RULES = 10_000;

export function newFeeVersion(visit: Visit): Html {
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

export function feeTable(versions: readonly FeeVersion[], { wording }: Visit): Html {
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
