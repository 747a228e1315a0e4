/** Forms send empty texts for optional fields. */
export function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}
