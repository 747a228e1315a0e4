import { ADIQ } from './acquirers/adiq/adiq-file.ts';
import { CIELO_03 } from './acquirers/cielo/cielo-03-file.ts';
import { CIELO_09 } from './acquirers/cielo/cielo-09-file.ts';
import { CIELO_15 } from './acquirers/cielo/cielo-15-file.ts';
import { CIELO_16 } from './acquirers/cielo/cielo-16-file.ts';
import { CIELO_04 } from './acquirers/cielo/cielo-file.ts';
import { GETNET } from './acquirers/getnet/getnet-file.ts';
import { REDE_EEFI } from './acquirers/rede/rede-eefi-file.ts';
import { REDE_EEVC } from './acquirers/rede/rede-eevc-file.ts';
import { REDE_EEVD } from './acquirers/rede/rede-eevd-file.ts';
import { REDE_STATEMENT } from './acquirers/rede/rede-statement-file.ts';
import type { Format } from './records/format.ts';

/** Every format of acquirers that is read: one folder, and one line here. */
export const FORMATS = [
  ADIQ,
  CIELO_03,
  CIELO_04,
  CIELO_09,
  CIELO_15,
  CIELO_16,
  REDE_EEVC,
  REDE_EEVD,
  REDE_EEFI,
  REDE_STATEMENT,
  GETNET,
] as const;

export type SettlementFormat = (typeof FORMATS)[number]['format'];
export const SETTLEMENT_FORMATS: readonly SettlementFormat[] = FORMATS.map(({ format }) => format);

export function formatNamed(name: SettlementFormat): Format<SettlementFormat> {
  return FORMATS.find(({ format }) => format === name) as Format<SettlementFormat>;
}
