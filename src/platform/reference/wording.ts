import type { Language, Sentence } from '../http/sentence.ts';

/** What a module adds to its contracts so that they can be read in both languages (its `texts.json`). */
export type Texts = {
  /**
   * What fields mean that their contract does not describe, by the end of their path: `nsu` wherever it
   * stands, `plan.amount` within a plan, `cancelPayment.amount` of one operation. The longest end counts.
   */
  readonly fields: Readonly<Record<string, Sentence>>;
  /** The Portuguese of each English text of contracts, tables and page. */
  readonly portuguese: Readonly<Record<string, string>>;
};

/** In which words the description is printed. */
export type Wording = {
  readonly language: Language;
  /** A text that is written in English where it is declared. */
  readonly say: (english: string) => string;
  /** A text that is written in both languages where it is declared. */
  readonly pick: (sentence: Sentence) => string;
  /** What a field means by its path, with the id of the operation at its head; undefined: it is not known. */
  readonly meaningOf: (path: readonly string[]) => string | undefined;
};

/** As the contracts have it: English, and no word more. */
export const AS_DECLARED: Wording = {
  language: 'en',
  say: (english) => english,
  pick: ({ en }) => en,
  meaningOf: () => undefined,
};

export function mergeTexts(all: readonly Texts[]): Texts {
  return {
    fields: Object.assign({}, ...all.map(({ fields }) => fields)),
    portuguese: Object.assign({}, ...all.map(({ portuguese }) => portuguese)),
  };
}

/** A text without Portuguese stays English: a test finds it, and a reader can read it. */
export function wordingIn(language: Language, { fields, portuguese }: Texts): Wording {
  return {
    language,
    say: (english) => (language === 'en' ? english : (portuguese[english] ?? english)),
    pick: (sentence) => sentence[language],
    meaningOf(path) {
      const key = fieldKeyOf(fields, path);
      return key === undefined ? undefined : fields[key]?.[language];
    },
  };
}

/** The longest end of a path that is described. */
export function fieldKeyOf(fields: Texts['fields'], path: readonly string[]): string | undefined {
  return path.map((_, start) => path.slice(start).join('.')).find((end) => Object.hasOwn(fields, end));
}
