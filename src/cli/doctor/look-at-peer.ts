import { lookup } from 'node:dns/promises';
import { connect as connectPlainly, isIP } from 'node:net';
import { connect as connectTls, type PeerCertificate } from 'node:tls';
import { Agent, request } from 'undici';
import type { ChannelCredentials } from '../../platform/channels/channel-files.ts';
import type { Channel } from '../../platform/channels/open-channel.ts';

const LOOK_MILLISECONDS = 3_000;

export async function findAddresses(host: string): Promise<readonly string[] | { readonly code: string }> {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0) return [bare];
  try {
    return (await lookup(bare, { all: true })).map(({ address }) => address);
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? 'ENOTFOUND' };
  }
}

export type Greeting =
  | { readonly kind: 'connected'; readonly certificateEndsAt: Date | null }
  | { readonly kind: 'refused'; readonly code: string };

/** Connects, with TLS if the URL has it, and sends nothing. */
export function greet(
  url: URL,
  { ca, clientCertificate }: Omit<ChannelCredentials, 'token'>,
  address = url.hostname.replace(/^\[|\]$/g, ''),
): Promise<Greeting> {
  const isSafe = url.protocol === 'https:';
  const place = { host: address, port: Number(url.port || (isSafe ? 443 : 80)) };
  const name = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const safe = isSafe
      ? connectTls({
          ...place,
          rejectUnauthorized: true,
          ...(isIP(name) === 0 ? { servername: name } : {}),
          ...(ca === null ? {} : { ca }),
          ...(clientCertificate === null
            ? {}
            : { cert: clientCertificate.certificate, key: clientCertificate.key }),
        })
      : null;
    const socket = safe ?? connectPlainly(place);
    const end = (greeting: Greeting) => {
      socket.destroy();
      resolve(greeting);
    };
    socket.setTimeout(LOOK_MILLISECONDS, () => end({ kind: 'refused', code: 'ETIMEDOUT' }));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end({ kind: 'refused', code: error.code ?? error.message }),
    );
    socket.once(isSafe ? 'secureConnect' : 'connect', () => {
      end({ kind: 'connected', certificateEndsAt: endOf(safe?.getPeerCertificate() ?? null) });
    });
  });
}

function endOf(certificate: PeerCertificate | null): Date | null {
  return certificate?.valid_to === undefined ? null : new Date(certificate.valid_to);
}

export type About = {
  readonly status: number;
  readonly date: number | null;
  /** Null for JSON, otherwise the stated type. */
  readonly garbage: string | null;
};

const LARGEST_ABOUT_BYTES = 64 * 1024;

export async function askAbout(url: string, channel: Channel): Promise<About | { readonly code: string }> {
  const agent = new Agent({ connect: channel.connect });
  try {
    const signal = AbortSignal.timeout(LOOK_MILLISECONDS);
    const path = `${url.replace(/\/$/, '')}/about`;
    const { statusCode, headers, body } = await request(path, {
      headers: channel.headers(),
      dispatcher: agent,
      signal,
    });
    const date = typeof headers.date === 'string' ? Date.parse(headers.date) : Number.NaN;
    const isJson = await readsAsJson(body);
    const kind = headers['content-type'];
    const garbage = isJson ? null : typeof kind === 'string' ? kind : 'of no kind';
    return { status: statusCode, date: Number.isNaN(date) ? null : date, garbage };
  } catch (error) {
    // The code of a time-out is a number.
    const { code, name } = error as { readonly code?: unknown; readonly name: string };
    return { code: typeof code === 'string' ? code : name };
  } finally {
    await agent.destroy();
  }
}

async function readsAsJson(body: AsyncIterable<Uint8Array>): Promise<boolean> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LARGEST_ABOUT_BYTES) return false;
    chunks.push(chunk);
  }
  try {
    JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
