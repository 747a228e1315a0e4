type Fields = Readonly<Record<string, unknown>>;

/** The version of the Elastic Common Schema whose names these are. */
export const ECS_VERSION = '8.17.0';

const NAMES: Readonly<Record<string, string>> = {
  requestId: 'http.request.id',
  method: 'http.request.method',
  route: 'http.route',
  merchantId: 'organization.id',
  userName: 'user.name',
  credentialId: 'user.id',
  address: 'client.ip',
  traceId: 'trace.id',
  spanId: 'span.id',
  error: 'error.type',
  code: 'error.code',
};
/** What the schema has no name for stands under ours, where it never will have one. */
const OWN = 'parcela.';
const NANOSECONDS_PER_MILLISECOND = 1_000_000;

/** The fields of a line of the log under the names of ECS. */
export function ecsFields(fields: Fields): Record<string, unknown> {
  const line: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const [ecsName, ecsValue] = ecsField(name, value, fields);
    line[ecsName] = ecsValue;
  }
  return line;
}

function ecsField(name: string, value: unknown, of: Fields): readonly [string, unknown] {
  const isRequest = of.method !== undefined;
  const isError = of.error !== undefined;
  if (name === 'reason') return [isError ? 'error.message' : 'event.reason', value];
  if (name === 'stack' && Array.isArray(value)) return ['error.stack_trace', value.join('\n')];
  if (name === 'code' && !isError) return [`${OWN}code`, value];
  if (name === 'status' && isRequest) return ['http.response.status_code', value];
  if (name === 'milliseconds' && isRequest)
    return ['event.duration', Math.round(Number(value) * NANOSECONDS_PER_MILLISECOND)];
  return [NAMES[name] ?? OWN + name, value];
}
