import { ADIQ } from './acquirers/adiq/adiq-file.ts';
import { CIELO_04 } from './acquirers/cielo/cielo-file.ts';
import { REDE_EEFI } from './acquirers/rede/rede-eefi-file.ts';
import { REDE_EEVC } from './acquirers/rede/rede-eevc-file.ts';
import type { Format } from './records/format.ts';

/** Every format of acquirers that is read: one folder, and one line here. */
export const FORMATS = [ADIQ, CIELO_04, REDE_EEVC, REDE_EEFI] as const;

export type SettlementFormat = (typeof FORMATS)[number]['format'];
export const SETTLEMENT_FORMATS: readonly SettlementFormat[] = FORMATS.map(({ format }) => format);

export function formatNamed(name: SettlementFormat): Format<SettlementFormat> {
  return FORMATS.find(({ format }) => format === name) as Format<SettlementFormat>;
}

/** Files that are known by their header and not read. */
export const OTHER_FILES: readonly {
  readonly title: string;
  readonly isHeader: (line: string) => boolean;
}[] = [
  ...['03', '09', '15', '16'].map((statement) => ({
    title: `Cielo ${statement}`,
    isHeader: (line: string) => line.startsWith('0') && line.slice(42, 49) === `CIELO${statement}`,
  })),
  {
    title: 'Rede EEVD',
    isHeader: (line) =>
      /^00,.*EEVD/i.test(line) || (/^0\d\d/.test(line) && /EEVD *$/i.test(line.slice(0, 130))),
  },
  { title: 'Rede EESA', isHeader: (line) => line.startsWith('060') && /REDE/i.test(line.slice(11, 19)) },
];
