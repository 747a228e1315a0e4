import { serve } from '../../platform/http/endpoint.ts';
import type { Log } from '../../platform/log.ts';
import type { Module, ModuleContext, Published } from '../../platform/module.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../../platform/work/every-so-often.ts';
import type { Acquirer, CapabilitiesAnswer } from './acquirer.ts';
import { ISSUER_CODE_ENDPOINTS } from './endpoints.ts';
import TEXTS from './texts.json' with { type: 'json' };

/** A replaced bridge is noticed within this time. */
const PAUSE_MILLISECONDS = 15_000;
const TIMEOUT_MILLISECONDS = 3_000;

/** If an acquirer does not answer, its last reading stands. */
function refreshCapabilities(
  acquirers: ReadAcquirers,
  observe: (name: string, answer: CapabilitiesAnswer) => void,
): Work {
  const read = async () => {
    const names = acquirers.all();
    await Promise.all(
      names.map(async (name) =>
        observe(name, await acquirers.of(name).readCapabilities(TIMEOUT_MILLISECONDS)),
      ),
    );
  };
  return alsoWhileHeld(everySoOften('refreshCapabilities', PAUSE_MILLISECONDS, read));
}

export const ISSUER_CODES: Published = {
  endpoints: ISSUER_CODE_ENDPOINTS,
  refusals: [],
  texts: TEXTS,
};

type ReadAcquirers = {
  readonly all: () => readonly string[];
  of(name: string): Pick<Acquirer, 'readCapabilities'>;
};

type AcquirersContext = Pick<ModuleContext, 'log'> & { readonly acquirers: ReadAcquirers };

/** Publishes the table of issuer codes. The acquirers themselves are opened with the infrastructure. */
export function openIssuerCodes({ acquirers, log }: AcquirersContext): Module {
  return {
    endpoints: serve(ISSUER_CODE_ENDPOINTS, {}),
    works: [refreshCapabilities(acquirers, logCapabilities(log))],
    clockedWork: [],
  };
}

/** Without an answer the last reading stands. */
function logCapabilities(log: Log): (name: string, answer: CapabilitiesAnswer) => void {
  return (acquirer, answer) => {
    if (answer.kind === 'capabilities' && answer.changed)
      log.info({ acquirer, capabilities: answer.capabilities }, 'what the acquirer can do has changed');
  };
}
