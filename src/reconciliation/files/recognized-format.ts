import type { Sentence } from '../../platform/http/sentence.ts';
import type { SettlementFormat } from '../settlement-entry.ts';
import { otherFile, UNKNOWN_FORMAT } from './settlement-faults.ts';

const CIELO_STATEMENTS: Readonly<Record<string, string>> = {
  '03': 'Cielo 03',
  '09': 'Cielo 09',
  '15': 'Cielo 15',
  '16': 'Cielo 16',
};

/** The format whose header a first line is, or why there is none. */
export function recognizedFormat(
  line: string,
): { readonly format: SettlementFormat } | { readonly sentence: Sentence } {
  if (/^A0\d{4}/.test(line)) return { format: 'adiq' };
  if (line.startsWith('0') && line.slice(42, 47) === 'CIELO') return cielo(line.slice(47, 49));
  return rede(line);
}

function cielo(statement: string): ReturnType<typeof recognizedFormat> {
  if (statement === '04') return { format: 'cielo04' };
  const name = CIELO_STATEMENTS[statement];
  return { sentence: name === undefined ? UNKNOWN_FORMAT : otherFile(name) };
}

/** The last word of the version, in upper or lower case as it may be. */
function rede(line: string): ReturnType<typeof recognizedFormat> {
  if (line.startsWith('002') && /EEVC *$/i.test(line.slice(101, 121))) return { format: 'redeEevc' };
  if (line.startsWith('030') && /EEFI *$/i.test(line.slice(105, 125))) return { format: 'redeEefi' };
  if (/^00,.*EEVD/i.test(line) || (/^0\d\d/.test(line) && /EEVD *$/i.test(line.slice(0, 130)))) {
    return { sentence: otherFile('Rede EEVD') };
  }
  if (line.startsWith('060') && /REDE/i.test(line.slice(11, 19))) return { sentence: otherFile('Rede EESA') };
  return { sentence: UNKNOWN_FORMAT };
}
