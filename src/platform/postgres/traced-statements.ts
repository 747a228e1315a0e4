import { recordedSpan, traced } from '../tracing/scope.ts';

const POSTGRESQL = { 'db.system.name': 'postgresql' } as const;

/** One statement, with the wait for its connection; neither its text nor its values. */
export function tracedStatement<T>({ name }: { readonly name: string }, run: () => Promise<T>): Promise<T> {
  if (recordedSpan() === null) return run();
  return traced({ name, kind: 'client', attributes: { ...POSTGRESQL, 'db.query.summary': name } }, run);
}

/** Several of them in one transaction. */
export function tracedTransaction<T>(run: () => Promise<T>): Promise<T> {
  if (recordedSpan() === null) return run();
  return traced({ name: 'transaction', kind: 'client', attributes: POSTGRESQL }, run);
}
