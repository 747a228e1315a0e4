import { isAddressWithin, parseAddress, parseBlocks } from '../../values/ip-address.ts';

/** Whether an address is a proxy of the operator's, which brings the requests of many. */
export type IsTrusted = (address: string) => boolean;

export type Peers = {
  readonly isTrusted: IsTrusted;
  /** Whether there is any trusted one. */
  readonly hasTrusted: boolean;
  /** Whether a peer of this address is served; health always is. */
  readonly isServed: (address: string) => boolean;
};

/** Of addresses or networks, as the settings name them. */
export function trustedPeers(networks: readonly string[]): IsTrusted {
  const trusted = parseBlocks(networks);
  return (address) => isAddressWithin(parseAddress(address), trusted);
}
