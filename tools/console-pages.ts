import { HOMOLOGATION_PAGES } from '../homologation/console/homologation-screens.ts';
import { ACTIONS, SCREENS } from '../src/console/screens.ts';

/** What a console of homologation has: all that there is. */
export const ALL_SCREENS = [...SCREENS, ...HOMOLOGATION_PAGES.screens];
export const ALL_ACTIONS = [...ACTIONS, ...HOMOLOGATION_PAGES.actions];
