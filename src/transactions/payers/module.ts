import type { Published } from '../../platform/module.ts';
import { LIFE_REFUSALS } from './page-life.ts';
import TEXTS from './texts.json' with { type: 'json' };

/** What all pages for payers share. */
export const PAYERS: Published = {
  texts: TEXTS,
  endpoints: [],
  refusals: [
    {
      title: 'Last day of a page',
      text: 'Until when a page for payers may be shown.',
      refusals: LIFE_REFUSALS,
    },
  ],
};
