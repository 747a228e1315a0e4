import type { Cnab240Dialect } from './cnab240-layout.ts';
import type { Cnab400Dialect } from './cnab400-layout.ts';

/**
 * `paid` and `writtenOff` are certain. `unclear` may move money in a way that a person has to check: a
 * cheque, a protest, a reversal. The others change nothing: they answer an instruction of the company's file.
 * `laterRefused` refuses an instruction that followed the registration, `notDone` refuses any, without saying
 * which.
 */
export type MovementUse =
  | 'paid'
  | 'writtenOff'
  | 'unclear'
  | 'registered'
  | 'notRegistered'
  | 'notWrittenOff'
  | 'dueDayChanged'
  | 'dueDayKept'
  | 'laterRefused'
  | 'notDone'
  | 'none';

/** As the bank's manual words it, in Portuguese. */
export type Movement = { readonly use: MovementUse; readonly meaning: string };
export type Movements = Readonly<Record<string, Movement>>;

export type RefusalTexts = Readonly<Record<string, string>>;

export type Bank = {
  readonly code: string;
  readonly name: string;
  readonly cnab240?: Cnab240Dialect;
  readonly cnab400?: Cnab400Dialect;
  /**
   * Why the bank refuses an instruction, in Portuguese, by codes of two digits. In CNAB 240 FEBRABAN's if
   * absent. `asWritten`: the file has a text.
   */
  readonly refusals?: {
    readonly cnab240?: RefusalTexts;
    readonly cnab400?: RefusalTexts | 'asWritten';
  };
};

export function used(use: MovementUse, meanings: Readonly<Record<string, string>>): Movements {
  return Object.fromEntries(Object.entries(meanings).map(([code, meaning]) => [code, { use, meaning }]));
}
