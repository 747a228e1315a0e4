/** Brazilian Portuguese and English. */
export type Sentence = { readonly pt: string; readonly en: string };
