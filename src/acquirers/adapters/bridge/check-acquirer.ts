import { setTimeout as pause } from 'node:timers/promises';

const TRIES = 5;
const PAUSE_MILLISECONDS = 1_000;
const TIMEOUT_MILLISECONDS = 3_000;
const PROTOCOL = 1;

/** The bridge is not one that this environment may charge through. */
class AcquirerUnfit extends Error {
  override readonly name = 'AcquirerUnfit';
}

/**
 * Asks the bridge who it is. Production refuses a simulator, and also a bridge that it cannot ask: charging through the
 * wrong one would be worse than starting late. Gives a warning to show, or null.
 */
export async function checkAcquirer(
  url: string,
  environment: 'homologation' | 'production',
): Promise<string | null> {
  const about = await readAbout(url);
  if (about === null) {
    if (environment === 'homologation')
      return `The acquirer at ${url} does not answer; payments will be voided until it does.`;
    throw new AcquirerUnfit(`PARCELA_ACQUIRER_URL: the bridge at ${url} does not answer /about`);
  }
  if (about.protocol !== PROTOCOL) {
    throw new AcquirerUnfit(
      `PARCELA_ACQUIRER_URL: the bridge at ${url} speaks protocol ${about.protocol}, not ${PROTOCOL}`,
    );
  }
  if (environment === 'production' && about.simulator !== false) {
    throw new AcquirerUnfit(
      `PARCELA_ACQUIRER_URL: ${url} does not say that it is no simulator; production charges real cards only`,
    );
  }
  return null;
}

async function readAbout(url: string): Promise<{ simulator?: unknown; protocol?: unknown } | null> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    try {
      const response = await fetch(`${url.replace(/\/$/, '')}/about`, {
        signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
      });
      if (response.ok) return (await response.json()) as { simulator?: unknown; protocol?: unknown };
    } catch {
      // Not there yet, or not JSON: asked again, then told as "does not answer".
    }
    if (tries < TRIES) await pause(PAUSE_MILLISECONDS);
  }
  return null;
}
