import { Resolver as NameServers } from 'node:dns/promises';
import { FairLine } from '../../platform/work/fair-line.ts';
import { isNameOfLoopback, type Resolver } from './url-rules.ts';

/** A silent name server holds a slot for seconds, so merchants take slots in turns. */
const LINE = {
  name: 'look-ups of names',
  slots: 128,
  waiting: 4_096,
  // Half of the time of a look-up; the query has the other half.
  longestWaitMilliseconds: 1_500,
};
/** Time-out of one query to one server, and tries of each. The caller has its own deadline. */
const QUESTION = { timeout: 1_000, tries: 3 };
const NOTHING = ['ENOTFOUND', 'ENODATA'];

/**
 * Queries the machine's name servers directly. The system's `dns.lookup` would block one of four threads,
 * which passwords and files need, while a server is dead; it cannot be stopped; and it accepts names of the
 * local network. `servers`, as `address:port`, are asked instead if there are any.
 */
export function openResolver(servers: readonly string[] = []): Resolver {
  const line = new FairLine(LINE);
  return {
    async lookup(host, signal, merchantId) {
      if (isNameOfLoopback(host)) return ['127.0.0.1', '::1'];
      return line.run({ merchantId }, () => askServers(host, servers, signal), { signal });
    },
  };
}

/** Asks for both address families. One is enough if the other fails. */
async function askServers(host: string, servers: readonly string[], signal: AbortSignal): Promise<string[]> {
  // A resolver for each name: a new one reads the machine's settings, and can be stopped alone.
  const asking = new NameServers(QUESTION);
  if (servers.length > 0) asking.setServers(servers);
  const stop = () => asking.cancel();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const answers = await Promise.allSettled([asking.resolve4(host), asking.resolve6(host)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failed = answers.find((answer) => answer.status === 'rejected' && !isNothing(answer.reason));
    if (found.length === 0 && failed?.status === 'rejected') throw failed.reason;
    return found;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function isNothing(error: unknown): boolean {
  return NOTHING.includes((error as { code?: string }).code ?? '');
}
