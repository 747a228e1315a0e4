import { callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES, tooManyAnswer } from '../../platform/http/failures.ts';
import { conflict, type RefusalShape, refusalAnswer } from '../../platform/http/refusal.ts';
import { pageFor } from '../../platform/pages.ts';
import {
  GET_DELIVERY,
  LIST_DELIVERIES,
  PERIOD_FAULTS,
  RESEND_DELIVERIES,
  RESEND_DELIVERY,
  readListQuery,
  readResend,
  SEND_TEST_NOTIFICATION,
  writeListed,
  writeResent,
  writeSentTest,
  writeWhole,
} from './contract.ts';
import { type HistoryTools, listDeliveries, readDelivery } from './list-deliveries.ts';
import type { ResendRefusal } from './recorded-delivery.ts';
import {
  type ResendManyTools,
  type ResendTools,
  resendDeliveries,
  resendDelivery,
  sendTestNotification,
  type TestTools,
} from './resend-deliveries.ts';

export const RESEND_REFUSALS = {
  stillWaiting: conflict({
    pt: 'A entrega ainda está em andamento: será tentada no momento de nextTryAt.',
    en: 'The delivery is still under way: it will be tried at the moment of nextTryAt.',
  }),
  testNotResent: conflict({
    pt: 'Um teste não é reenviado; peça outro.',
    en: 'A test notification is not sent again; ask for another one.',
  }),
  tooOldToResend: conflict({
    pt: 'A entrega terminou há mais de 30 dias e não é mais reenviada.',
    en: 'The delivery ended more than 30 days ago and is not sent again.',
  }),
  endpointRemoved: conflict({
    pt: 'Não há mais webhook registrado para esta conta; registre um e reenvie.',
    en: 'This account has no registered webhook any more; register one and send again.',
  }),
  triedTooOften: conflict({
    pt: 'A entrega já foi tentada vezes demais; leia o movimento em vez de reenviar.',
    en: 'The delivery was tried too often; read the movement instead of sending it again.',
  }),
} as const satisfies Record<Exclude<ResendRefusal, 'notFound'>, RefusalShape>;

export type DeliveryHistoryTools = HistoryTools & ResendManyTools & TestTools;

export const DELIVERY_HISTORY_ENDPOINTS: readonly Endpoint<DeliveryHistoryTools>[] = [
  endpoint(SEND_TEST_NOTIFICATION, async (tools: TestTools, call) => {
    const { accountNumber } = call.query;
    const sent = await sendTestNotification(tools, callerOf(call).merchantId, accountNumber, call.deadlineAt);
    if (sent === 'notFound') return refusalAnswer(FAILURES.unknownPath, call.language);
    if ('secondsToWait' in sent) return tooManyAnswer(sent.secondsToWait, call.language);
    return { status: 200, body: writeSentTest(sent) };
  }),
  endpoint(LIST_DELIVERIES, async (tools: HistoryTools, call) => {
    const wanted = pageFor(call, readListQuery(call.query));
    const found = await listDeliveries(tools, callerOf(call).merchantId, wanted);
    if (found === 'notFound') return refusalAnswer(FAILURES.unknownPath, call.language);
    if (typeof found === 'string') return refusalAnswer(PERIOD_FAULTS[found], call.language);
    const { page, limit } = wanted;
    const items = found.items.map(writeListed);
    return { status: 200, body: { items, page, limit, total: found.total } };
  }),
  endpoint(GET_DELIVERY, async (tools: HistoryTools, call) => {
    const found = await readDelivery(tools, callerOf(call).merchantId, call.parameters.deliveryId);
    if (found === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    return { status: 200, body: writeWhole(found) };
  }),
  endpoint(RESEND_DELIVERY, async (tools: ResendTools, call) => {
    const result = await resendDelivery(tools, callerOf(call).merchantId, call.parameters.deliveryId);
    if (typeof result !== 'string') return { status: 200, body: writeWhole(result) };
    const shape = result === 'notFound' ? FAILURES.unknownPath : RESEND_REFUSALS[result];
    return refusalAnswer(shape, call.language);
  }),
  endpoint(RESEND_DELIVERIES, async (tools: ResendManyTools, call) => {
    const wanted = readResend(call.query.accountNumber, call.body);
    const done = await resendDeliveries(tools, callerOf(call).merchantId, wanted, call.deadlineAt);
    if (done === 'notFound') return refusalAnswer(FAILURES.unknownPath, call.language);
    return { status: 200, body: writeResent(done) };
  }),
];
