/** Of each kind of thing that the box of the search finds. */
export const MOST_FOUND = 20;
