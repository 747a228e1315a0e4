import type { HomologationPages } from '../../src/console/parts/homologation-pages.ts';
import { FIRST_STEPS_ACTIONS, FIRST_STEPS_SCREENS } from '../first-steps/first-steps-screens.ts';
import FIRST_STEPS_TEXTS from '../first-steps/texts.json' with { type: 'json' };
import { CARD_ACTIONS, CARD_SCREENS } from './card-screens.ts';
import { CLOCK_ACTIONS, CLOCK_SCREENS } from './clock-screens.ts';
import { HAPPENINGS } from './happening.ts';
import { HAPPENING_ACTIONS } from './happening-screens.ts';
import { PAPER_SCREENS, SCRIPT_ACTIONS, SCRIPT_SCREENS } from './script-screens.ts';
import TEXTS from './texts.json' with { type: 'json' };

export const HOMOLOGATION_PAGES: HomologationPages = {
  screens: [...FIRST_STEPS_SCREENS, ...CLOCK_SCREENS, ...CARD_SCREENS, ...SCRIPT_SCREENS, ...PAPER_SCREENS],
  actions: [
    ...FIRST_STEPS_ACTIONS,
    ...CLOCK_ACTIONS,
    ...CARD_ACTIONS,
    ...SCRIPT_ACTIONS,
    ...HAPPENING_ACTIONS,
  ],
  texts: { ...FIRST_STEPS_TEXTS.portuguese, ...TEXTS.portuguese },
  happenings: HAPPENINGS,
};
