const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const WORD = /^[A-Za-z][\w.]{0,63}$/;

/** A span has only these: no caller's text, card, name, document or address leaves in a trace. */
const SHAPES = {
  'http.request.method': /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|_OTHER)$/,
  /** With parameters in braces, as in the contract. */
  'http.route': /^\/[\w/{}.-]{0,200}$/,
  'url.template': /^\/[\w/{}.-]{0,200}$/,
  'http.response.status_code': 'whole',
  'db.system.name': /^postgresql$/,
  /** The statement's name. */
  'db.query.summary': WORD,
  'db.operation.batch.size': 'whole',
  'db.response.status_code': /^(\d[\dA-Z]|P0|F0|HV|XX)[\dA-Z]{3}$/,
  /** Never an error's message. */
  'error.type': /^[\w.]{1,64}$/,
  'peer.service': /^(acquirer|bank|antifraud|webhook)$/,
  'parcela.request.id': UUID,
  'parcela.merchant.id': /^[\w.:-]{1,64}$/,
  'parcela.payment.id': UUID,
  'parcela.billing.id': UUID,
  'parcela.boleto.id': UUID,
  'parcela.delivery.id': UUID,
  'parcela.delivery.kind': WORD,
  'parcela.result': WORD,
} as const satisfies Readonly<Record<string, RegExp | 'whole'>>;

export type AttributeName = keyof typeof SHAPES;
export type Attributes = Partial<Readonly<Record<AttributeName, string | number | null>>>;

export function isAttribute(name: AttributeName, value: unknown): value is string | number {
  const shape: RegExp | 'whole' = SHAPES[name];
  if (shape === 'whole') return Number.isSafeInteger(value);
  return typeof value === 'string' && shape.test(value);
}

/** SQLSTATE, a code of Node, or the name of the error. */
export function errorTypeOf(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  const word = typeof code === 'string' ? code : name;
  return isAttribute('error.type', word) ? String(word) : 'Error';
}
