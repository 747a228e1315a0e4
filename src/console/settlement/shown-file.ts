export const MOST_FILES_SHOWN = 50;
export const MOST_REFUSED_SHOWN = 50;
export const MOST_UNDER_WAY_SHOWN = 100;
export const MOST_COVERAGES_SHOWN = 100;
