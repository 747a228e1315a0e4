import type { Asked } from './asked.ts';

/** What an operation refused, as an endpoint would. */
export function operationRefused(status: 400 | 404 | 409 | 429, description: string): Asked<never> {
  return { ok: false, status, errors: [{ tag: '', description }] };
}

export const OPERATION_DONE: Asked<null> = { ok: true, status: 200, body: null };
