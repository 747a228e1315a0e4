import { keptSums } from '../kit/kept-sums.ts';

export const {
  differences: differencesOfDays,
  assertAddUp: assertDaysAddUp,
  mend: mendDays,
} = keptSums('receivables');
