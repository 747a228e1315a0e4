/** Whether an optional text says nothing: forms send what nobody filled in as an empty text. */
export function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}
