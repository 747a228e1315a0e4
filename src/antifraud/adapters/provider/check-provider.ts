import { Pool } from 'undici';
import type { Channel } from '../../../platform/channels/open-channel.ts';
import type { ProviderSettings } from '../../provider-settings.ts';
import { askProvider, ProviderSilent } from './ask-provider.ts';

const TIMEOUT_MILLISECONDS = 3_000;
const PROTOCOL = 1;

/** The provider is not one that this environment may ask. */
class ProviderUnfit extends Error {
  override readonly name = 'ProviderUnfit';
}

/**
 * Asks for the provider's identity. Returns a warning where it does not answer: unlike an acquirer,
 * a provider that is away does not keep the service from starting, for its silence has a verdict.
 * Throws `ProviderUnfit` for one that must not be asked at all.
 */
export async function checkProvider(
  settings: ProviderSettings,
  environment: 'homologation' | 'production',
  channel: Channel,
): Promise<string | null> {
  const about = await readAbout(settings.url, channel);
  if (typeof about === 'string') return `${about}: until it answers, sales are decided without it`;
  if (about.protocol !== PROTOCOL) {
    throw new ProviderUnfit(
      `PARCELA_ANTIFRAUD_URL: the provider at ${settings.url} speaks protocol ${about.protocol}, not ${PROTOCOL}`,
    );
  }
  if (environment === 'production' && about.simulator !== false) {
    throw new ProviderUnfit(
      `PARCELA_ANTIFRAUD_URL: ${settings.url} does not say that it is no simulator; production sells to real buyers only`,
    );
  }
  return null;
}

/** The provider's identity, or why it is not known. */
async function readAbout(
  url: string,
  channel: Channel,
): Promise<{ simulator?: unknown; protocol?: unknown } | string> {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: 1, connect: channel.connect });
  const path = `${pathname.replace(/\/$/, '')}/about`;
  try {
    const question = { method: 'GET', path, body: null, headers: channel.headers() } as const;
    const { status, body } = await askProvider(pool, question, AbortSignal.timeout(TIMEOUT_MILLISECONDS));
    if (status === 200 && typeof body === 'object' && body !== null) return body;
    return `the provider answered ${status} at /about`;
  } catch (error) {
    if (error instanceof ProviderSilent) return error.message;
    throw error;
  } finally {
    await pool.destroy();
  }
}
