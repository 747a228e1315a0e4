/** Whether a text is empty or has only blanks: forms send such texts for optional fields. */
export function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}
