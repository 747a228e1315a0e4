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
    title: 'Cielo 09 (saldo em aberto)',
    isHeader: (line) => isCielo(line, '09'),
    about: {
      pt: 'É a fotografia do que ainda será pago. O que é pago vem no Cielo 04, e as vendas no Cielo 03: importe esses.',
      en: 'It is a picture of what is still to be paid. What is paid comes in the Cielo 04, and sales in the Cielo 03: import those.',
    },
  },
  {
    title: 'Cielo 15 (negociação de recebíveis)',
    isHeader: (line) => isCielo(line, '15'),
    about: {
      pt: 'Detalha antecipações e cessões. O efeito delas em cada venda vem no Cielo 04 (lançamentos 11 e 49 a 54): importe esse.',
      en: 'It details anticipations and cessions. What they do to each sale comes in the Cielo 04 (entries 11 and 49 to 54): import that.',
    },
  },
  {
    title: 'Cielo 16 (Pix)',
    isHeader: (line) => isCielo(line, '16'),
    about: {
      pt: 'Traz Pix recebidos pela Cielo, que não são pagamentos daqui. Os Pix daqui são conferidos com o banco.',
      en: 'It has Pix that Cielo received, which are no payments of this service. Its own Pix are compared with the bank.',
    },
  },
  { title: 'Cielo, de outro extrato que não o 04', isHeader: (line) => isCielo(line, '') },
  {
    title: 'Rede EEVD (débito)',
    isHeader: (line) =>
      /^00,.*EEVD/i.test(line) || (/^0\d\d/.test(line) && /EEVD *$/i.test(line.slice(0, 130))),
    about: {
      pt: 'Traz as vendas no débito. As vendas no crédito vêm no EEVC, e o que é pago no EEFI: importe esses.',
      en: 'It has sales by debit cards. Sales by credit cards come in the EEVC, and what is paid in the EEFI: import those.',
    },
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
