import { keptSums } from '../kit/kept-sums.ts';

export const {
  differences: differencesOfDays,
  assertAddUp: assertDaysAddUp,
  sumPast: sumPastDays,
} = keptSums('receivables', '0063-sums-of-past-days.sql');
