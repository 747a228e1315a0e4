import { GENERAL_TAG } from '../../platform/http/endpoint.ts';
import type { RefusalShape } from '../../platform/http/refusal.ts';
import type { EventRefusal } from './event.ts';

export const EVENT_REFUSALS = {
  forbidden: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O estado atual da parcela não permite este evento: nada aconteceu.',
      en: 'The installment is in a state that does not allow this event: nothing happened.',
    },
  },
} as const satisfies Record<Exclude<EventRefusal, 'notFound'>, RefusalShape>;
