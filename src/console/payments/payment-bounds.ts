/** Of each kind of thing that the box of the search finds. */
export const MOST_FOUND = 20;
/** Of a payment. */
export const MOST_MOVEMENTS = 500;
export const MOST_DELIVERIES = 100;
