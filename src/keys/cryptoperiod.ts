/** What seals is replaced once a year. */
export const CRYPTOPERIOD_MILLISECONDS = 365 * 24 * 60 * 60 * 1_000;
