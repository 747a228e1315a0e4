type Fields = Readonly<Record<string, unknown>>;

/** An instant has a zone. */
export const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads the fields of a JSON object one by one and remembers the first that is wrong: then `fault`
 * names it and what was read must not be used. Fields that nobody asks for are ignored,
 * unless `refuseOthers` is called behind all others.
 */
export class FieldReader {
  fault: string | null = null;
  readonly #fields: Fields;
  readonly #prefix: string;
  readonly #asked = new Set<string>();

  constructor(json: unknown, prefix = '') {
    this.#prefix = prefix;
    this.#fields = isFields(json) ? json : {};
    if (!isFields(json)) this.fault = prefix.replace(/\.$/, '');
  }

  text(name: string, pattern: RegExp): string {
    const value = this.#valueOf(name);
    if (typeof value === 'string' && pattern.test(value)) return value;
    this.refuse(name);
    return '';
  }

  textOrNull(name: string, pattern: RegExp): string | null {
    return this.#isAbsent(name) ? null : this.text(name, pattern);
  }

  integer(name: string, least: number, most: number): number {
    const value = this.#valueOf(name);
    if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) {
      return value as number;
    }
    this.refuse(name);
    return 0;
  }

  integerOrNull(name: string, least: number, most: number): number | null {
    return this.#isAbsent(name) ? null : this.integer(name, least, most);
  }

  /** In milliseconds since 1970. */
  instant(name: string): number {
    const value = Date.parse(this.text(name, INSTANT));
    if (Number.isNaN(value)) this.refuse(name);
    return value;
  }

  instantOrNull(name: string): number | null {
    return this.#isAbsent(name) ? null : this.instant(name);
  }

  word<W extends string>(name: string, words: readonly [W, ...W[]]): W {
    const value = this.#valueOf(name);
    if ((words as readonly unknown[]).includes(value)) return value as W;
    this.refuse(name);
    return words[0];
  }

  wordOrNull<W extends string>(name: string, words: readonly [W, ...W[]]): W | null {
    return this.#isAbsent(name) ? null : this.word(name, words);
  }

  /** The field's object, read by the function; its first fault is named with the path. */
  object<T>(name: string, read: (fields: FieldReader) => T): T {
    return this.#within(name, this.#valueOf(name), read);
  }

  objectOrNull<T>(name: string, read: (fields: FieldReader) => T): T | null {
    return this.#isAbsent(name) ? null : this.object(name, read);
  }

  boolean(name: string): boolean {
    const value = this.#valueOf(name);
    if (typeof value === 'boolean') return value;
    this.refuse(name);
    return false;
  }

  booleanOr(name: string, otherwise: boolean): boolean {
    return this.#isAbsent(name) ? otherwise : this.boolean(name);
  }

  list<T>(name: string, most: number, read: (fields: FieldReader) => T): T[] {
    const value = this.#valueOf(name);
    if (Array.isArray(value) && value.length <= most) {
      return value.map((item, index) => this.#within(`${name}[${index}]`, item, read));
    }
    this.refuse(name);
    return [];
  }

  listOrEmpty<T>(name: string, most: number, read: (fields: FieldReader) => T): T[] {
    return this.#isAbsent(name) ? [] : this.list(name, most, read);
  }

  texts(name: string, most: number, pattern: RegExp): string[] {
    const value = this.#valueOf(name);
    const isList = Array.isArray(value) && value.length <= most;
    if (isList && value.every((text) => typeof text === 'string' && pattern.test(text))) return value;
    this.refuse(name);
    return [];
  }

  /** All fields of the object, whose values are texts. */
  allTexts(): Record<string, string> {
    for (const [name, value] of Object.entries(this.#fields))
      if (typeof value !== 'string') this.refuse(name);
    return { ...this.#fields } as Record<string, string>;
  }

  textsOrEmpty(name: string, most: number, pattern: RegExp): string[] {
    return this.#isAbsent(name) ? [] : this.texts(name, most, pattern);
  }

  refuse(name: string): void {
    this.fault ??= this.#prefix + name;
  }

  /** What a person writes for us alone: a field that nobody asked for does not do what was meant. */
  refuseOthers(): void {
    for (const name of Object.keys(this.#fields)) if (!this.#asked.has(name)) this.refuse(name);
  }

  #valueOf(name: string): unknown {
    this.#asked.add(name);
    return this.#fields[name];
  }

  #within<T>(name: string, json: unknown, read: (fields: FieldReader) => T): T {
    const fields = new FieldReader(json, `${this.#prefix}${name}.`);
    const value = read(fields);
    this.fault ??= fields.fault;
    return value;
  }

  #isAbsent(name: string): boolean {
    return this.#valueOf(name) === undefined || this.#valueOf(name) === null;
  }
}

function isFields(json: unknown): json is Fields {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
