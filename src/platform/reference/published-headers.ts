/** The headers of answers in the published description, by name. */
export const PUBLISHED_HEADERS = {
  'X-Request-Id': {
    description: 'The number of this request in our log. Name it when you ask about one.',
    schema: { type: 'string', format: 'uuid' },
  },
  'X-Payment-Id': {
    description: 'The paymentId, on every answer to a payment that there is: approved, declined or failed.',
    schema: { type: 'string', format: 'uuid' },
  },
  'X-Total-Count': {
    description: 'How many there are on all pages.',
    schema: { type: 'integer' },
  },
  'Retry-After': { description: 'How many seconds to wait.', schema: { type: 'integer' } },
  'Idempotent-Replayed': {
    description:
      '`true`: an earlier request with the same Idempotency-Key made this; its outcome is answered again.',
    schema: { type: 'string', enum: ['true'] },
  },
};
