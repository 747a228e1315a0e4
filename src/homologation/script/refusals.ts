import { GENERAL_TAG } from '../../platform/http/endpoint.ts';
import type { RefusalShape } from '../../platform/http/refusal.ts';
import type { ScriptRefusal } from './acquirer-script.ts';

export const SCRIPT_REFUSALS = {
  noSimulator: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'A adquirente daqui não é o simulador: ela não segue roteiros.',
      en: 'The acquirer here is not the simulator: it follows no script.',
    },
  },
  tooMany: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O simulador guarda roteiros demais de outros estabelecimentos: nada mudou.',
      en: 'The simulator keeps too many scripts of other merchants: nothing changed.',
    },
  },
} as const satisfies Record<ScriptRefusal, RefusalShape>;
