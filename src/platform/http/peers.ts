import { isAddressWithin, parseAddress, parseBlocks } from '../../values/ip-address.ts';

export type IsTrusted = (address: string) => boolean;

export type Peers = {
  readonly isTrusted: IsTrusted;
  readonly hasTrusted: boolean;
  /** Whether this peer is served more than health. */
  readonly isServed: (address: string) => boolean;
};

export function trustedPeers(networks: readonly string[]): IsTrusted {
  const trusted = parseBlocks(networks);
  if (trusted.length === 0) return () => false;
  return (address) => isAddressWithin(parseAddress(address), trusted);
}
