/** Letters without accents, blanks between words: what acquirers take for a name on a card. */
export function plainName(text: string, longest: number): string {
  const letters = text.normalize('NFD').replace(/\p{M}/gu, '');
  return letters
    .replace(/[^A-Za-z ]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, longest)
    .trim();
}

/** Letters, digits and blanks of a text for the card statement; null if nothing is left. */
export function plainDescriptor(text: string | null, longest: number): string | null {
  const plain = (text ?? '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9 ]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, longest)
    .trim();
  return plain === '' ? null : plain;
}
