/** Whether `Accept` names CSV, and JSON neither before it nor with more weight (RFC 9110, 12.5.1). */
export function prefersCsv(accept: string | undefined): boolean {
  const ranges = (accept ?? '').toLowerCase().split(',', MOST_RANGES).map(readRange);
  const csv = ranges.find(({ type }) => type === 'text/csv');
  const json = ranges.find(({ type }) => type === 'application/json');
  if (csv === undefined || csv.weight === 0) return false;
  if (json === undefined || json.weight === csv.weight)
    return json === undefined || ranges.indexOf(csv) < ranges.indexOf(json);
  return csv.weight > json.weight;
}

const MOST_RANGES = 20;

function readRange(text: string): { readonly type: string; readonly weight: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
}
