import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Overloaded } from '../../platform/work/fair-line.ts';
import type { PostFailure } from './posting-result.ts';
import { type CallRules, isAddressAllowed, isSameAddress, type Lookup, literalAddress } from './url-rules.ts';

import { vetHost } from './vet-url.ts';

/** At most this many addresses of a name are tried. */
const MOST_ADDRESSES = 4;

export type DialFailure = Extract<
  PostFailure,
  | 'notSent'
  | 'forbiddenUrl'
  | 'dns'
  | 'forbiddenAddress'
  | 'connect'
  | 'connectTimeout'
  | 'tls'
  | 'certificate'
>;

/**
 * Looks the name up, vets every address and dials a vetted one, without another look-up. Uses no proxy,
 * whatever the environment says. With TLS the certificate must fit the URL's host. Stops when the signal
 * aborts.
 */
export async function openSocket(
  rules: CallRules,
  lookup: Lookup,
  url: URL,
  signal: AbortSignal,
): Promise<Socket | DialFailure> {
  const vetted = await vetHost(rules, lookup, url, signal).catch(noTurn);
  if (vetted === 'notSent') return vetted;
  if ('fault' in vetted) return FAILURE_OF_FAULT[vetted.fault];
  // IPv4 first: networks without IPv6 often drop it silently, and waiting would use up the time.
  const inOrder = vetted.addresses.toSorted((one, other) => isIP(one) - isIP(other));
  const addresses = inOrder.slice(0, MOST_ADDRESSES);
  let failure: DialFailure = 'connect';
  for (const address of addresses) {
    const socket = await dial(rules, address, url, signal);
    if (typeof socket !== 'string') return url.protocol === 'https:' ? secure(socket, url, signal) : socket;
    failure = socket;
    if (socket === 'forbiddenAddress' || signal.aborted) break;
  }
  return failure;
}

/** `Overloaded`: too many look-ups of the merchant. That is our limit, and says nothing about the server. */
function noTurn(error: unknown): 'notSent' {
  if (error instanceof Overloaded) return 'notSent';
  throw error;
}

const FAILURE_OF_FAULT = {
  unresolved: 'dns',
  lookupFailed: 'dns',
  address: 'forbiddenAddress',
  port: 'forbiddenUrl',
} as const;

const DEFAULT_PORTS = { 'http:': 80, 'https:': 443 } as const;

function dial(
  rules: CallRules,
  address: string,
  url: URL,
  signal: AbortSignal,
): Promise<Socket | 'connect' | 'connectTimeout' | 'forbiddenAddress'> {
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol as keyof typeof DEFAULT_PORTS] : Number(url.port);
  const socket = connectTcp({ host: address, port, noDelay: true, autoSelectFamily: false });
  return untilConnected(socket, 'connect', signal, (outcome) => {
    if (outcome !== 'done') return outcome === 'late' ? 'connectTimeout' : 'connect';
    const remote = socket.remoteAddress;
    // The peer that will read the message is checked, whatever was vetted before.
    const isTheOne =
      remote !== undefined && isSameAddress(remote, address) && isAddressAllowed(rules, remote);
    return isTheOne ? socket : 'forbiddenAddress';
  });
}

function secure(socket: Socket, url: URL, signal: AbortSignal): Promise<Socket | DialFailure> {
  const address = literalAddress(url);
  const host = address ?? url.hostname;
  const secured = connectTls({
    socket,
    host,
    // Only for a name: of an address, the certificate is checked by `host`.
    ...(address === null ? { servername: host } : {}),
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    // Explicit, so that no environment variable can disable it.
    rejectUnauthorized: true,
  });
  // When the TLS socket closes, the TCP socket below it does too.
  secured.once('close', () => socket.destroy());
  return untilConnected(secured, 'secureConnect', signal, (outcome) => {
    if (outcome === 'done') return secured.authorized ? secured : 'certificate';
    if (outcome === 'late') return 'connectTimeout';
    return secured.authorizationError ? 'certificate' : 'tls';
  });
}

/** Waits for the event, an error or the signal. Destroys the socket if it does not become a connection. */
function untilConnected<Failure extends DialFailure>(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
  judge: (outcome: 'done' | 'failed' | 'late') => Socket | Failure,
): Promise<Socket | Failure> {
  return new Promise((resolve) => {
    let isOver = false;
    const end = (outcome: 'done' | 'failed' | 'late') => {
      if (isOver) return;
      isOver = true;
      signal.removeEventListener('abort', onLate);
      const judged = judge(outcome);
      if (typeof judged === 'string') socket.destroy();
      resolve(judged);
    };
    const onLate = () => end('late');
    socket.once(event, () => end('done'));
    // Never removed: an error without a listener would end the process.
    socket.on('error', () => end('failed'));
    socket.once('close', () => end('failed'));
    signal.addEventListener('abort', onLate, { once: true });
    if (signal.aborted) onLate();
  });
}
