import type { Bank } from './bank.ts';
import type { ReturnFileHead } from './return-entry.ts';
import { AILOS } from './tables/ailos.ts';
import { BANCO_DO_BRASIL } from './tables/banco-do-brasil.ts';
import { BRADESCO } from './tables/bradesco.ts';
import { BTG } from './tables/btg.ts';
import { CAIXA } from './tables/caixa.ts';
import { CRESOL, UNICRED, UNIPRIME } from './tables/cooperatives.ts';
import { FEBRABAN_REFUSALS } from './tables/febraban.ts';
import { INTER } from './tables/inter.ts';
import { ITAU } from './tables/itau.ts';
import {
  BANCO_DO_NORDESTE,
  BANRISUL,
  BRB,
  C6,
  DAYCOVAL,
  DELBANK,
  FIBRA,
  HSBC,
  OURINVEST,
  PINE,
  RENDIMENTO,
} from './tables/regional-banks.ts';
import { SAFRA } from './tables/safra.ts';
import { SANTANDER } from './tables/santander.ts';
import { SICOOB } from './tables/sicoob.ts';
import { SICREDI } from './tables/sicredi.ts';

/** To add a bank: one file, and one line here. */
export const BANKS: readonly Bank[] = [
  BANCO_DO_BRASIL,
  BANCO_DO_NORDESTE,
  SANTANDER,
  BANRISUL,
  BRB,
  INTER,
  UNIPRIME,
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
  SAFRA,
  DELBANK,
  RENDIMENTO,
  PINE,
  DAYCOVAL,
  OURINVEST,
  SICREDI,
  SICOOB,
];

/** Banks whose files are not read; a refusal names them. */
const OTHER_BANKS: Readonly<Record<string, string>> = {
  '003': 'Banco da Amazônia',
  '021': 'Banestes',
  '037': 'Banpará',
  '047': 'Banese',
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
  '461': 'Asaas',
  '530': 'Ser Finance',
  '604': 'Industrial do Brasil',
  '611': 'Paulista',
  '637': 'Sofisa',
  '653': 'Voiter',
  '655': 'Votorantim',
  '745': 'Citibank',
  '746': 'Modal',
};

export function bankNamed(code: string): Bank | undefined {
  return BANKS.find((bank) => bank.code === code);
}

/** For example `341 (Itaú)`. */
export function bankText(code: string): string {
  const name = bankNamed(code)?.name ?? OTHER_BANKS[code];
  if (name !== undefined) return `${code} (${name})`;
  return code.trim() === '' ? '---' : code;
}

/** In Portuguese. An unknown code is shown as it is; empty if no reason is given. */
export function refusalText(
  { bank, format }: Pick<ReturnFileHead, 'bank' | 'format'>,
  reasons: string | null,
): string {
  const own = bankNamed(bank)?.refusals?.[format];
  if (own === 'asWritten') return (reasons ?? '').replace(/\s+/g, ' ').trim();
  const known = own ?? (format === 'cnab240' ? FEBRABAN_REFUSALS : {});
  const given = (reasons ?? '').match(/../g)?.filter((one) => one !== '00' && one.trim() !== '') ?? [];
  return given.map((one) => (known[one] === undefined ? `motivo ${one}` : `${one} ${known[one]}`)).join('; ');
}
