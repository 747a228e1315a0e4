import { setTimeout as pause } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import type { Channel } from '../../../platform/channels/open-channel.ts';

const TRIES = 5;
const PAUSE_MILLISECONDS = 1_000;
const TIMEOUT_MILLISECONDS = 3_000;
const PROTOCOL = 1;

/** The bridge is not one that this environment may charge through. */
class AcquirerUnfit extends Error {
  override readonly name = 'AcquirerUnfit';
}

/**
 * Asks for the bridge's identity. Production refuses a simulator, and also a bridge that does not
 * answer: charging through the wrong one would be worse than starting late. Returns a warning to
 * show, or null.
 */
export async function checkAcquirer(
  url: string,
  environment: 'homologation' | 'production',
  channel: Channel,
): Promise<string | null> {
  const about = await readAbout(url, channel);
  if ('reason' in about) {
    if (environment === 'homologation')
      return `The acquirer at ${url} does not answer (${about.reason}); payments will be voided until it does.`;
    throw new AcquirerUnfit(
      `PARCELA_ACQUIRER_URL: the bridge at ${url} does not answer /about (${about.reason})`,
    );
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

type About = { readonly simulator?: unknown; readonly protocol?: unknown };

/** The bridge's identity, or why it is not known. */
async function readAbout(url: string, channel: Channel): Promise<About | { readonly reason: string }> {
  const agent = new Agent({ connect: channel.connect });
  try {
    let reason = '';
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const about = await askAbout(`${url.replace(/\/$/, '')}/about`, channel, agent);
      if (typeof about !== 'string') return about;
      // Not there yet, or not JSON: asked again.
      reason = about;
      if (tries < TRIES) await pause(PAUSE_MILLISECONDS);
    }
    return { reason };
  } finally {
    await agent.destroy();
  }
}

async function askAbout(url: string, channel: Channel, dispatcher: Agent): Promise<About | string> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
    const response = await fetch(url, { headers: channel.headers(), dispatcher, signal });
    return response.ok ? ((await response.json()) as About) : `it answered ${response.status}`;
  } catch (error) {
    const code = (error as { cause?: { code?: unknown } }).cause?.code;
    return typeof code === 'string' ? code : (error as Error).name;
  }
}
