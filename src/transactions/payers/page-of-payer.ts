import { type Cents, reaisText } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';
import { escapedMarkup } from '../../values/markup.ts';

/**
 * Headers by which a browser loads nothing from elsewhere and runs no script but one. `styleHash`,
 * `scriptHash`: of the page's one style, and of its one script. `ancestors`: origins on whose pages it may
 * stand in a frame.
 */
export function pageHeaders(
  styleHash: string,
  scriptHash: string | null = null,
  ancestors: readonly string[] = [],
) {
  const framedBy = ancestors.length === 0 ? "'none'" : ancestors.join(' ');
  const script = scriptHash === null ? '' : ` script-src '${scriptHash}'; connect-src 'self';`;
  return {
    'content-security-policy': `default-src 'none'; style-src '${styleHash}';${script} frame-ancestors ${framedBy}; base-uri 'none'; form-action 'none'`,
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow',
    'content-language': 'pt-BR',
  } as const;
}

export type PageOfPayer = {
  readonly title: string;
  readonly style: string;
  readonly content: string;
  /** After so many seconds the page loads itself again; null: it stays as it is. */
  readonly refreshSeconds?: number | null;
};

export function htmlPage({ title, style, content, refreshSeconds = null }: PageOfPayer): string {
  const refresh = refreshSeconds === null ? '' : `<meta http-equiv="refresh" content="${refreshSeconds}">\n`;
  return `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
${refresh}<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
}

/** A text that one click selects as a whole. */
export function copyable(text: string): string {
  return `<span class="copy">${escapedMarkup(text)}</span>`;
}

/** `23/11/2026`. */
export function dayText(day: Day): string {
  return `${day.slice(8)}/${day.slice(5, 7)}/${day.slice(0, 4)}`;
}

/** `R$ 1.234,56`. */
export function reaisShown(amount: Cents): string {
  const [whole = '', rest = ''] = reaisText(amount).split('.');
  return `R$ ${whole.replace(/\B(?=(\d{3})+$)/g, '.')},${rest}`;
}
