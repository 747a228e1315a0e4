import type { SettlementFormat } from '../../reconciliation/settlement-entry.ts';

export const MOST_FILES_SHOWN = 50;
export const MOST_REFUSED_SHOWN = 50;
export const MOST_UNDER_WAY_SHOWN = 100;
export const MOST_COVERAGES_SHOWN = 100;

/** As the acquirers write themselves. */
export const FORMAT_NAMES: Readonly<Record<SettlementFormat, string>> = {
  adiq: 'Adiq',
  cielo04: 'Cielo 04',
  redeEevc: 'Rede EEVC',
  redeEefi: 'Rede EEFI',
};
