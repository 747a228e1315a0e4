/** The expressions of a file of alert rules, folded ones in one line. */
export function expressionsOfRules(yaml: string): string[] {
  return [...yaml.matchAll(/^( +)expr: (?:>-\n((?:\1 {2,}.*\n)+)|(.+)\n)/gm)].map(([, , folded, line]) =>
    (folded ?? line ?? '').replaceAll(/\s+/g, ' ').trim(),
  );
}

/** What of an expression of PromQL are names of metrics: no functions, labels, durations or variables. */
export function metricsOfExpression(expression: string): string[] {
  const bare = expression
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(?:by|on|without|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  const words = bare.matchAll(/[a-zA-Z_:][\w:]*(?!\w*\s*\()/g);
  return [...words].map(([word]) => word).filter((word) => word.includes('_') && !/^e\d/.test(word));
}

/** The names that `/metrics` shows, those of the parts of a histogram too. */
export function metricsShown(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\w+)$/gm)) {
    names.add(name);
    if (type === 'histogram') for (const part of ['bucket', 'sum', 'count']) names.add(`${name}_${part}`);
  }
  return names;
}
