import { BRANDS } from './decline-codes.ts';
import { MOST_INSTALLMENTS } from './requests.ts';

export type Protocol = 1 | 2;

const CAPABILITIES = {
  largestInstallments: MOST_INSTALLMENTS,
  brands: BRANDS,
  captureLater: true,
  partialCancel: true,
  zeroVerification: true,
  longestReference: 64,
  lookUpDays: null,
  customer: true,
  listCharges: true,
};

/** The newest version that both speak, by the header of a request; without one it is 1. */
export function protocolOf(header: string | string[] | undefined): Protocol {
  return /^[2-9]$/.test(String(header)) ? 2 : 1;
}

export function aboutIn(protocol: Protocol): object {
  const about = { name: 'parcela-simulator', simulator: true, protocol };
  return protocol === 1 ? about : { ...about, capabilities: CAPABILITIES };
}
