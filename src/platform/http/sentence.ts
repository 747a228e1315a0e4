/** Brazilian Portuguese, or English when the caller prefers it. */
export type Sentence = { readonly pt: string; readonly en: string };

export type Language = 'pt' | 'en';

export type FilledIn = Readonly<Record<string, string | number | undefined>>;

export function filled(text: string, values: FilledIn): string {
  return text.replaceAll(/\{(\w+)\}/g, (mark, name: string) => String(values[name] ?? mark));
}

const LONGEST_HEADER = 200;

/** Portuguese unless `Accept-Language` prefers English to Portuguese. */
export function languageOf(acceptLanguage: string | undefined): Language {
  if (acceptLanguage === undefined || acceptLanguage.length > LONGEST_HEADER) return 'pt';
  let best: Language = 'pt';
  let bestWeight = 0;
  for (const part of acceptLanguage.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.trim().split(';');
    const weight = Number(
      parameters
        .find((text) => text.trim().startsWith('q='))
        ?.trim()
        .slice(2) ?? 1,
    );
    const language = range.startsWith('en') ? 'en' : range.startsWith('pt') || range === '*' ? 'pt' : null;
    if (language === null || !(weight > bestWeight)) continue;
    best = language;
    bestWeight = weight;
  }
  return best;
}
