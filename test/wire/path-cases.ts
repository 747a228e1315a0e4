/**
 * Other spellings of a path. None may reach what the path itself does not: without a token they are
 * 401 like it, or no
 * HTTP at all; with one they are that endpoint, or refused.
 */
export function spellingsOf(path: string): readonly string[] {
  const at = path.lastIndexOf('/') + 1;
  const last = path.slice(at);
  const before = path.slice(0, at);
  const encoded = `%${last.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return [
    `${before}${encoded}${last.slice(1)}`,
    `${before}%25${encoded.slice(1)}${last.slice(1)}`,
    path.toUpperCase(),
    `${path}/`,
    `/${path}`,
    `/.${path}`,
    `/x/..${path}`,
    `/x/%2e%2e${path}`,
    `/health/live/../..${path}`,
    `/health/live/%2e%2e/%2E%2E${path}`,
    `/docs%2f..${path}`,
    path.replaceAll('/', '%2f'),
    path.replaceAll('/', '\\'),
    `${before.slice(0, -1)}%2F${last}`,
    `${path};x=1`,
    `${path}%00`,
    `${path}%0d%0aX-Injected:%20yes`,
    `${path}%c0%af`,
    `${path}%zz`,
    `${path}%`,
    `${path}\xe9`,
    `${path}?`,
    `${path}??x`,
    `${path}?x=%zz`,
    `${path}?__proto__=1&constructor=2`,
    `${path}?${'x=1&'.repeat(1_000)}`,
    `${path}/${'x'.repeat(12_000)}`,
    `http://other${path}`,
    `https://other:99999${path}`,
    `http://user:password@other${path}`,
    `ftp://other${path}`,
    `http:/${path}`,
    `http://${path}`,
    '*',
    `*${path}`,
    `?${path}`,
  ];
}
