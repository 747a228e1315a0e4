import { serve } from '../platform/http/endpoint.ts';
import type { Log } from '../platform/log.ts';
import type { Module, ModuleContext, Published } from '../platform/module.ts';
import type { Work } from '../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../platform/work/every-so-often.ts';
import type { Acquirer, CapabilitiesAnswer } from './acquirer.ts';
import { ISSUER_CODE_ENDPOINTS } from './endpoints.ts';
import TEXTS from './texts.json' with { type: 'json' };

/** A bridge that was replaced is noticed so soon. */
const PAUSE_MILLISECONDS = 15_000;
const TIMEOUT_MILLISECONDS = 3_000;

/**
 * Reads again and again what the acquirer can do; an acquirer that does not answer keeps its last
 * reading.
 */
function refreshCapabilities(
  acquirer: Pick<Acquirer, 'readCapabilities'>,
  observe: (answer: CapabilitiesAnswer) => void,
): Work {
  const read = async () => observe(await acquirer.readCapabilities(TIMEOUT_MILLISECONDS));
  return alsoWhileHeld(everySoOften('refreshCapabilities', PAUSE_MILLISECONDS, read));
}

export const ISSUER_CODES: Published = {
  endpoints: ISSUER_CODE_ENDPOINTS,
  refusals: [],
  texts: TEXTS,
};

type AcquirersContext = Pick<ModuleContext, 'log'> & { readonly acquirer: Acquirer };

/** The table of issuer codes is the program's; the acquirer itself is opened with the infrastructure. */
export function openAcquirers({ acquirer, log }: AcquirersContext): Module {
  return {
    endpoints: serve(ISSUER_CODE_ENDPOINTS, {}),
    works: [refreshCapabilities(acquirer, logCapabilities(log))],
    clockedWork: [],
  };
}

/** Each reason once: a bridge that is away is asked for as long as it is. */
function logCapabilities(log: Log): (answer: CapabilitiesAnswer) => void {
  let last: string | null = null;
  return (answer) => {
    const reason = answer.kind === 'unknown' ? answer.reason : null;
    if (reason !== null && reason !== last)
      log.warn({ reason }, 'what the acquirer can do could not be read; the last reading stands');
    if (answer.kind === 'capabilities' && answer.changed)
      log.info({ capabilities: answer.capabilities }, 'what the acquirer can do has changed');
    last = reason;
  };
}
