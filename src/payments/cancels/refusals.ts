import { GENERAL_TAG } from '../../platform/http/endpoint.ts';
import type { RefusalShape } from '../../platform/http/refusal.ts';
import type { CancelRefusal } from '../../transactions/cancels/cancel.ts';

export const CANCEL_REFUSALS = {
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
      pt: 'O pagamento foi negado ou desfeito: não há o que cancelar.',
      en: 'The payment was declined or voided: there is nothing to cancel.',
    },
  },
  windowOver: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O prazo para cancelar este pagamento já passou.',
      en: 'The time in which this payment could be canceled is over.',
    },
  },
  alreadyCanceled: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O pagamento já foi cancelado por inteiro.',
      en: 'The payment is canceled already, all of it.',
    },
  },
  beingCanceled: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O valor que resta está reservado por um cancelamento em andamento; consulte o pagamento.',
      en: 'What is left is held by a cancel that is under way; read the payment.',
    },
  },
  beingCaptured: {
    status: 409,
    retryAfterSeconds: 2,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O pagamento está sendo capturado; consulte-o e tente de novo.',
      en: 'The payment is being captured; read it and try again.',
    },
  },
  wholeOnly: {
    status: 409,
    tag: 'amount',
    sentence: {
      pt: 'Uma pré-autorização só se cancela por inteiro; para cobrar menos, capture menos.',
      en: 'What is only authorized is canceled whole; to charge less, capture less.',
    },
  },
  exceedsRest: {
    status: 409,
    tag: 'amount',
    sentence: {
      pt: 'O valor é maior do que resta do pagamento.',
      en: 'The amount is more than is left of the payment.',
    },
  },
  partNotOffered: {
    status: 409,
    tag: 'amount',
    sentence: {
      pt: 'A adquirente não devolve parte de um pagamento: cancele-o por inteiro.',
      en: 'The acquirer gives back no part of a payment: cancel all of it.',
    },
  },
  refusedByAcquirer: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'A adquirente recusou o cancelamento: nada foi devolvido.',
      en: 'The acquirer refused the cancel: nothing was given back.',
    },
  },
  /** The cancel is sent again by itself, and must not be requested again. */
  unresolved: {
    status: 500,
    tag: '',
    sentence: {
      pt: 'O cancelamento está em andamento: a adquirente ainda não respondeu e será consultada até responder. Consulte o pagamento antes de pedir outro.',
      en: 'The cancel is under way: the acquirer has not answered yet and is asked until it does. Read the payment before you ask for another.',
    },
  },
} as const satisfies Record<Exclude<CancelRefusal, 'notFound'> | 'unresolved', RefusalShape>;
