import { created, ok, problem } from './answers.ts';
import type { Act } from './call.ts';
import { pageAnswer, readFlag, readListQuery } from './lists.ts';
import type { LocRec } from './recurrence.ts';
import { locRecShape } from './recurrence-shapes.ts';

const ID = /^\d{1,9}$/;

export const postLocRec: Act = ({ bank, receiver }) => {
  bank.book(receiver, { type: 'locrec' });
  return created(locRecShape(receiver.recurrences.locations.at(-1) as LocRec));
};

export const getLocRec: Act = ({ receiver, names }) => {
  const locRec = locRecOf(receiver.recurrences.locations, names[0]);
  return locRec === null ? problem('PayloadLocationRecNaoEncontrado') : ok(locRecShape(locRec));
};

/** The authorization loses its location. */
export const freeLocRec: Act = ({ bank, receiver, names }) => {
  const { locations, recs } = receiver.recurrences;
  const locRec = locRecOf(locations, names[0]);
  if (locRec === null) return problem('PayloadLocationRecNaoEncontrado');
  const rec = recs.get(locRec.idRec ?? '');
  if (rec !== undefined) {
    const { loc, ...content } = rec.content;
    bank.book(receiver, { type: 'recRevision', idRec: rec.idRec, content });
  }
  return ok(locRecShape(locRec));
};

export const listLocRecs: Act = ({ receiver, query }) => {
  const idRecPresente = readFlag(query, 'idRecPresente');
  const given = {
    type: 'PayloadLocationRecConsultaInvalida',
    entity: 'locrec',
    most: receiver.dialect.mostItems,
  } as const;
  const asked = readListQuery(query, given);
  if ('status' in asked) return asked;
  const items = receiver.recurrences.locations.filter(
    ({ createdAt, idRec }) =>
      createdAt >= asked.from &&
      createdAt <= asked.to &&
      (idRecPresente === null || (idRec !== null) === idRecPresente),
  );
  const filters = idRecPresente === null ? {} : { idRecPresente };
  return pageAnswer(asked, { name: 'loc', items, shape: locRecShape, filters });
};

function locRecOf(locations: readonly LocRec[], id = ''): LocRec | null {
  return ID.test(id) ? (locations[Number(id) - 1] ?? null) : null;
}
