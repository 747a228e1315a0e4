import { BlockList, isIP } from 'node:net';

/** What is at the other end of a connection. */
export type Peers = {
  /** Whether it is a proxy of the operator's, which brings the requests of many. */
  readonly isTrusted: (address: string) => boolean;
  /** The addresses that count as one. */
  readonly groupOf: (address: string) => string;
};

/**
 * Addresses or networks, as the settings name them, and as Fastify reads them: bits beyond a prefix count
 * for nothing.
 */
export function trustedPeers(networks: readonly string[]): Peers['isTrusted'] {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    trusted.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return (address) => trusted.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
