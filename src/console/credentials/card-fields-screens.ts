import { LONGEST_ORIGIN, MOST_ORIGINS } from '../../payments/fields/card-fields.ts';
import { GET_FIELDS, PUT_FIELDS } from '../../payments/fields/contract.ts';
import type { AnswerOf, WireError } from '../../platform/http/endpoint.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { actionForm, errorsOf, facts } from '../parts/page-parts.ts';
import { CARD_FIELDS, pathOf } from '../parts/paths.ts';
import { type Action, type Form, type Screen, screen, type Visit } from '../parts/screen.ts';

type Fields = AnswerOf<typeof GET_FIELDS>;
/** `fields` null: none were set yet. */
type Found = { readonly fields: Fields | null } | { readonly errors: readonly WireError[] };

export const CARD_FIELDS_SCREENS: readonly Screen<unknown>[] = [
  screen<unknown, Found>({
    path: CARD_FIELDS,
    roles: ['support', 'operator', 'admin'],
    of: 'merchant',
    title: 'Card fields',
    async read({ ask }) {
      const asked = await ask(GET_FIELDS, {});
      if (asked.ok) return { fields: asked.body };
      return asked.status === 404 ? { fields: null } : { errors: asked.errors };
    },
    view: (found, visit) => ('errors' in found ? errorsOf(found.errors) : fieldsPage(found.fields, visit)),
  }),
];

function fieldsPage(found: Fields | null, visit: Visit): Html {
  const { say } = visit.wording;
  return html`<p>${say('Fields of ours on a page of yours, which cannot read them: the origins of such pages stand here.')}</p>
${
  found !== null &&
  facts([
    [say('Key of the fields'), html`<code>${found.key}</code>`],
    [say('Script'), html`<code>${found.script}</code>`],
    [say('Origins'), found.origins.join(' ') || '–'],
  ])
}${originsForm(visit, found?.origins.join(' ') ?? '')}`;
}

function originsForm(visit: Visit, value: string, typed?: Form): Shown {
  const { say } = visit.wording;
  return actionForm(visit, PUT, {
    typed,
    about: say('All of them: what stood there before is replaced. Empty: the fields stand nowhere.'),
    fields: [
      {
        name: 'origins',
        label: say('Origins'),
        hint: say('Such as https://loja.com.br, with blanks between them.'),
        value,
        mostCharacters: MOST_ORIGINS * (LONGEST_ORIGIN + 1),
      },
    ],
  });
}

const PUT: Action = {
  roles: ['admin'],
  of: 'merchant',
  path: `${CARD_FIELDS}/change`,
  title: 'Change the origins',
  contract: PUT_FIELDS,
  asks: (_, { origins = '' }) => ({ body: { origins: origins.split(/\s+/).filter((one) => one !== '') } }),
  again: (visit, typed) => originsForm(visit, '', typed),
  done: 'The origins are changed.',
  next: ({ merchantId }) => pathOf(CARD_FIELDS, { merchantId }),
};

export const CARD_FIELDS_ACTIONS: readonly Action[] = [PUT];
