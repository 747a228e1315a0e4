import { bareDocument, documentKind, documentText } from './document-number.ts';

/** Shows the middle of a CPF, as Brazilian receipts do. A company's number is public. */
export function maskedDocument(document: string): string {
  const bare = bareDocument(document);
  if (documentKind(bare) === 'cnpj') return documentText(bare);
  return bare.length === 11 ? `***.${bare.slice(3, 6)}.${bare.slice(6, 9)}-**` : '***';
}

/** The first letter and the domain. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 1 ? '***' : `${[...email][0]}***${email.slice(at)}`;
}
