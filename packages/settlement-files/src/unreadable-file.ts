import type { Sentence } from './sentence.ts';

/** The bytes are no lines of text. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
  readonly sentence: Sentence;
  constructor(sentence: Sentence) {
    super(sentence.en);
    this.sentence = sentence;
  }
}
