import type { SettlementFormat } from '../../reconciliation/settlement-entry.ts';

/** As the acquirers write themselves. */
export const FORMAT_NAMES: Readonly<Record<SettlementFormat, string>> = {
  adiq: 'Adiq',
  cielo04: 'Cielo 04',
  redeEevc: 'Rede EEVC',
  redeEefi: 'Rede EEFI',
};
