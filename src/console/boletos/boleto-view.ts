import type { Static } from 'typebox';
import type { BOLETO_ANSWER } from '../../boletos/boleto-contract.ts';
import type { Html } from '../parts/html.ts';
import { link, table } from '../parts/page-parts.ts';
import { boletoPath } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import { BOLETO_STATES, type StatusBill, stateBadge } from '../parts/states.ts';

export type Boleto = Static<typeof BOLETO_ANSWER>;

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
      stateOfBoleto(one, visit),
      one.referenceTransaction ?? '–',
    ]),
  );
}
