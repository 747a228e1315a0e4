import { GENERAL_TAG } from '../../platform/http/endpoint.ts';
import type { RefusalShape } from '../../platform/http/refusal.ts';
import type { CaptureRefusal } from '../../transactions/capture.ts';

export const CAPTURE_REFUSALS = {
  notResolved: {
    status: 409,
    retryAfterSeconds: 2,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O pagamento ainda está em processamento; consulte-o e tente de novo.',
      en: 'The payment is still being processed; read it and try again.',
    },
  },
  notCharged: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O pagamento foi negado ou desfeito: não há o que capturar.',
      en: 'The payment was declined or voided: there is nothing to capture.',
    },
  },
  notPreauthorized: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O pagamento foi capturado na própria autorização (captureType ac).',
      en: 'The payment was captured with its authorization (captureType ac).',
    },
  },
  alreadyCaptured: {
    status: 409,
    tag: 'amount',
    sentence: {
      pt: 'O pagamento já foi capturado, com outro valor: só se captura uma vez.',
      en: 'The payment was captured already, of another amount: it is captured once.',
    },
  },
  beingCaptured: {
    status: 409,
    retryAfterSeconds: 2,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'Outra captura deste pagamento está em andamento; consulte-o.',
      en: 'Another capture of this payment is under way; read the payment.',
    },
  },
  timeOver: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O prazo para capturar este pagamento já passou: ele será desfeito.',
      en: 'The time in which this payment could be captured is over: it will be voided.',
    },
  },
  exceedsAuthorized: {
    status: 409,
    tag: 'amount',
    sentence: {
      pt: 'O valor é maior do que o autorizado.',
      en: 'The amount is more than was authorized.',
    },
  },
  installmentTooSmall: {
    status: 409,
    tag: 'amount',
    sentence: {
      pt: 'O valor é pequeno demais para as parcelas deste pagamento.',
      en: 'The amount is too small for the installments of this payment.',
    },
  },
  refusedByAcquirer: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'A adquirente recusou a captura: nada foi cobrado.',
      en: 'The acquirer refused the capture: nothing was charged.',
    },
  },
  /** The capture is finished by itself, and must not be requested with another amount. */
  unresolved: {
    status: 500,
    tag: '',
    sentence: {
      pt: 'A captura está em andamento: a adquirente ainda não respondeu e será consultada até responder. Consulte o pagamento.',
      en: 'The capture is under way: the acquirer has not answered yet and is asked until it does. Read the payment.',
    },
  },
} as const satisfies Record<Exclude<CaptureRefusal, 'notFound'> | 'unresolved', RefusalShape>;
