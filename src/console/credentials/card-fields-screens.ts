import { GET_FIELDS, PUT_FIELDS } from '../../payments/fields/contract.ts';
import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { type Html, html } from '../parts/html.ts';
import { actionForm, facts } from '../parts/page-parts.ts';
import { CARD_FIELDS, pathOf } from '../parts/paths.ts';
import { type Action, type Screen, screen, type Visit } from '../parts/screen.ts';

type Fields = AnswerOf<typeof GET_FIELDS>;

export const CARD_FIELDS_SCREENS: readonly Screen<unknown>[] = [
  screen<unknown, Fields | null>({
    path: CARD_FIELDS,
    roles: ['support', 'operator', 'admin'],
    of: 'merchant',
    title: 'Card fields',
    async read({ ask }) {
      const asked = await ask(GET_FIELDS, {});
      return asked.ok ? asked.body : null;
    },
    view: fieldsPage,
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
}${actionForm(visit, PUT, {
  about: say('All of them: what stood there before is replaced. Empty: the fields stand nowhere.'),
  fields: [
    {
      name: 'origins',
      label: say('Origins'),
      hint: say('Such as https://loja.com.br, with blanks between them.'),
      value: found?.origins.join(' ') ?? '',
      mostCharacters: 2_600,
    },
  ],
})}`;
}

const PUT: Action = {
  roles: ['admin'],
  of: 'merchant',
  path: `${CARD_FIELDS}/change`,
  title: 'Change the origins',
  contract: PUT_FIELDS,
  asks: (_, { origins = '' }) => ({ body: { origins: origins.split(/\s+/).filter((one) => one !== '') } }),
  done: 'The origins are changed.',
  next: ({ merchantId }) => pathOf(CARD_FIELDS, { merchantId }),
};

export const CARD_FIELDS_ACTIONS: readonly Action[] = [PUT];
