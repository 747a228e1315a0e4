import { GENERAL_TAG } from '../../platform/http/endpoint.ts';
import type { RefusalShape } from '../../platform/http/refusal.ts';
import type { EventRefusal } from './event.ts';

export const EVENT_REFUSALS = {
  forbidden: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O estado atual da parcela, ou o que resta dela, não permite este evento: nada aconteceu.',
      en: 'The state of the installment, or what is left of it, does not allow this event: nothing happened.',
    },
  },
} as const satisfies Record<Exclude<EventRefusal, 'notFound'>, RefusalShape>;
