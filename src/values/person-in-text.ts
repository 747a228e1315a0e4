import { isCpf } from './document-number.ts';

/** With its mask or without, and no part of a longer number. */
const MAYBE_CPF = /(?<![\dA-Za-z])\d{3}[. ]?\d{3}[. ]?\d{3}[-. ]?\d{2}(?![\dA-Za-z])/g;
const EMAIL = /[^\s@<>(),;:"/?&=]+@[^\s@<>(),;:"/?&=]+\.[^\s@<>(),;:"/?&=]+/g;

/** Whether a person can be found by this text: it has a CPF or an e-mail address. */
export function holdsCpfOrEmail(text: string): boolean {
  return withoutCpfAndEmail(text) !== text;
}

/** The text with stars for every CPF and e-mail address in it. */
export function withoutCpfAndEmail(text: string): string {
  return text
    .replaceAll(MAYBE_CPF, (found) =>
      isCpf(found.replaceAll(/\D/g, '')) ? found.replaceAll(/\d/g, '*') : found,
    )
    .replaceAll(EMAIL, '***@***');
}
