import { BRANDS } from '../kit/cards/decline-codes.ts';
import { MOST_INSTALLMENTS } from './requests.ts';

const CAPABILITIES = {
  largestInstallments: MOST_INSTALLMENTS,
  brands: BRANDS,
  captureLater: true,
  partialCancel: true,
  zeroVerification: true,
  threeDSecure: true,
  longestReference: 64,
  lookUpDays: null,
  customer: true,
  listCharges: true,
};

export const ABOUT = { name: 'parcela-simulator', simulator: true, protocol: 1, capabilities: CAPABILITIES };
