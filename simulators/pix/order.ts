import type { FieldReader } from '../kit/field-reader.ts';
import type { Answer } from './answers.ts';
import type { Bank } from './bank.ts';

/** What a test or a person asks on a path of the simulator's own. */
export type Order = (bank: Bank, fields: FieldReader) => Answer;
