import type { TestTools } from '../../src/console/parts/homologation-pages.ts';
import { amountFault, centsOf } from '../../src/console/parts/page-parts.ts';
import {
  BILLING,
  BOLETO,
  billingPath,
  boletoPath,
  PAYMENT,
  paymentPath,
} from '../../src/console/parts/paths.ts';
import type { Action, Asked, Form, Visit } from '../../src/console/parts/screen.ts';
import { GET_PAYMENT } from '../../src/payments/status/contract.ts';
import { GET_BILLING } from '../../src/recurrence/billings/contract.ts';
import { GET_BOLETO } from '../../src/transactions/methods/boleto/contract.ts';

import { ANSWERS } from './acquirer-answer.ts';
import { ADVANCE, goalOf } from './happening.ts';
import { extendScript } from './script-screens.ts';
import { askHomologation, MAY_TRY } from './test-tools.ts';

const OF_EVENT = { ...MAY_TRY, title: 'Let it happen' } as const;
const DONE = 'It happened: what became of it stands below.';

function amountOf({ amount }: Form): { readonly amount?: number | string } {
  return amount === undefined ? {} : { amount: centsOf(amount) };
}

/** Sets the issuer's answer before the day. Otherwise another charge could take the answer. */
async function letDayCome(
  visit: Visit,
  { answer, to = '' }: Form,
  tools: TestTools,
): Promise<Asked<unknown>> {
  const { billingId = '' } = visit.parameters;
  const found = await visit.ask(GET_BILLING, { parameters: { billingId } });
  if (!found.ok) return found;
  const step = answer !== undefined && Object.hasOwn(ANSWERS, answer) ? ANSWERS[answer]?.step : undefined;
  if (step !== undefined) {
    const said = await extendScript(visit, tools, { steps: [step] });
    if (!said.ok) return said;
  }
  return askHomologation(visit, tools, ADVANCE, { body: { to: goalOf(to) } });
}

export const HAPPENING_ACTIONS: readonly Action<TestTools>[] = [
  {
    ...OF_EVENT,
    path: `${PAYMENT}/happen`,
    operation: 'forceTransactionEvent',
    faultOf: amountFault,
    async perform(visit, form, tools) {
      const { paymentId = '' } = visit.parameters;
      const found = await visit.ask(GET_PAYMENT, { parameters: { paymentId } });
      if (!found.ok) return found;
      return askHomologation(visit, tools, 'forceTransactionEvent', {
        parameters: { paymentId },
        body: { type: form.type, installmentNumber: Number(form.installmentNumber), ...amountOf(form) },
      });
    },
    done: DONE,
    next: ({ merchantId, parameters: { paymentId = '' } }) => paymentPath(merchantId, paymentId),
  },
  {
    ...OF_EVENT,
    path: `${BOLETO}/happen`,
    operation: 'forceBoletoEvent',
    faultOf: amountFault,
    async perform(visit, form, tools) {
      const { boletoId = '' } = visit.parameters;
      const found = await visit.ask(GET_BOLETO, { parameters: { boletoId } });
      if (!found.ok) return found;
      return askHomologation(visit, tools, 'forceBoletoEvent', {
        parameters: { boletoId },
        body: {
          type: form.type,
          ...amountOf(form),
          ...(form.paidOn === undefined ? {} : { paidOn: form.paidOn }),
        },
      });
    },
    done: DONE,
    next: ({ merchantId, parameters: { boletoId = '' } }) => boletoPath(merchantId, boletoId),
  },
  {
    ...OF_EVENT,
    path: `${BILLING}/happen`,
    operation: ADVANCE,
    perform: letDayCome,
    done: DONE,
    next: ({ merchantId, parameters: { billingId = '' } }) => billingPath(merchantId, billingId),
  },
];
