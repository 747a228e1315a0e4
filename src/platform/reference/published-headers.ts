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
  'WWW-Authenticate': {
    description: '`Bearer`: what is missing is a token, or what it is asked for with.',
    schema: { type: 'string', enum: ['Bearer'] },
  },
  'Retry-After': { description: 'How many seconds to wait.', schema: { type: 'integer' } },
  'Idempotent-Replayed': {
    description:
      '`true`: an earlier request with the same Idempotency-Key made this; its outcome is answered again.',
    schema: { type: 'string', enum: ['true'] },
  },
};

/** The one that callers send. */
export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Names this request, of yours to this path: sent again with the same body and the same card (encrypted anew, or by ' +
    'another token, it is the same card; the security code may differ) it has no second effect, and is answered with the ' +
    'outcome of the first. What was refused before anything was done is not kept. Thirty days; payments, captures and ' +
    'cancels longer.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
} as const;
