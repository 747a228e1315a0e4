import type { Caller } from '../platform/http/endpoint.ts';
import type { Audit } from './audit-event.ts';

/**
 * Called for each request whose caller lacks the scope, before it is answered. Throws when that cannot be
 * audited.
 */
export type OnForbidden = (caller: Caller, endpointId: string, address: string) => Promise<void>;

export type RefusedAccess = {
  readonly report: OnForbidden;
  readonly close: () => Promise<void>;
};

/** A program that loops with the wrong credential makes one entry in this time. */
const QUIET_MILLISECONDS = 60_000;
/** Credentials whose refusals are counted at once. Of any further one each refusal is audited. */
const MOST_COUNTED = 10_000;

type Counted = { readonly caller: Caller; endpointId: string; address: string; swallowed: number };

/**
 * Audits a credential's first refusal at once, and each minute how many more there were: nobody fills the
 * log.
 */
export function auditRefusedAccess(
  audit: Pick<Audit, 'record'>,
  onError: (error: unknown) => void,
  quietMilliseconds = QUIET_MILLISECONDS,
): RefusedAccess {
  const quiet = new Map<string, Counted & { readonly timer: NodeJS.Timeout }>();

  async function report(caller: Caller, endpointId: string, address: string): Promise<void> {
    const counted = quiet.get(caller.credentialId);
    if (counted !== undefined) {
      Object.assign(counted, { endpointId, address, swallowed: counted.swallowed + 1 });
      return;
    }
    beQuiet(caller, endpointId, address);
    try {
      await record({ caller, endpointId, address, swallowed: 1 });
    } catch (error) {
      // The first one was not audited, so the next one must be.
      endQuiet(caller.credentialId);
      throw error;
    }
  }

  function beQuiet(caller: Caller, endpointId: string, address: string): void {
    if (quiet.size >= MOST_COUNTED) return;
    const timer = setTimeout(() => void reportRest(caller.credentialId).catch(onError), quietMilliseconds);
    timer.unref();
    quiet.set(caller.credentialId, { caller, endpointId, address, swallowed: 0, timer });
  }

  function endQuiet(credentialId: string): Counted | undefined {
    const counted = quiet.get(credentialId);
    clearTimeout(counted?.timer);
    quiet.delete(credentialId);
    return counted;
  }

  async function reportRest(credentialId: string): Promise<void> {
    const counted = endQuiet(credentialId);
    if (counted === undefined || counted.swallowed === 0) return;
    beQuiet(counted.caller, counted.endpointId, counted.address);
    await record(counted);
  }

  function record({ caller, endpointId, address, swallowed }: Counted): Promise<void> {
    return audit.record({
      action: 'access.refuse',
      outcome: 'failure',
      actor: caller.userName,
      origin: address,
      resource: `endpoints/${endpointId}`,
      detail: { merchantId: caller.merchantId, scopes: caller.scopes.join(' '), requests: swallowed },
    });
  }

  return {
    report,
    async close() {
      for (const credentialId of [...quiet.keys()])
        await reportRest(credentialId).finally(() => endQuiet(credentialId));
    },
  };
}
