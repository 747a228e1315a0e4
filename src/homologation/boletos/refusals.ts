import { GENERAL_TAG } from '../../platform/http/endpoint.ts';
import type { RefusalShape } from '../../platform/http/refusal.ts';
import type { BoletoEventRefusal } from './boleto-event.ts';

export const BOLETO_EVENT_REFUSALS = {
  forbidden: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'Os livros do banco não permitem este evento: nada aconteceu.',
      en: "The bank's books do not allow this event: nothing happened.",
    },
  },
  notThatDay: {
    status: 400,
    tag: 'paidOn',
    sentence: {
      pt: 'O pagamento não pode ser anterior à emissão, nem depois de hoje.',
      en: 'The payment cannot lie before the issue, nor after today.',
    },
  },
  noSimulator: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'Aqui não há simulador de banco: nada aconteceu.',
      en: 'There is no simulator of a bank here: nothing happened.',
    },
  },
} as const satisfies Record<Exclude<BoletoEventRefusal, 'notFound'>, RefusalShape>;
