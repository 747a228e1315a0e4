import type { Static } from 'typebox';
import type { BOLETO_ANSWER } from '../../boletos/boleto-contract.ts';
import type { Html } from '../parts/html.ts';
import { badge, link, type Tone, table } from '../parts/page-parts.ts';
import { boletoPath } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';

export type Boleto = Static<typeof BOLETO_ANSWER>;

/** By `statusBill`. */
export const BOLETO_STATES: readonly { readonly tone: Tone; readonly text: string }[] = [
  { tone: 'wait', text: 'Being issued' },
  { tone: 'good', text: 'Issued' },
  { tone: 'good', text: 'Paid up' },
  { tone: 'bad', text: 'Overdue' },
  { tone: 'plain', text: 'Withdrawn' },
  { tone: 'plain', text: 'Expired' },
];
export function stateOfBoleto({ statusBill, statusDescription }: Boleto, { wording }: Visit): Html {
  const { tone, text } = BOLETO_STATES[statusBill] ?? { tone: 'plain' as const, text: statusDescription };
  return badge(tone, wording.say(text));
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
      stateOfBoleto(one, visit),
      one.referenceTransaction ?? '–',
    ]),
  );
}
