/** A file that is known by its start, and not read. */
type OtherFile = { readonly title: string; readonly isHeader: (start: string) => boolean };

export const OTHER_FILES: readonly OtherFile[] = [
  {
    title: 'Cielo 03 (captura e previsão)',
    isHeader: (line) => isCielo(line, '03'),
  },
  { title: 'Cielo 09 (saldo em aberto)', isHeader: (line) => isCielo(line, '09') },
  { title: 'Cielo 15 (negociação de recebíveis)', isHeader: (line) => isCielo(line, '15') },
  { title: 'Cielo 16 (Pix)', isHeader: (line) => isCielo(line, '16') },
  { title: 'Cielo, de outro extrato que não o 04', isHeader: (line) => isCielo(line, '') },
  {
    title: 'Rede EEVD (débito)',
    isHeader: (line) =>
      /^00,.*EEVD/i.test(line) || (/^0\d\d/.test(line) && /EEVD *$/i.test(line.slice(0, 130))),
  },
  {
    title: 'Rede EESA (saldo em aberto)',
    isHeader: (line) => line.startsWith('060') && /REDE/i.test(line.slice(11, 19)),
  },
  {
    title: 'Getnet, de outra versão ou de um voucher no mesmo leiaute',
    isHeader: (line) => /^0\d{22}CEADM/.test(line) || /^0\d{22}.*GETNET/i.test(line),
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
