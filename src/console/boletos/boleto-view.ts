import type { Static } from 'typebox';
import type { BOLETO_ANSWER } from '../../boletos/boleto-contract.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { link, table } from '../parts/page-parts.ts';
import { boletoPath } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import { BOLETO_STATES, badge, type StatusBill, stateBadge } from '../parts/states.ts';

export type Boleto = Static<typeof BOLETO_ANSWER>;

/** How what arrived was expected. */
export const PAYMENT_WORDS = {
  expected: 'As expected',
  second: 'Paid again',
  afterEnd: 'Paid after its end',
  otherAmount: 'Another amount',
} as const satisfies Record<Boleto['payments'][number]['kind'], string>;

/** In a list: that somebody has to look at it. */
function unexpectedMark({ payments }: Boleto, { wording: { say } }: Visit): Shown {
  return payments.some(({ state }) => state === 'open') && badge('bad', say('Unexpected payment'));
}

export function stateOfBoleto({ statusBill }: Boleto, { wording }: Visit): Html {
  return stateBadge(BOLETO_STATES, String(statusBill) as StatusBill, wording);
}

export function boletoTable(items: readonly Boleto[], visit: Visit): Html {
  const { say, reais, day } = visit.wording;
  return table(
    say('Boletos'),
    [
      { title: say('Our number') },
      { title: say('Due') },
      { title: say('Payer') },
      { title: say('Amount'), isNumber: true },
      { title: say('Status') },
      { title: say('Reference') },
    ],
    items.map((one) => [
      link(boletoPath(visit.merchantId, one.id), one.ourNumber),
      day(one.dueDate),
      one.payer?.name ?? '–',
      reais(one.value),
      html`${stateOfBoleto(one, visit)} ${unexpectedMark(one, visit)}`,
      one.referenceTransaction ?? '–',
    ]),
  );
}
