import { setTimeout as pause } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import type { Channel } from '../../../../platform/channels/open-channel.ts';
import type { ProviderTerms } from '../../../provider.ts';
import { AcquirerUnfit } from '../../acquirer-unfit.ts';
import { type About, PROTOCOL_HEADER, readAbout } from './about.ts';

const TRIES = 5;
const PAUSE_MILLISECONDS = 1_000;
const TIMEOUT_MILLISECONDS = 3_000;

const SETTINGS: ProviderTerms = { url: 'PARCELA_ACQUIRER_URL', authority: 'PARCELA_ACQUIRER_CA_FILE' };

const UNBELIEVED = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;

/**
 * Production refuses a simulator, and also a bridge that does not answer: charging through the wrong one
 * would be worse than starting late. `about` is null if it does not answer.
 */
export async function checkAcquirer(
  url: string,
  environment: 'homologation' | 'production',
  channel: Channel,
  terms = SETTINGS,
): Promise<CheckedAcquirer> {
  const found = await findAbout(url, channel, terms);
  if ('reason' in found) {
    if (environment === 'homologation') {
      const warning = `The acquirer at ${url} does not answer (${found.reason}); payments will be voided until it does.`;
      return { about: null, warning };
    }
    throw new AcquirerUnfit(`${terms.url}: the bridge at ${url} does not answer /about (${found.reason})`);
  }
  const about = readAbout(found.body);
  if (typeof about === 'string') throw new AcquirerUnfit(`${terms.url}: the bridge at ${url} ${about}`);
  if (environment === 'production' && !about.isReal) {
    throw new AcquirerUnfit(
      `${terms.url}: ${url} does not say that it is no simulator; production charges real cards only`,
    );
  }
  return { about, warning: null };
}

export type CheckedAcquirer = { readonly about: About | null; readonly warning: string | null };

type Found = { readonly body: unknown };

async function findAbout(
  url: string,
  channel: Channel,
  terms: ProviderTerms,
): Promise<Found | { readonly reason: string }> {
  const agent = new Agent({ connect: channel.connect });
  try {
    let reason = '';
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const about = await askAbout(`${url.replace(/\/$/, '')}/about`, channel, agent, terms);
      if (typeof about !== 'string') return about;
      // The bridge may still be starting, so it is asked again.
      reason = about;
      if (tries < TRIES) await pause(PAUSE_MILLISECONDS);
    }
    return { reason };
  } finally {
    await agent.destroy();
  }
}

async function askAbout(
  url: string,
  channel: Channel,
  dispatcher: Agent,
  { authority }: ProviderTerms,
): Promise<Found | string> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
    const headers = { ...channel.headers(), ...PROTOCOL_HEADER };
    const response = await fetch(url, { headers, dispatcher, signal });
    return response.ok ? { body: await response.json() } : `it answered ${response.status}`;
  } catch (error) {
    if (error instanceof SyntaxError) return 'its answer was no JSON';
    const code = (error as { cause?: { code?: unknown } }).cause?.code;
    if (typeof code === 'string' && UNBELIEVED.test(code))
      return `its certificate is not believed: ${code}; ${authority} names its authority`;
    return typeof code === 'string' ? code : (error as Error).name;
  }
}
