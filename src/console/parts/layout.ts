import { type Html, html, type Shown } from './html.ts';
import { ROLE_WORDS, type User } from './user.ts';
import type { Wording } from './wording.ts';

export type NavigationGroup = {
  readonly of: 'merchant' | 'operator';
  readonly title: string;
  readonly items: readonly NavigationItem[];
};
export type NavigationItem = { readonly path: string; readonly title: string; readonly isHere: boolean };

/** The names contain a hash of the content. */
export type AssetPaths = { readonly style: string; readonly script: string; readonly icon: string };

export type Frame = {
  readonly wording: Wording;
  readonly assets: AssetPaths;
  readonly isHomologation: boolean;
  readonly title: string;
  readonly body: Shown;
  readonly visitor: {
    readonly user: User;
    readonly formMark: string;
    /**
     * Null if no merchant is chosen. `searchPath` searches the merchant's things. `path`: the merchant's
     * page, for users of the operator; null: the user is the merchant's.
     */
    readonly merchant: {
      readonly name: string;
      readonly searchPath: string;
      readonly path: string | null;
    } | null;
    readonly navigation: readonly NavigationGroup[];
    readonly searched: string;
  } | null;
  readonly message: { readonly tone: 'good' | 'bad'; readonly text: Shown } | null;
  /** Null: the page does not reload itself. */
  readonly live?: Live | null;
};

/** `mark` identifies the content: an unchanged page is not sent again. */
export type Live = { readonly seconds: number; readonly mark: string };

export function page(frame: Frame): string {
  const { wording, assets, title, body, visitor, message, isHomologation } = frame;
  const { say, language } = wording;
  const whole = html`<!doctype html>
<html lang="${language === 'pt' ? 'pt-BR' : 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<title>${title} · Parcela</title>
<link rel="icon" type="image/svg+xml" href="${assets.icon}">
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.script}" defer></script>
</head>
<body${visitor !== null && html` class="inside"`}>
<a class="skip" href="#main">${say('Skip to the content')}</a>
<header>
${visitor !== null && html`<button type="button" class="menu" popovertarget="menu">${say('Menu')}</button>`}
<a class="brand" href="/console">Parcela</a>
${isHomologation && html`<span class="badge wait">${say('Homologation')}</span>`}
${visitor?.merchant != null && merchantName(visitor.merchant)}
${visitor?.merchant != null && searchBox(visitor.merchant.searchPath, visitor, wording)}
${visitor !== null && userMenu(visitor.user, visitor.formMark, wording)}
</header>
${visitor !== null && navigation(visitor, wording)}
<main id="main" tabindex="-1">
<h1>${title}</h1>
<div role="status">${message?.tone === 'good' && html`<p class="message good">${message.text}</p>`}</div>
${message?.tone === 'bad' && html`<div class="message bad" role="alert">${message.text}</div>`}
${frame.live == null ? body : liveBody(frame.live, body, wording)}
</main>
<footer>
${visitor !== null && languageForm(visitor.formMark, wording)}
</footer>
</body>
</html>
`;
  return whole.toString();
}

function merchantName({ name, path }: { readonly name: string; readonly path: string | null }): Html {
  return path === null
    ? html`<span class="merchant">${name}</span>`
    : html`<a class="merchant" href="${path}">${name}</a>`;
}

/**
 * A page that reloads itself replaces only this part. The notes above it say that the service does not
 * answer, that it answers again, and to screen readers what changed.
 */
function liveBody({ seconds, mark }: Live, body: Shown, { say }: Wording): Html {
  const away = say('Not live: the service does not answer. This page tries again by itself.');
  return html`<p class="message wait away" role="status" data-away="${away}"></p>
<p class="unseen" role="status" data-news="${say('Live again')}"></p>
<div data-refresh="${seconds}" data-mark="${mark}">${body}</div>`;
}

/** A search may be for a person's document, so it is sent as a form, not in the address. */
function searchBox(
  path: string,
  { searched, formMark }: { readonly searched: string; readonly formMark: string },
  { say }: Wording,
): Html {
  return html`<form class="search" method="post" action="${path}" role="search"><input type="hidden" name="mark" value="${formMark}">
<label class="unseen" for="q">${say('Search')}</label>
<input id="q" name="q" type="search" required maxlength="64" value="${searched}" placeholder="${say('Name, e-mail, document, amount, order, day…')}">
<button type="submit">${say('Search')}</button>
</form>`;
}

function userMenu(user: User, formMark: string, { say }: Wording): Html {
  return html`<div class="user"><span>${user.name} <small>${say(ROLE_WORDS[user.role])}</small></span>
<form method="post" action="/console/sign-out"><input type="hidden" name="mark" value="${formMark}"><button type="submit" class="quiet">${say('Sign out')}</button></form></div>`;
}

/**
 * The menu stands at the side. Where there is no room it is a drawer: a popover, which browsers open without
 * a script.
 */
function navigation(
  { navigation: groups, merchant }: Pick<NonNullable<Frame['visitor']>, 'navigation' | 'merchant'>,
  { say }: Wording,
): Html {
  const listOf = (of: NavigationGroup['of']) =>
    groups
      .filter((group) => group.of === of)
      .map(
        ({ title, items }, index) => html`<p id="menu-${of}-${index}">${title}</p>
<ul aria-labelledby="menu-${of}-${index}">
${items.map(
  ({ path, title: text, isHere }) =>
    html`<li><a href="${path}"${isHere && html` aria-current="page"`}>${text}</a></li>\n`,
)}</ul>
`,
      );
  const [ofMerchant, ofOperator] = [listOf('merchant'), listOf('operator')];
  return html`<nav class="main" id="menu" popover aria-label="${say('Main')}">
<button type="button" class="quiet" popovertarget="menu" popovertargetaction="hide">${say('Close')}</button>
${ofMerchant}${
  merchant === null || ofOperator.length === 0
    ? ofOperator
    : html`<details><summary>${say('Operator')}</summary>\n${ofOperator}</details>`
}</nav>`;
}

function languageForm(formMark: string, { language }: Wording): Html {
  const [other, name] = language === 'pt' ? ['en', 'English'] : ['pt', 'Português'];
  return html`<form method="post" action="/console/language"><input type="hidden" name="mark" value="${formMark}"><button type="submit" class="quiet" name="language" value="${other}" lang="${other === 'pt' ? 'pt-BR' : 'en'}">${name}</button></form>`;
}

/** Only our one script runs, nothing loads from elsewhere, and no page may frame ours. */
export const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // Without any referrer, browsers would hide a form's origin.
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'x-robots-tag': 'noindex, nofollow',
};
