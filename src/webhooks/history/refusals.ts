import { GENERAL_TAG } from '../../platform/http/endpoint.ts';
import type { RefusalShape } from '../../platform/http/refusal.ts';
import type { ResendRefusal } from './recorded-delivery.ts';

export const RESEND_REFUSALS = {
  stillWaiting: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'A entrega ainda está em andamento: será tentada no momento de nextTryAt.',
      en: 'The delivery is still under way: it will be tried at the moment of nextTryAt.',
    },
  },
  testNotResent: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'Um teste não é reenviado; peça outro.',
      en: 'A test notification is not sent again; ask for another one.',
    },
  },
  tooOldToResend: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'A entrega terminou há mais de 30 dias e não é mais reenviada.',
      en: 'The delivery ended more than 30 days ago and is not sent again.',
    },
  },
  endpointRemoved: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'Não há mais webhook registrado para esta conta; registre um e reenvie.',
      en: 'This account has no registered webhook any more; register one and send again.',
    },
  },
  triedTooOften: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'A entrega já foi tentada vezes demais; leia o movimento em vez de reenviar.',
      en: 'The delivery was tried too often; read the movement instead of sending it again.',
    },
  },
} as const satisfies Record<Exclude<ResendRefusal, 'notFound'>, RefusalShape>;
