import type { Language, Sentence } from '../http/sentence.ts';

/** The content of a module's `texts.json`. */
export type Texts = {
  /**
   * Meanings of fields that contracts do not describe, by the end of their path: `nsu` anywhere,
   * `plan.amount` in a plan, `cancelPayment.amount` of one operation. The longest end counts.
   */
  readonly fields: Readonly<Record<string, Sentence>>;
  readonly portuguese: Readonly<Record<string, string>>;
};

export type Wording = {
  readonly language: Language;
  readonly say: (english: string) => string;
  readonly pick: (sentence: Sentence) => string;
  /** By path, beginning with the operation's id; undefined: not known. */
  readonly meaningOf: (path: readonly string[]) => string | undefined;
};

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

/** A text without Portuguese stays English; a test finds it. */
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

/** The longest described end of a path. */
export function fieldKeyOf(fields: Texts['fields'], path: readonly string[]): string | undefined {
  return path.map((_, start) => path.slice(start).join('.')).find((end) => Object.hasOwn(fields, end));
}
