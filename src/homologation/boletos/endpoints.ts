import { callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { askForBoletoEvent } from './ask-for-boleto-event.ts';
import type { BankTools } from './boleto-event.ts';
import { FORCE_BOLETO_EVENT, readBoletoEvent, writeBoletoEvent } from './contract.ts';
import { BOLETO_EVENT_REFUSALS } from './refusals.ts';

/** Null: there is no simulator of a bank. */
export type BoletoEventTools = { readonly bank: BankTools | null };

export const BOLETO_EVENT_ENDPOINTS: readonly Endpoint<BoletoEventTools>[] = [
  endpoint(FORCE_BOLETO_EVENT, async ({ bank }: BoletoEventTools, call) => {
    const wanted = readBoletoEvent(call.parameters.boletoId, call.body);
    const result = await askForBoletoEvent(bank, callerOf(call).merchantId, wanted);
    if (result.kind === 'happened') return { status: 200, body: writeBoletoEvent(wanted, result.boleto) };
    const { refusal } = result;
    const shape = refusal === 'notFound' ? FAILURES.unknownPath : BOLETO_EVENT_REFUSALS[refusal];
    return refusalAnswer(shape, call.language);
  }),
];
