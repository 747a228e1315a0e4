import { isAddressWithin, parseAddress, parseBlocks } from '../../values/ip-address.ts';

/** Whether an address is the operator's proxy, which brings many callers. */
export type IsTrusted = (address: string) => boolean;

export type Peers = {
  readonly isTrusted: IsTrusted;
  readonly hasTrusted: boolean;
  /** Whether this peer is served. Health is served to all. */
  readonly isServed: (address: string) => boolean;
};

export function trustedPeers(networks: readonly string[]): IsTrusted {
  const trusted = parseBlocks(networks);
  if (trusted.length === 0) return () => false;
  return (address) => isAddressWithin(parseAddress(address), trusted);
}
