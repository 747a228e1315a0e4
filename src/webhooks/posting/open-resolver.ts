import { Resolver as NameServers } from 'node:dns/promises';
import { FairLine } from '../../platform/work/fair-line.ts';
import { isNameOfLoopback, type Resolver } from './url-rules.ts';

/** A name whose servers are silent takes its place for seconds: merchants have their shares. */
const LINE = {
  name: 'look-ups of names',
  slots: 128,
  waiting: 4_096,
  // Half of the time of a look-up: the other half is left for the query.
  longestWaitMilliseconds: 1_500,
};
/**
 * One query to one name server, and how often each is asked; the caller has a deadline of its own.
 */
const QUESTION = { timeout: 1_000, tries: 3 };
/** The name servers report that there is nothing, which is an answer. */
const NOTHING = ['ENOTFOUND', 'ENODATA'];

/**
 * Queries the machine's name servers. Not through the operating system (`dns.lookup`): that
 * occupies one of four threads which passwords and files need too, for as long as a merchant's dead
 * name server likes; it cannot be stopped; and it takes names from the local network. `servers`:
 * others than the machine's, as `address:port`.
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

/** Both kinds of address. One kind is enough when the servers fail to answer about the other. */
async function askServers(host: string, servers: readonly string[], signal: AbortSignal): Promise<string[]> {
  // One for each name: it reads the machine's settings anew, and can be stopped without stopping
  // others.
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
