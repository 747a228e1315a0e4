import { AILOS } from './ailos.ts';
import { BANCO_DO_BRASIL } from './banco-do-brasil.ts';
import type { Bank } from './bank.ts';
import { BRADESCO } from './bradesco.ts';
import { BTG } from './btg.ts';
import { CAIXA } from './caixa.ts';
import { CRESOL, UNICRED } from './cooperatives.ts';
import { INTER } from './inter.ts';
import { ITAU } from './itau.ts';
import {
  BANCO_DO_NORDESTE,
  BANRISUL,
  C6,
  DELBANK,
  FIBRA,
  HSBC,
  OURINVEST,
  PINE,
  RENDIMENTO,
} from './regional-banks.ts';
import { SANTANDER } from './santander.ts';
import { SICOOB } from './sicoob.ts';
import { SICREDI } from './sicredi.ts';

/** Every bank whose return files are read: one file, and one line here. */
export const BANKS: readonly Bank[] = [
  BANCO_DO_BRASIL,
  BANCO_DO_NORDESTE,
  SANTANDER,
  BANRISUL,
  INTER,
  AILOS,
  CAIXA,
  CRESOL,
  UNICRED,
  BTG,
  FIBRA,
  BRADESCO,
  C6,
  ITAU,
  HSBC,
  DELBANK,
  RENDIMENTO,
  PINE,
  OURINVEST,
  SICREDI,
  SICOOB,
];

/** Banks whose files are not read: a refusal names them. */
const OTHER_BANKS: Readonly<Record<string, string>> = {
  '003': 'Banco da Amazônia',
  '021': 'Banestes',
  '037': 'Banpará',
  '047': 'Banese',
  '070': 'BRB',
  '084': 'Uniprime',
  '097': 'Credisis',
  '099': 'Uniprime Central',
  '119': 'Western Union',
  '197': 'Stone',
  '212': 'Original',
  '218': 'BS2',
  '246': 'ABC Brasil',
  '260': 'Nubank',
  '265': 'Fator',
  '274': 'Grafeno',
  '290': 'PagBank',
  '318': 'BMG',
  '323': 'Mercado Pago',
  '364': 'Efí',
  '389': 'Mercantil do Brasil',
  '403': 'Cora',
  '422': 'Safra',
  '461': 'Asaas',
  '604': 'Industrial do Brasil',
  '611': 'Paulista',
  '637': 'Sofisa',
  '653': 'Voiter',
  '655': 'Votorantim',
  '707': 'Daycoval',
  '745': 'Citibank',
  '746': 'Modal',
};

export function bankNamed(code: string): Bank | undefined {
  return BANKS.find((bank) => bank.code === code);
}

/** `341 (Itaú)`. */
export function bankText(code: string): string {
  const name = bankNamed(code)?.name ?? OTHER_BANKS[code];
  if (name !== undefined) return `${code} (${name})`;
  return code.trim() === '' ? '---' : code;
}
