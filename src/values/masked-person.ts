import { bareDocument, documentKind, documentText } from './document-number.ts';

/** Shows the middle of a CPF, as Brazilian receipts do, and the whole of a CNPJ, which is public. */
export function maskedDocument(document: string): string {
  const bare = bareDocument(document);
  if (documentKind(bare) === 'cnpj') return documentText(bare);
  return bare.length === 11 ? `***.${bare.slice(3, 6)}.${bare.slice(6, 9)}-**` : '***';
}

/** Shows the first letter and the domain of an e-mail address. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 1 ? '***' : `${[...email][0]}***${email.slice(at)}`;
}
