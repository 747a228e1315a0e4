import type { AnswerStream, Contract } from '../../platform/http/endpoint.ts';
import type { Asked } from './asked.ts';
import { errorsOf } from './page-parts.ts';
import { ALL_ROLES, type Screen, type Visit } from './screen.ts';

/**
 * All that an endpoint streams as CSV, however much it is, saved as one file; what it refuses is shown in its
 * words.
 */
export function csvScreen(
  declared: Pick<Screen<unknown>, 'path' | 'title'> & {
    readonly contract: (visit: Visit) => Contract;
    readonly query: (visit: Visit) => Readonly<Record<string, string | undefined>>;
    /** What the file is called, in parts. */
    readonly name: (visit: Visit) => readonly string[];
  },
): Screen<unknown> {
  const { contract, query, name, ...where } = declared;
  return {
    ...where,
    roles: ALL_ROLES,
    of: 'merchant',
    isFile: true,
    async show(visit) {
      const asked: Asked<unknown> = await visit.ask(contract(visit), {
        query: { ...query(visit), format: 'csv-stream' },
      });
      if (!asked.ok) return errorsOf(asked.errors);
      return { name: `${['parcela', ...name(visit)].join('-')}.csv`, stream: asked.body as AnswerStream };
    },
  };
}
