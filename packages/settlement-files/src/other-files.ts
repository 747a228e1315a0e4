import type { Sentence } from './sentence.ts';

/** A file that is recognized by its start, and not read. */
type OtherFile = {
  readonly title: string;
  readonly isHeader: (start: string) => boolean;
  /** What the file is for, and which file reports its money. */
  readonly about?: Sentence;
};

export const OTHER_FILES: readonly OtherFile[] = [
  {
    title: 'Cielo, de outro extrato que não o 03, o 04, o 09, o 15 e o 16',
    isHeader: (line) => isCielo(line, ''),
  },
  {
    title: 'Rede EEVD, em outro leiaute que o separado por vírgulas',
    isHeader: (line) =>
      /^0{2,3},.*EEVD/i.test(line) || (/^0\d/.test(line) && /EEVD *$/i.test(line.slice(0, 130))),
  },
  {
    title: 'Rede EESA (saldo em aberto)',
    isHeader: (line) => line.startsWith('060') && /REDE/i.test(line.slice(11, 19)),
    about: {
      pt: 'É a fotografia mensal do que ainda será pago. O que é pago vem no EEFI, e as vendas no EEVC: importe esses.',
      en: 'It is the monthly picture of what is still to be paid. What is paid comes in the EEFI, and sales in the EEVC: import those.',
    },
  },
  {
    title: 'Getnet, de outra versão ou de um voucher no mesmo leiaute',
    isHeader: (line) => /^0\d{22}CEADM/.test(line) || /^0\d{22}.*GETNET/i.test(line),
  },
  {
    title: 'uma página da internet (HTML)',
    isHeader: (start) => /^\s*<(?:!doctype\s+html|html)\b/i.test(start),
    about: {
      pt: 'O site respondeu com uma página, talvez porque a sessão terminou: entre nele e baixe o arquivo de novo.',
      en: 'The site answered with a page, perhaps because the session was over: log in and download the file again.',
    },
  },
  {
    title: 'um OFX (extrato da conta)',
    isHeader: (start) => /^\s*(?:OFXHEADER:|<OFX>)/i.test(start),
    about: {
      pt: 'Ele não diz de que boleto é um crédito: peça ao banco o arquivo de retorno da cobrança.',
      en: 'It does not say of which boleto a credit is: ask the bank for the return file of collection.',
    },
  },
  { title: 'Stone', isHeader: (start) => /^\s*(?:<\?xml[^>]*>\s*)?<Conciliation\b/.test(start) },
  { title: 'um XML, como os da Stone', isHeader: (start) => /^\s*<\?xml\b/.test(start) },
  {
    title: 'PagBank',
    isHeader: (start) =>
      /PAGSEGURO|PAGBANK/i.test(start.slice(0, 200)) ||
      (/^\s*[{[]/.test(start) && /"(?:detalhes|movimento_api_codigo|tipo_registro)"/.test(start)),
  },
  {
    title: 'Mercado Pago',
    isHeader: (start) => /^"?(?:EXTERNAL_REFERENCE|SOURCE_ID|DATE)"?[;,]/i.test(start),
  },
  { title: 'um JSON', isHeader: (start) => /^\s*[{[]/.test(start) },
];

function isCielo(line: string, statement: string): boolean {
  return line.startsWith('0') && line.slice(42).startsWith(`CIELO${statement}`);
}
