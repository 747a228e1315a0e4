/** What seals is replaced once a year. */
export const CRYPTOPERIOD_MILLISECONDS = 365 * 24 * 60 * 60 * 1_000;

/** Under another key the ids of keyed requests would be others, and a repetition not meet what it made. */
export const NEVER_REPLACED = 'id';
